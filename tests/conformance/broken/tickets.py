"""Defects of tickets."""

from protocol.session.ticket import TicketShown
from table.lobby.matches import Matches
from table.manager.server import TableServer
from table.net import tickets
from table.net.tickets import Tickets, TicketSeat
from tests.conformance.broken.defect import Defects

DEFECTS = Defects()
defect = DEFECTS.defect


@defect("tickets/*-full-table", "tickets/ticket-*", "tickets/copy-*", "tickets/wrong-tickets")
def takes_no_tickets() -> None:
    Tickets.check = lambda self, shown: None


@defect("tickets/wrong-tickets")
def takes_tickets_without_proof() -> None:
    tickets.is_proof_valid = lambda shown, secret: True


@defect("tickets/ticket-counts-until-the-next-is-kept")
def takes_spent_tickets() -> None:
    Tickets.kept = lambda self, seat, ticket: None


@defect("tickets/ticket-*", "tickets/copy-of-a-first-message")
def takes_tickets_once() -> None:
    take = Tickets.take

    def broken(self: Tickets, shown: TicketShown, seat: TicketSeat, now: float) -> bool:
        taken = take(self, shown, seat, now)
        opened = self._open(shown.ticket)
        assert opened is not None
        self._seats[seat].spent = max(self._seats[seat].spent, opened.number + 1)
        return taken

    Tickets.take = broken


@defect("tickets/copy-of-a-first-message")
def takes_copies_of_first_messages() -> None:
    take = Tickets.take

    def broken(self: Tickets, shown: TicketShown, seat: TicketSeat, now: float) -> bool:
        self._touched(seat).messages.clear()
        return take(self, shown, seat, now)

    Tickets.take = broken


@defect("tickets/ticket-of-another-key")
def takes_tickets_of_other_keys() -> None:
    people_of = Matches.people_of
    Matches.people_of = lambda self, match_id: () if people_of(self, match_id) else None


@defect("tickets/newcomer-with-a-wrong-ticket")
def turns_newcomers_with_wrong_tickets_away() -> None:
    received = TableServer.first_message_received

    def broken(self: TableServer, connection, ticket) -> None:  # type: ignore[no-untyped-def]
        received(self, connection, ticket)
        if ticket is not None and connection.ticket_seat is None and connection.open:
            connection.abort()

    TableServer.first_message_received = broken
