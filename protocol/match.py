"""The fold: what a log means. Table, players, spectators and auditors all run `apply` over the same entries.

No clock, socket, file or randomness. An entry either moves the state on, or is `Refused` (nothing has changed, and
it must not stand in the log), or proves a lie: then it stands in the log as evidence, a fault names its author, and
the match is over.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.dealing import TABLE, Context, DealState, Duty, Fault, Loss
from protocol.errors import Broken, Refused, RemoteError
from protocol.games import Act, Action, Deal, Draw, Open, Over, Settle
from protocol.limits import MAX_SEATS
from protocol.log import Entry
from protocol.schema import Shape, exactly, fields, many, uint
from protocol.sealed import check_public
from protocol.setup import Setup


class Stage(StrEnum):
    """Where a match stands."""

    SEATING = "seating"  # every seat posts its match key and commits to a nonce
    ROSTER = "roster"  # every seat opens its nonce, which makes the roster's words unpredictable
    DEALING = "dealing"  # the dealing protocol is at work
    PLAYING = "playing"  # a seat is to act
    RECEIPTS = "receipts"  # every seat signs the final score
    OVER = "over"


# kinds that the match itself knows, beside those of the dealing protocol: what stands in their bodies
KINDS: dict[str, Shape] = {
    "sit": fields(exactly(32), exactly(32)),  # public match key; commitment to the roster nonce
    "nonce": fields(exactly(32)),  # the roster nonce
    "move": fields(lambda action: type(action) is list, lambda part: type(part) is list),
    "receipt": fields(many(uint(), 1, MAX_SEATS)),  # the score of every seat
    "protest": fields(uint()),  # the log number of the entry that is wrong
    "leave": fields(),
    "lapse": fields(uint(MAX_SEATS - 1)),  # the table: this seat has not answered
}


class Pending(NamedTuple):
    """An action whose hidden piece is still on its way."""

    seat: int
    action: Action
    at: int


@dataclass(frozen=True)
class Match:
    """The public state of one match. Frozen: `apply` gives the next one."""

    setup: Setup
    match_id: bytes
    number: int = 1  # entries folded so far
    stage: Stage = Stage.SEATING
    began: int = 0  # log number of the entry since which the present duties stand
    keys: tuple[bytes | None, ...] = ()  # public match keys, by seat
    commitments: tuple[bytes, ...] = ()  # to the roster nonces, by seat
    nonces: tuple[bytes | None, ...] = ()
    game: Any = None  # the rules' own state
    deal: DealState | None = None
    deal_number: int = 0
    pending: Pending | None = None
    receipts: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()  # seats that have left, when the others play on without them
    faults: tuple[Fault, ...] = ()

    @property
    def over(self) -> bool:
        """Whether nothing more can happen."""
        return self.stage is Stage.OVER

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of each seat so far, as the rules count them."""
        if self.game is None:
            return (0,) * self.setup.seats
        return self.setup.game.scores(self.game)

    @property
    def winner(self) -> int | None:
        """The seat that won, once the match has been played to its end."""
        return self.setup.game.winner(self.game) if self.over and self.receipts >= self.present else None

    @property
    def present(self) -> frozenset[int]:
        """The seats that have not left."""
        return frozenset(range(self.setup.seats)) - self.gone

    def duties(self) -> tuple[Duty, ...]:
        """Who must post what before the match can go on."""
        seats = sorted(self.present)
        match self.stage:
            case Stage.SEATING:
                return tuple(Duty(seat, "sit") for seat in seats if self.keys[seat] is None)
            case Stage.ROSTER:
                return tuple(Duty(seat, "nonce") for seat in seats if self.nonces[seat] is None)
            case Stage.DEALING:
                return self.deal.duties() if self.deal else ()
            case Stage.PLAYING:
                want = self.setup.game.wants(self.game)
                return tuple(Duty(seat, "move") for seat in want.seats) if isinstance(want, Act) else ()
            case Stage.RECEIPTS:
                return tuple(Duty(seat, "receipt") for seat in seats if seat not in self.receipts)
            case Stage.OVER:
                return ()


def nonce_commitment(match_id: bytes, seat: int, nonce: bytes) -> bytes:
    """What a seat posts with its match key, before any seat opens its 32-byte roster nonce."""
    return digest("roster nonce", match_id, seat, nonce)


def begin(setup: Setup, match_id: bytes) -> Match:
    """The state after the first entry."""
    nobody = (None,) * setup.seats
    return Match(setup, match_id, keys=nobody, commitments=(b"",) * setup.seats, nonces=nobody)


