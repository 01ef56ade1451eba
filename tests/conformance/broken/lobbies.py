"""Defects of the lobby, of seats, and of a table's limits."""

from typing import Any

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity import names
from protocol.ledger.proofs.merkle_log import MerkleLog
from protocol.ledger.proofs.slot_map import SlotMap
from protocol.ledger.witness.witness import Witness
from protocol.limits import MAX_SEATS
from protocol.messages import table as messages
from protocol.messages import table_search
from protocol.messages.table import MESSAGES, VERSION, ConnectionPhase
from protocol.messages.table_search import TableSearch
from protocol.options import Selection
from table.config import Config
from table.lobby import chat, matches
from table.lobby.peer import Peer
from table.lobby.relay import RelayDirection, Relays
from table.lobby.tables import Declined, Lobby
from table.manager import handlers
from table.match.hosted_match import HostedMatch
from table.match.presence import Presence
from table.match.rtt_monitor import RttMonitor
from table.net.connection import Connection
from tests.conformance.broken.defect import Defects

DEFECTS = Defects()
defect = DEFECTS.defect
MANY = (1e9, 1e9)


@defect("presence/*", "signs/*")
def says_nothing_of_who_is_gone() -> None:
    Presence.changed = lambda presence: None


@defect("signs/*")
def gives_no_signs_of_life() -> None:
    Presence._send_sign_of_life = lambda presence, parties: None


@defect("signs/seat-whose-line-died", "signs/spectator-whose-line-died")
def keeps_dead_lines() -> None:
    Peer.alive = lambda peer, now: None


@defect("signs/programs-that-give-no-signs")
def takes_quiet_spectators_for_dead() -> None:
    entered = Peer.entered

    def broken(self: Peer, feed: Any, seat: int | None) -> None:
        entered(self, feed, seat)
        if seat is None:
            self.alive(self.connection.heard)

    Peer.entered = broken


@defect("lobby/version-one-too-high")
def takes_any_newer_version() -> None:
    hello = handlers.HANDLERS["hello"]
    handlers.HANDLERS["hello"] = lambda manager, peer, version, name: hello(
        manager, peer, VERSION if version == VERSION + 1 else version, name
    )


@defect("lobby/invitation-that-was-not-asked-for")
def turns_away_whoever_shows_an_invitation() -> None:
    def never(manager: Any, peer: Peer, secret: bytes) -> None:
        raise Declined(Code.BY_INVITATION)

    handlers.HANDLERS["invite"] = never


@defect("lobby/name-with-a-line-feed")
def takes_names_with_line_feeds() -> None:
    check = handlers.check_name
    handlers.check_name = lambda text: check(text.replace("\n", ""))


@defect("lobby/name-of-another-with-digits")
def takes_names_that_look_alike() -> None:
    names._LATIN.pop(ord("0"))


@defect("lobby/join-before-hello")
def lets_strangers_join() -> None:
    row = MESSAGES["join"]
    MESSAGES["join"] = row._replace(phases=row.phases | {ConnectionPhase.GREETING})


@defect("lobby/leave-in-the-lobby", "lobby/leave-twice")
def lets_nobody_leave_twice_unsaid() -> None:
    row = MESSAGES["leave"]
    MESSAGES["leave"] = row._replace(phases=row.phases | {ConnectionPhase.LOBBY})


@defect("lobby/table-with-an-option-twice", "lobby/table-with-options-out-of-order")
def takes_options_twice_and_in_any_order() -> None:
    decode = handlers.decode_terms

    def broken(values: list[Any]) -> Any:
        terms = decode(values)
        name, options = terms.game
        return terms._replace(game=Selection(name, tuple(sorted(dict(options).items()))))

    handlers.decode_terms = broken


@defect("lobby/table-by-other-rules")
def takes_any_version_of_the_rules() -> None:
    check = handlers.check_creation

    def broken(terms: Any, config: Config) -> None:
        row = config.games.specs.get(terms.game.name)
        check(terms._replace(rules=row.version) if row else terms, config)

    handlers.check_creation = broken


@defect("lobby/table-for-the-most-seats")
def takes_no_table_for_the_most_seats() -> None:
    check = handlers.check_creation

    def broken(terms: Any, config: Config) -> None:
        if terms.seats == MAX_SEATS and terms.dealing.name == "verified":
            raise Declined(Code.BAD_OPTIONS)
        check(terms, config)

    handlers.check_creation = broken


