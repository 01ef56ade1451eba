"""Tickets of a table: whose they are, and which of them count."""

from protocol.limits import TICKET, TICKET_MESSAGES_KEPT
from protocol.session.ticket import read_payload, ticket_payload
from table.net.tickets import Tickets, TicketSeat

ANN, BOB = TicketSeat(b"m" * 32, 0), TicketSeat(b"m" * 32, 1)
RATE = (1_000, 1)


class Clock:
    """A wall clock that tests set."""

    def __init__(self, seconds=1_800_000_000.0):
        self.seconds = seconds

    def __call__(self):
        return self.seconds


def tickets_of(key=bytes(32), clock=None, rate=RATE):
    return Tickets(lambda: key, rate, clock or Clock())


def shown(ticket, attempt=0):
    ephemeral = attempt.to_bytes(32, "big")
    return read_payload(ticket_payload(ticket, ephemeral), ephemeral)


def counts(tickets, ticket, attempt=0, now=0.0):
    seat = tickets.check(shown(ticket, attempt))
    return seat if seat is not None and tickets.take(shown(ticket, attempt), seat, now) else None


def test_ticket_counts_at_every_host_of_its_table():
    ticket = tickets_of().make(ANN)
    assert len(ticket.shown) == TICKET
    assert counts(tickets_of(), ticket) == ANN
    assert counts(tickets_of(key=bytes([1]) * 32), ticket) is None


def test_tickets_of_one_seat_have_nothing_in_common():
    tickets = tickets_of()
    first, second = tickets.make(ANN), tickets.make(ANN)
    same = sum(a == b for a, b in zip(first.shown, second.shown, strict=True))
    assert same < 8 and first.secret != second.secret
    assert ANN.match_id not in first.shown


def test_ticket_and_the_one_before_count_until_it_is_kept():
    tickets = tickets_of()
    first, second = tickets.make(ANN), tickets.make(ANN)
    assert counts(tickets, first, 1) == counts(tickets, second, 2) == ANN
    tickets.kept(ANN, second.shown)
    assert counts(tickets, first, 3) is None
    assert counts(tickets, second, 4) == ANN


def test_seat_that_keeps_ticket_of_another_spends_nothing():
    tickets = tickets_of()
    first, others = tickets.make(ANN), tickets.make(BOB)
    tickets.kept(ANN, others.shown)
    tickets.kept(BOB, bytes(TICKET))
    assert counts(tickets, first) == ANN


def test_older_ticket_that_is_kept_late_spends_nothing():
    tickets = tickets_of()
    first, second = tickets.make(ANN), tickets.make(ANN)
    tickets.kept(ANN, second.shown)
    tickets.kept(ANN, first.shown)
    assert counts(tickets, first) is None


def test_message_counts_once():
    tickets = tickets_of()
    ticket = tickets.make(ANN)
    assert counts(tickets, ticket, 1) == ANN
    assert counts(tickets, ticket, 1) is None
    assert counts(tickets, ticket, 2) == ANN


def test_proof_of_another_message_is_none():
    tickets = tickets_of()
    good = shown(tickets.make(ANN), 1)
    assert tickets.check(good._replace(ephemeral=bytes(32))) is None


def test_remembered_messages_are_bounded():
    tickets = tickets_of()
    ticket = tickets.make(ANN)
    for attempt in range(3 * TICKET_MESSAGES_KEPT):
        assert counts(tickets, ticket, attempt) == ANN
    (known,) = tickets._seats.values()
    assert len(known.messages) == TICKET_MESSAGES_KEPT


def test_copies_do_not_use_up_rate_of_seat():
    tickets = tickets_of(rate=(2, 1))
    ticket = tickets.make(ANN)
    assert counts(tickets, ticket, 1) == ANN
    assert [counts(tickets, ticket, 1) for _ in range(100)] == [None] * 100
    assert counts(tickets, ticket, 2) == ANN
    assert counts(tickets, ticket, 3) is None
    assert counts(tickets, tickets.make(BOB), 3) == BOB
    assert counts(tickets, ticket, 3, now=1.0) == ANN


def test_table_started_again_makes_tickets_that_spend_those_of_before():
    clock = Clock()
    before = tickets_of(clock=clock)
    old = [before.make(ANN) for _ in range(3)]
    clock.seconds += 1
    after = tickets_of(clock=clock)
    assert counts(after, old[0], 1) == ANN
    after.kept(ANN, after.make(ANN).shown)
    assert [counts(after, ticket, 2) for ticket in old] == [None] * 3


def test_clock_that_is_set_back_harms_no_newer_ticket():
    clock = Clock()
    tickets = tickets_of(clock=clock)
    first = tickets.make(ANN)
    clock.seconds -= 3_600
    second = tickets.make(ANN)
    tickets.kept(ANN, second.shown)
    assert counts(tickets, first, 1) is None and counts(tickets, second, 2) == ANN
