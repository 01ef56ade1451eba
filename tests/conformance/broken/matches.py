"""Defects of the log: invalid entries that stand, lost entries, and missing messages."""

from dataclasses import replace
from typing import Any

from protocol.codes import Code
from protocol.dealing import TABLE
from protocol.errors import Refused
from protocol.match import fold
from protocol.match.fold import ENTRY_HANDLERS, Outcome
from protocol.match.log import Entry, Log, decode_entry
from protocol.match.state import Match
from protocol.messages import table as messages
from protocol.messages.table import MESSAGES, ConnectionPhase
from table.lobby.peer import Peer
from table.manager import handlers
from table.match import live_match
from table.match.clock import WaitTimes, tick
from table.match.hosted_match import HostedMatch
from table.match.live_match import LiveMatch
from table.match.log_broadcaster import LogBroadcaster, Party
from tests.conformance.broken.defect import Defects

DEFECTS = Defects()
defect = DEFECTS.defect


@defect("entries/entry-of-another-seat")
def posts_for_other_seats() -> None:
    offer = LiveMatch.offer
    LiveMatch.offer = lambda self, raw, seat: offer(self, raw, self.log.check(raw).author)


@defect(
    "entries/head-older-than-the-duty",
    "ligretto/act-that-has-not-seen-ones-own",
    "ligretto/act-that-crosses-a-rescue",
)
def accepts_stale_entries() -> None:
    judge = live_match.judge

    def broken(match: Match, entry: Entry) -> tuple[Match, Outcome]:
        try:
            return judge(match, entry)
        except Refused as refusal:
            if refusal.code is not Code.STALE:
                raise
            return judge(match, replace(entry, seen_number=match.next_number - 1))

    live_match.judge = broken


@defect(
    "entries/entry-posted-twice",
    "entries/sequence-one-too-high",
    "entries/sequence-of-2-to-the-62",
    "restart/entry-again-after-a-restart",
)
def skips_sequence_numbers() -> None:
    _let_pass(Code.WRONG_SEQUENCE)


@defect("entries/seen-*-of-another-log", "entries/seen-number-not-yet-there")
def skips_heads() -> None:
    _let_pass(Code.WRONG_HEAD)


@defect(
    "entries/entry-posted-twice",
    "entries/sequence-one-too-high",
    "entries/sequence-of-2-to-the-62",
    "restart/entry-again-after-a-restart",
)
def signs_its_refusals_for_another_head() -> None:
    refuse = HostedMatch.sign_refusal

    def broken(
        self: HostedMatch, party: Party, raw: bytes, seen: tuple[int, bytes], code: Code
    ) -> None:
        refuse(
            self, party, raw, (seen[0], bytes(32)) if code is Code.WRONG_SEQUENCE else seen, code
        )

    HostedMatch.sign_refusal = broken


def _let_pass(code: Code) -> None:
    """Accept entries that a log refuses with this code."""
    check = Log.check

    def broken(self: Log, raw: bytes) -> Entry:
        try:
            return check(self, raw)
        except Refused as refusal:
            if refusal.code is not code:
                raise
            return decode_entry(raw)

    Log.check = broken


@defect(
    "entries/author-is-the-table",
    "entries/author-is-another-seat",
    "entries/entry-of-another-seat-signed-by-us",
)
def takes_the_signature_of_any_seat() -> None:
    check = Log._check_signature

    def broken(self: Log, entry: Entry, match_id: bytes) -> None:
        try:
            check(self, entry, match_id)
        except Refused:
            check(self, replace(entry, author=0), match_id)

    Log._check_signature = broken


@defect("clock/seat-that-reads-nothing")
def waits_for_ever_for_who_reads_nothing() -> None:
    begin = WaitTimes.__init__
    WaitTimes.__init__ = lambda self, line_seconds: begin(self, 1e9)


@defect("clock/time-that-the-table-stood-still")
def counts_the_time_in_which_it_stood_still() -> None:
    WaitTimes.excuse = lambda self, first, now: None


@defect("clock/step-of-a-deal-that-takes-long")
def never_says_that_a_step_is_slow() -> None:
    Match.slow_due_after = lambda self, seat: None


@defect("entries/lapse-by-a-seat")
def lets_seats_say_that_others_lapse() -> None:
    judge = live_match.judge

    def broken(match: Match, entry: Entry) -> tuple[Match, Outcome]:
        by_a_seat = entry.kind == "lapse" and entry.author != TABLE
        return judge(
            match,
            replace(entry, author=TABLE, seen_number=match.next_number - 1) if by_a_seat else entry,
        )

    live_match.judge = broken


@defect("entries/ended-by-a-seat")
def lets_seats_end_the_match() -> None:
    judge = live_match.judge

    def broken(match: Match, entry: Entry) -> tuple[Match, Outcome]:
        by_a_seat = entry.kind == "ended" and entry.author != TABLE
        return judge(
            match,
            replace(entry, author=TABLE, seen_number=match.next_number - 1) if by_a_seat else entry,
        )

    live_match.judge = broken