@defect("lobby/join-at-no-table", "lobby/spectate-at-no-table", "meeting/invitation-to-no-table")
def gives_another_code() -> None:
    find = Lobby.find

    def broken(self: Lobby, table_id: str | None) -> Any:
        try:
            return find(self, table_id)
        except Declined:
            raise Declined(Code.TABLE_FULL) from None

    Lobby.find = broken


@defect("lobby/name-with-a-nul")
def closes_for_an_honest_mistake() -> None:
    check = handlers.check_name

    def broken(text: str) -> None:
        if "\0" in text:
            raise ValueError
        check(text)

    handlers.check_name = broken


@defect("lobby/pages-that-leave-a-table-out")
def leaves_the_last_table_of_a_page_out() -> None:
    page = Lobby.page

    def broken(self: Lobby, search: Any, row_of: Any) -> Any:
        found = page(self, search, row_of)
        return found if found.next is None else found._replace(next=found.next + 1)

    Lobby.page = broken


@defect("lobby/search-for-an-id")
def finds_all_ids_that_begin_alike() -> None:
    page = Lobby.page

    def broken(self: Lobby, search: Any, row_of: Any) -> Any:
        if search.text in self.tables:
            search = search._replace(text=search.text[:1])
        return page(self, search, row_of)

    Lobby.page = broken


@defect("lobby/search-for-a-name-in-capitals")
def tells_capitals_apart() -> None:
    table_search.fold = lambda name: name


@defect("lobby/search-for-games")
def ignores_the_games_of_a_search() -> None:
    finds = TableSearch.finds
    TableSearch.finds = lambda self, *names: finds(self._replace(games=()), *names)


@defect("lobby/search-one-too-long", "lobby/page-one-too-long")
def takes_searches_of_any_size() -> None:
    row = MESSAGES["find"]
    MESSAGES["find"] = row._replace(shape=lambda values: len(values) == 4 and values[0] != "")


@defect("lobby/one-table-too-many")
def lets_anybody_make_any_number_of_tables() -> dict[str, Any]:
    return {"tables_per_identity": 100}


@defect("reading/second-connection-of-*", "reading/older-connection-that-proves-itself-last")
def lets_two_connections_share_a_seat() -> None:
    end = Connection.end

    def broken(self: Connection, code: Code | None, *, error: bool = False) -> None:
        if code is not Code.TAKEN_OVER:
            end(self, code, error=error)

    Connection.end = broken


@defect("lobby/seat-of-one-whose-connection-was-cut", "reading/second-connection-of-one-who-waits")
def keeps_seats_of_those_who_are_gone() -> None:
    release = Lobby.release
    Lobby.release = lambda self, peer: release(self, peer) if peer.open else None


@defect("lobby/join-while-a-match-runs")
def gives_seats_in_a_running_match() -> None:
    reserve = Lobby.reserve

    def broken(self: Lobby, table: Any, peer: Peer) -> None:
        if table.room is None:
            reserve(self, table, peer)
        else:
            peer.send(messages.encode("waiting", table.table_id, table.terms.seats, []))

    Lobby.reserve = broken


@defect("reading/resume-of-a-match-of-others")
def lets_anybody_resume_a_match() -> None:
    check = matches._check_seat
    matches._check_seat = lambda feed, peer: (
        type(feed).__name__ == "HostedMatch" or check(feed, peer)
    )


@defect("lobby/join-for-other-terms")
def seats_people_for_any_terms() -> None:
    join = handlers.HANDLERS["join"]

    def broken(manager: Any, peer: Peer, place: Any) -> None:
        join(manager, peer, place[0] if isinstance(place, list) else place)

    handlers.HANDLERS["join"] = broken


@defect("reading/spectate-at-ones-own-match")
def lets_a_seat_watch_itself() -> None:
    spectate = handlers.HANDLERS["spectate"]
    join = handlers.HANDLERS["join"]

    def broken(manager: Any, peer: Peer, table_id: str | None) -> None:
        try:
            spectate(manager, peer, table_id)
        except Declined as declined:
            if declined.code is not Code.ALREADY_SEATED:
                raise
            join(manager, peer, table_id)

    handlers.HANDLERS["spectate"] = broken


@defect("reading/leave-that-crosses-the-beginning")
def forgives_nothing_that_crossed_the_beginning() -> None:
    decode = handlers._decode

    def broken(peer: Peer, payload: bytes) -> Any:
        if peer.phase is ConnectionPhase.SEATED:
            peer.forgiven = None
        return decode(peer, payload)

    handlers._decode = broken