def apply(match: Match, entry: Entry) -> Match:
    """The state after an entry that `Log.check` let through; its number is `match.number`.

    Raises: Refused, with nothing changed.
    """
    _check(match, entry)
    at = match.number
    match = replace(match, number=at + 1)
    try:
        return HANDLERS.get(entry.kind, _dealing)(match, entry, at)
    except Broken as lie:
        return _end(match, (Fault(entry.author, at, lie.code),))


def fault_of_refused(match: Match, entry: Entry, code: Code) -> tuple[Fault, ...]:
    """Whom to name for an entry that stands in a log although it must be refused.

    The table always: it runs the same fold. The author too if it had seen everything before: then nothing that
    it did not know of can have put it in the wrong.
    """
    faults = [Fault(TABLE, match.number, Code.TABLE_ACCEPTED)] if entry.author != TABLE else []
    if entry.author == TABLE or entry.seen_number == match.number - 1:
        faults.append(Fault(entry.author, match.number, code))
    return tuple(faults)


def _check(match: Match, entry: Entry) -> None:
    """Everything about an entry that does not depend on what is in it."""
    if match.over:
        raise Refused(Code.MATCH_OVER)
    shape = KINDS.get(entry.kind) or match.setup.dealing.kinds.get(entry.kind)
    if shape is None or not shape(entry.body):
        raise Refused(Code.BAD_ENTRY)
    if entry.author == TABLE and entry.seen_number != match.number - 1:
        raise Refused(Code.STALE)
    if entry.author in match.gone:
        raise Refused(Code.NOT_NOW)
    if entry.kind in ("protest", "leave"):
        if entry.author == TABLE:
            raise Refused(Code.WRONG_AUTHOR)
        return
    if entry.kind == "lapse":
        if entry.author != TABLE:
            raise Refused(Code.WRONG_AUTHOR)
        return
    if Duty(entry.author, entry.kind) not in match.duties():
        raise Refused(Code.NOT_NOW)
    if entry.seen_number < (match.deal.began if match.stage is Stage.DEALING and match.deal else match.began):
        raise Refused(Code.STALE)


def _end(match: Match, faults: tuple[Fault, ...]) -> Match:
    return replace(match, stage=Stage.OVER, faults=match.faults + faults)


def _next(match: Match, at: int) -> Match:
    """Go where the rules want to go."""
    match match.setup.game.wants(match.game):
        case Deal(each):
            deal = match.setup.dealing.begin(_context(match, each), at)
            return replace(match, stage=Stage.DEALING, began=at, deal=deal)
        case Act():
            return replace(match, stage=Stage.PLAYING, began=at)
        case Settle():
            assert match.deal is not None
            deal = match.setup.dealing.close(match.deal, at)
            return _resume(replace(match, stage=Stage.DEALING, deal=deal), deal, at)
        case Over():
            return replace(match, stage=Stage.RECEIPTS, began=at, deal=None)


def _context(match: Match, each: int) -> Context:
    return Context(
        match.match_id,
        match.deal_number,
        match.setup.table_key,
        tuple(person.identity for person in match.setup.people),
        tuple(key for key in match.keys if key is not None),
        tuple(sorted(match.present)),
        len(match.setup.game.pieces),
        each,
        dict(match.setup.dealing_options),
    )


def _sit(match: Match, entry: Entry, at: int) -> Match:
    key, commitment = entry.body
    try:
        check_public(key)
    except RemoteError as error:
        raise Broken(error.code) from error
    if key in match.keys:  # not a proof: a table and a seat in league could log the copy before the original
        raise Refused(Code.BAD_MATCH_KEY)
    keys = _at_seat(match.keys, entry.author, key)
    commitments = _at_seat(match.commitments, entry.author, commitment)
    match = replace(match, keys=keys, commitments=commitments)
    return match if None in keys else replace(match, stage=Stage.ROSTER, began=at)