@defect("entries/match-key-of-another-seat")
def accepts_copied_match_keys() -> None:
    sit = ENTRY_HANDLERS["sit"]

    def broken(match: Match, entry: Entry, *rest: Any) -> Match:
        try:
            return sit(match, entry, *rest)
        except Refused:
            return sit(match, replace(entry, body=[bytes([9]) + bytes(31), entry.body[1]]), *rest)

    ENTRY_HANDLERS["sit"] = broken


@defect("game/nonce-that-was-not-committed-to")
def accepts_any_nonce() -> None:
    class Anything(bytes):
        def __ne__(self, other: object) -> bool:
            return False

    fold.nonce_commitment = lambda *_: Anything()


@defect(
    "entries/receipt-with-points-of-ones-own",
    "entries/receipt-for-a-seat-too-many",
    "game/receipt-that-gives-a-partner-nothing",
)
def accepts_any_receipt() -> None:
    receipt = ENTRY_HANDLERS["receipt"]
    ENTRY_HANDLERS["receipt"] = lambda match, entry, *rest: receipt(
        match, replace(entry, body=match.receipt), *rest
    )


@defect("layered/hop-one-byte-*", "layered/hop-empty", "layered/slot-hop-one-byte-short")
def refuses_what_proves_a_fault() -> None:
    judge = live_match.judge

    def broken(match: Match, entry: Entry) -> tuple[Match, Outcome]:
        after, outcome = judge(match, entry)
        if entry.kind in ("hop", "slot_hop") and after.faults:
            raise Refused(Code.BAD_HOP)
        return after, outcome

    live_match.judge = broken


@defect(
    "reading/replay-in-the-middle-of-a-match",
    "reading/resume-of-a-running-match",
    "reading/resume-of-a-finished-match",
    "restart/table-killed-in-the-[!s]*",
    "restart/table-killed-in-the-s[!e]*",
    "restart/table-killed-in-the-selection",
    "restart/table-killed-[!i]*",
    "restart/table-killed-in-a-*",
    "restart/entry-again-after-a-restart",
    "restart/finished-match-after-a-restart",
    "restart/time-that-a-table-was-not-there",
    "restart/table-that-is-told-to-stop",
    "restart/nobody-is-there-after-a-restart",
)
def forgets_an_acknowledged_entry() -> None:
    replay = LogBroadcaster.replay

    def broken(self: LogBroadcaster, peer: Peer, number: int) -> bool:
        return replay(self, peer, number + (number == 0 and self.stored > 1))

    LogBroadcaster.replay = broken


@defect("reading/replay-from-one-beyond-the-end")
def waits_for_entries_to_come() -> None:
    replay = LogBroadcaster.replay
    LogBroadcaster.replay = lambda self, peer, number: replay(
        self, peer, min(number, self.stored) if number == 2 else number
    )


@defect("reading/post-by-a-spectator")
def lets_spectators_post() -> None:
    row = MESSAGES["post"]
    MESSAGES["post"] = row._replace(phases=row.phases | {ConnectionPhase.WATCHING})
    HostedMatch.post, post = (
        lambda self, peer, raw: peer.seat is not None and post(self, peer, raw),
        HostedMatch.post,
    )


@defect("reading/relay-that-a-spectator-must-not-see")
def shows_relays_to_spectators() -> None:
    relay = handlers.HANDLERS["relay"]

    def broken(manager: Any, peer: Peer, match_id: bytes, to: int, envelope: bytes) -> None:
        relay(manager, peer, match_id, to, envelope)
        for party, seat in peer.feed._parties.items():
            if seat is None:
                party.send(messages.encode("relayed", match_id, peer.seat, envelope))

    handlers.HANDLERS["relay"] = broken


@defect("reading/relay-of-an-envelope")
def says_that_relays_come_from_another() -> None:
    relay = handlers.HANDLERS["relay"]

    def broken(manager: Any, peer: Peer, match_id: bytes, to: int, envelope: bytes) -> None:
        peer.seat += 1
        try:
            relay(manager, peer, match_id, to, envelope)
        finally:
            peer.seat -= 1

    handlers.HANDLERS["relay"] = broken


@defect("reading/relay-to-a-seat-that-is-not-there")
def says_nothing_of_seats_that_are_not_there() -> None:
    relay = handlers.HANDLERS["relay"]

    def broken(manager: Any, peer: Peer, match_id: bytes, to: int, envelope: bytes) -> None:
        if peer.feed is None or to < len(peer.feed.people):
            relay(manager, peer, match_id, to, envelope)

    handlers.HANDLERS["relay"] = broken


@defect(
    "clock/*",
    "poker/bet-that-is-not-made",
    "ligretto/seat-that-sleeps",
    "leavers/share-withheld-*",
    "restart/time-that-a-table-was-not-there",
    "poker/hand-that-is-all-in-and-not-shown",
    "open-games/turn-that-lapses",
)
def hurries() -> None:
    HostedMatch.clock_rule = staticmethod(
        lambda duties, allowance, waited: tick(duties, allowance, lambda seat: waited(seat) * 20)
    )