@defect("bounds/one-connection-too-many-from-one-address")
def takes_any_number_from_one_address() -> dict[str, Any]:
    return {"per_address": 10_000}


@defect("bounds/one-half-open-too-many-from-one-address", "bounds/flood-of-half-open-connections")
def keeps_any_number_half_open() -> dict[str, Any]:
    # on a busy machine connections must not be closed by time meanwhile
    return {"half_open": 10_000, "half_open_per_address": 10_000, "handshake_seconds": 30.0}


@defect("bounds/flood-of-connections-from-one-address")
def takes_connections_at_any_rate() -> dict[str, Any]:
    return {"arrivals": MANY, "arrivals_per_address": MANY}


@defect("bounds/flood-of-requests")
def takes_requests_at_any_rate() -> dict[str, Any]:
    return {"requests": MANY, "requests_per_address": MANY}


@defect("bounds/one-table-too-many-from-one-address")
def makes_any_number_of_tables_for_one_address() -> dict[str, Any]:
    return {"tables_per_address": 10_000, "creations_per_address": MANY}


@defect("bounds/one-seat-too-many-from-one-address")
def gives_any_number_of_seats_to_one_address() -> dict[str, Any]:
    return {"seats_per_address": 10_000}


@defect("bounds/one-spectator-too-many")
def takes_any_number_of_spectators() -> dict[str, Any]:
    return {"spectators": 10_000}


@defect("trips/*")
def asks_nobody_how_far_away_it_is() -> None:
    RttMonitor._ask = lambda self, party: None


@defect("trips/who-does-not-answer-is-not-known")
def takes_silence_for_nearness() -> None:
    trip = RttMonitor.trip
    RttMonitor.trip = lambda self, party: trip(self, party) or 0.0


@defect("reading/who-comes-later-hears-how-long-seats-are-waited-for")
def states_one_wait_more_than_there_are_seats() -> None:
    waited = HostedMatch._waited
    HostedMatch._waited = lambda match: [*waited(match), None]


@defect("meeting/guest-who-did-not-appear")
def shows_whoever_has_gone() -> None:
    handlers.HANDLERS["vanish"] = lambda manager, peer: None


@defect(
    "meeting/data-before-the-other-has-opened",
    "meeting/pipe-of-two-who-are-not-seen",
    "meeting/pipe-with-somebody-who-is-seen",
    "meeting/more-than-a-window",
    "meeting/window-that-is-read",
    "meeting/grant-of-what-has-not-come",
)
def opens_pipes_that_one_has_asked_for() -> None:
    ask = Relays.ask

    def opened(pipes: Relays, peer: Peer, other: Peer | None, name: Any) -> bool:
        waits = ask(pipes, peer, other, name)
        if waits and other is not None:
            pipes._withdraw(peer, name)
            pipes._open(peer, other, name[1])
        return False

    Relays.ask = opened


@defect("meeting/more-than-a-window")
def carries_more_than_a_window() -> None:
    send = RelayDirection.send

    def sent(way: RelayDirection, data: bytes, patience: float) -> None:
        way._unread = min(way._unread, 0)
        send(way, data, patience)

    RelayDirection.send = sent


@defect("meeting/remark-that-steers-a-screen")
def passes_on_what_steers_a_screen() -> None:
    chat.check_remark = lambda remark: None


@defect("meeting/talk-in-a-flood")
def passes_on_all_talk() -> dict[str, Any]:
    return dict.fromkeys(("lobby_talk", "lobby_talk_per_address", "lobby_talk_in_all"), MANY)


@defect("witnesses/second-trade-for-a-slot", "witnesses/witness-that-is-killed")
def does_not_say_that_a_slot_is_spent() -> None:
    offer = Witness.offer

    def other(witness: Witness, trade: bytes, more: Any = ()) -> Any:
        try:
            return offer(witness, trade, more)
        except RemoteError as error:
            raise RemoteError(Code.NOT_OWNED if error.code is Code.SPENT else error.code) from None

    Witness.offer = other


@defect("witnesses/slots-that-are-spent-and-free")
def denies_what_it_signed() -> None:
    SlotMap.put = lambda spent, slot, trade: None


@defect("witnesses/log-that-goes-on")
def cannot_show_that_its_log_goes_on() -> None:
    MerkleLog.consistency = lambda log, old, new: ()