def _at_seat(values: tuple[Any, ...], seat: int, value: Any) -> tuple[Any, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


def _nonce(match: Match, entry: Entry, at: int) -> Match:
    (nonce,) = entry.body
    if nonce_commitment(match.match_id, entry.author, nonce) != match.commitments[entry.author]:
        raise Broken(Code.BAD_NONCE)
    match = replace(match, nonces=_at_seat(match.nonces, entry.author, nonce))
    if None in match.nonces:
        return match
    return _next(replace(match, game=match.setup.game.start()), at)


def _dealing(match: Match, entry: Entry, at: int) -> Match:
    """An entry of the dealing protocol; when it is done with what was asked of it, the rules go on."""
    deal = match.setup.dealing.apply(match.deal, entry.author, entry.kind, entry.body, at)
    return _resume(replace(match, deal=deal), deal, at)


def _resume(match: Match, deal: DealState, at: int) -> Match:
    if deal.result is not None:
        return _settle(match, deal, at)
    if not deal.ready:
        return match
    if match.pending is not None:
        seat, action, acted_at = match.pending
        game = match.setup.game.apply(match.game, seat, action, acted_at)
        return _next(replace(match, game=game, pending=None), at)
    if isinstance(match.setup.game.wants(match.game), Deal):
        match = replace(match, game=match.setup.game.dealt(match.game))
    return _next(match, at)


def _settle(match: Match, deal: DealState, at: int) -> Match:
    assert deal.result is not None
    if deal.result.faults:
        return _end(match, deal.result.faults)
    game, misplays = match.setup.game.settle(match.game, deal.result.dealt, deal.result.drawn)
    if misplays:
        return _end(match, tuple(Fault(wrong.seat, wrong.entry, wrong.code) for wrong in misplays))
    return _next(replace(match, game=game, deal_number=match.deal_number + 1), at)


def _move(match: Match, entry: Entry, at: int) -> Match:
    rules, dealing = match.setup.game, match.setup.dealing
    assert match.deal is not None
    action = rules.parse(entry.body[0])
    part = entry.body[1]
    match rules.check(match.game, entry.author, action):
        case Open(piece):
            deal = dealing.open(match.deal, entry.author, piece, part, at)
        case Draw():
            deal = dealing.draw(match.deal, entry.author, part, at)
        case None:
            deal = match.deal
            if part:
                raise Refused(Code.BAD_ENTRY)
    pending = replace(match, stage=Stage.DEALING, deal=deal, pending=Pending(entry.author, action, at))
    return _resume(pending, deal, at)


def _receipt(match: Match, entry: Entry, at: int) -> Match:
    if tuple(entry.body[0]) != match.scores:
        raise Refused(Code.WRONG_SCORES)
    receipts = match.receipts | {entry.author}
    stage = Stage.OVER if receipts >= match.present else match.stage
    return replace(match, receipts=receipts, stage=stage)


def _protest(match: Match, entry: Entry, at: int) -> Match:
    (about,) = entry.body
    if match.deal is None or match.deal.result is not None:
        raise Refused(Code.NOT_NOW)
    if about > entry.seen_number:
        raise Refused(Code.STALE)
    deal = match.setup.dealing.protest(match.deal, entry.author, at)
    return replace(match, stage=Stage.DEALING, deal=deal, pending=None)


def _leave(match: Match, entry: Entry, at: int) -> Match:
    return _without(match, Fault(entry.author, at, Code.LEFT))


def _lapse(match: Match, entry: Entry, at: int) -> Match:
    (seat,) = entry.body
    if all(duty.author != seat for duty in match.duties()):
        raise Refused(Code.NOT_NOW)
    return _without(match, Fault(seat, at, Code.LAPSED))


def _without(match: Match, fault: Fault) -> Match:
    """A seat has left for good: the others play on, if the dealing protocol lets them; else the match is over."""
    if match.deal is None or match.stage not in (Stage.DEALING, Stage.PLAYING):
        return _end(match, (fault,))
    seat, at = fault.seat, fault.entry
    deal = match.setup.dealing.leave(match.deal, seat, at)
    if deal is Loss.VOID:
        return _end(match, (fault,))
    rules, game, pending = match.setup.game, match.game, match.pending
    if pending is not None and pending.seat == seat:
        game, pending = rules.apply(game, seat, pending.action, pending.at), None
    match = replace(
        match,
        game=rules.forfeit(game, seat),
        pending=pending,
        gone=match.gone | {seat},
        faults=(*match.faults, fault),
    )
    if deal is Loss.DROPPED:
        return _next(replace(match, deal_number=match.deal_number + 1), at)
    assert not isinstance(deal, Loss)
    return _resume(replace(match, stage=Stage.DEALING, deal=deal), deal, at)


HANDLERS: dict[str, Callable[[Match, Entry, int], Match]] = {
    "sit": _sit,
    "nonce": _nonce,
    "move": _move,
    "receipt": _receipt,
    "protest": _protest,
    "leave": _leave,
    "lapse": _lapse,
}
