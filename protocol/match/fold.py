"""The fold: what a log means. Table, players, spectators and auditors all run `apply` over the same
entries.

No clock, socket, file or randomness. An entry either moves the state on, or is `Refused` (nothing
has changed, and it must not stand in the log), or proves a lie: then it stands in the log as
evidence, a fault names its author, and that seat is out as if it had left: a lie must never pay
more than leaving. Where seats act independently, an action that others overtook stands too, and is
only counted.
"""

from collections.abc import Callable, Set
from typing import Any, cast

from protocol.codes import Code
from protocol.crypto.joint_randomness import (Chance, nonce_commitment)
from protocol.crypto.envelopes import check_public
from protocol.dealing import TABLE, DealState, Fault, Loss
from protocol.dealing.operations import perform, seen_by_all, turned_by
from protocol.errors import Broken, Refused, RemoteError
from protocol.fast_replace import replace
from protocol.games import Act, ClaimGame, Hand, Over, Settle, SitOutGame, TurningGame, Want
from protocol.games.operations import EVERYBODY, Lay
from protocol.match import clock
from protocol.match.log import KINDS, Entry
from protocol.match.setup import Setup
from protocol.match.state import Match, Pending, Stage
from protocol.seats import with_seat


def begin(setup: Setup, match_id: bytes, opener: int = TABLE) -> Match:
    """The state after the first entry; `opener` is its author."""
    seats = setup.seats
    nobody, empty = (None,) * seats, (b"",) * seats
    match = Match(setup, match_id, last=opener, keys=nobody, commitments=empty, nonces=nobody)
    return replace(match, clock=clock.new_clock(seats), late=(0,) * seats)


def apply(match: Match, entry: Entry) -> Match:
    """The state after an entry that `Log.check` let through; its number is `match.number`.

    Raises: Refused, with nothing changed.
    """
    _check(match, entry)
    at = match.number
    match = replace(
        match, number=at + 1, size=match.size + len(entry.raw), last=entry.author, ended=None
    )
    try:
        after = HANDLERS.get(entry.kind, _dealing)(match, entry, at)
        return _end(after, ()) if after.full else after
    except Broken as lie:
        return _without(match, Fault(entry.author, at, lie.code))


def _check(match: Match, entry: Entry) -> None:
    """Everything about an entry that does not depend on what is in it."""
    if match.over:
        raise Refused(Code.MATCH_OVER)
    shape = KINDS.get(entry.kind) or match.setup.dealing.kinds.get(entry.kind)
    if shape is None or not shape(entry.body):
        raise Refused(Code.BAD_ENTRY)
    if entry.author == TABLE and entry.seen_number != match.number - 1:
        raise Refused(Code.STALE)
    if entry.author in match.gone or (not match.setup.has_table and entry.author != match.speaker):
        raise Refused(Code.NOT_NOW)
    if entry.kind in ("protest", "leave", "doubt", "sit_out", "sit_in"):
        if entry.author == TABLE:
            raise Refused(Code.WRONG_AUTHOR)
        return
    if entry.kind in clock.KINDS:
        if entry.author != TABLE:
            raise Refused(Code.WRONG_AUTHOR)
        return
    # else the action, too, says what the entry is: `_move`
    if entry.kind != "move" or match.independent is None:
        _check_turn(match, entry)


def _check_turn(match: Match, entry: Entry) -> None:
    """Whether its author may post this entry now, and has seen what it must have."""
    if not match.may(entry.author, entry.kind):
        raise Refused(Code.NOT_NOW)
    if entry.seen_number < match.must_have_seen(entry.author):
        raise Refused(Code.STALE)


def _end(match: Match, faults: tuple[Fault, ...]) -> Match:
    return replace(match, stage=Stage.OVER, faults=match.faults + faults)


def _next(match: Match, at: int) -> Match:
    """Go where the rules want to go."""
    want = match.setup.game.wants(match.game)
    independent = match.independently(want, at)
    if independent is not match.independent:
        match = replace(match, independent=independent)
    match want:
        case Lay() as wanted:
            deal = match.setup.dealing.begin(match.context(wanted), at)
            match = replace(
                match, stage=Stage.DEALING, began=at, deal=deal, clock=match.clock.new_deal()
            )
            # What had not seen the end of acting independently is late until the new deal is done.
            return replace(
                match, asked=True, actions=() if match.independent is None else match.actions
            )
        case tuple() as wanted:
            return _perform_wanted(match, wanted, at)
        case Act():
            return replace(match, stage=Stage.PLAYING, began=match.began if match.free else at)
        case Settle() if match.deal is None:
            return _settled(match, ((),) * match.setup.seats, ((),) * match.setup.seats, at)
        case Settle(show):
            return _resume(match, match.setup.dealing.close(match.deal, show, at), at)
        case Over():
            return replace(match, stage=Stage.RECEIPTS, began=at, deal=None)


def _perform_wanted(match: Match, want: Want, at: int) -> Match:
    """What rules want and the dealing protocol cannot do with this deal is no seat's fault: the
    deal ends there.

    What is done at once the rules hear at once, in a loop: they may ask for a thousand things one
    after the other.
    """
    while isinstance(want, tuple):
        try:
            deal = perform(match.setup.dealing, match.deal, EVERYBODY, want, [[] for _ in want], at)
        except Refused:
            return _broken_off(match, at)
        if deal.lost or not deal.ready:
            return _resume(replace(match, asked=True), deal, at)
        match = replace(
            match, deal=deal, game=match.setup.game.dealt(match.game, seen_by_all(deal, want))
        )
        want = match.setup.game.wants(match.game)
    return _next(replace(match, asked=False), at)


def _sit(match: Match, entry: Entry, at: int) -> Match:
    key, commitment = entry.body
    try:
        check_public(key)
    except RemoteError as error:
        raise Broken(error.code) from error
    # not a proof: a table and a seat in league could log the copy before the original
    if key in match.keys:
        raise Refused(Code.BAD_MATCH_KEY)
    keys = with_seat(match.keys, entry.author, key)
    commitments = with_seat(match.commitments, entry.author, commitment)
    match = replace(match, keys=keys, commitments=commitments)
    return match if None in keys else replace(match, stage=Stage.ROSTER, began=at)


def _nonce(match: Match, entry: Entry, at: int) -> Match:
    (nonce,) = entry.body
    if nonce_commitment(match.match_id, entry.author, nonce) != match.commitments[entry.author]:
        raise Broken(Code.BAD_NONCE)
    match = replace(match, nonces=with_seat(match.nonces, entry.author, nonce))
    if None in match.nonces:
        return match
    chance = Chance(match.match_id, [nonce for nonce in match.nonces if nonce is not None])
    return _next(replace(match, game=match.setup.started(match.match_id, chance)), at)


def _dealing(match: Match, entry: Entry, at: int) -> Match:
    """An entry of the dealing protocol; when it is done with what was asked of it, the rules go
    on.
    """
    deal = match.setup.dealing.apply(match.deal, entry.author, entry.kind, entry.body, at)
    return _resume(match, deal, at)


def _resume(match: Match, deal: DealState, at: int) -> Match:
    """Go on with a deal that has moved on: with its next steps, or with the game if it is done."""
    match = match if deal is match.deal else replace(match, deal=deal)
    if deal.result is not None:
        return _settle(match, deal, at)
    if deal.lost:
        return _broken_off(match, at)
    if not deal.ready:
        return replace(match, stage=Stage.DEALING)
    if match.pending is not None:
        return _next(_given(match, match.pending), at)
    want = match.setup.game.wants(match.game) if match.asked else None
    if isinstance(want, Lay | tuple):
        left = _unknown_to_rules(match)
        if isinstance(want, Lay):
            match = replace(match, actions=(), independent=None)
        match = _forfeited(
            replace(match, game=match.setup.game.dealt(match.game, seen_by_all(deal, want))), left
        )
    # Not asked: somebody has left meanwhile, and what the rules want since then is still to be
    # begun.
    return _next(replace(match, asked=False), at)


def _given(match: Match, taken: Pending) -> Match:
    """The match after the rules were given an action, whose entry is noted: they only count
    actions.
    """
    rules, game = match.setup.game, match.game
    if taken.turned:
        game = cast(TurningGame, rules).turned(game, taken.seat, taken.turned)
    game = rules.apply(game, taken.seat, taken.action)
    free = match.independent and match.independent.after(taken.seat, taken.at)
    return replace(
        match, game=game, pending=None, actions=(*match.actions, taken.at), independent=free
    )


def _settle(match: Match, deal: DealState, at: int) -> Match:
    assert deal.result is not None
    if deal.result.faults:
        return _misplayed(match, match.game, deal.result.faults, at)
    return _settled(match, deal.result.dealt, deal.result.drawn, at)


def _settled(match: Match, dealt: tuple[Hand, ...], drawn: tuple[Hand, ...], at: int) -> Match:
    """A hand is over; none is shown whose deal was dropped, since nobody is left to show it to."""
    game, misplays = match.setup.game.settle(match.game, dealt, drawn)
    if misplays and match.deal is not None:
        faults = tuple(
            Fault(wrong.seat, match.actions[wrong.action], wrong.code) for wrong in misplays
        )
        return _misplayed(match, game, faults, at)
    return _next(_without_deal(replace(match, game=game)), at)


def _without_deal(match: Match) -> Match:
    """The match when its deal is over, however it ended."""
    number = match.deal_number + 1
    return replace(
        match, deal=None, ended=match.deal, deal_number=number, pending=None, asked=False
    )


def _broken_off(match: Match, at: int) -> Match:
    """Cards are wanted that too few are left to open: the rules settle the hand without; else the
    match is over.
    """
    game = match.setup.game.abandon(match.game)
    if game is None:
        return _end(match, ())
    return _next(_without_deal(replace(match, game=game, broken_off=match.broken_off + 1)), at)


def _misplayed(match: Match, game: Any, faults: tuple[Fault, ...], at: int) -> Match:
    """What was false out of sight is known when a hand is settled: the others play on, as if its
    authors had left.

    A table that was false is not one to play on at.
    """
    wrong = match.present.intersection(fault.seat for fault in faults)
    lost = [match.setup.dealing.leave(match.deal, seat, at) for seat in wrong]
    if Loss.VOID in lost or wrong in (frozenset(), match.present):
        return _end(match, faults)
    match = replace(match, game=game, gone=match.gone | wrong, faults=match.faults + faults)
    return _next(_without_deal(_forfeited(match, wrong)), at)


def _move(match: Match, entry: Entry, at: int) -> Match:
    rules = match.setup.game
    action = rules.parse(entry.body[0])
    try:
        if match.independent is not None:
            _check_turn(match, entry)
        operations = rules.check(match.game, entry.author, action)
    except Refused:
        if not match.overtaken(entry.author, action, entry.seen_number):
            raise
        return _late(match, entry.author, at)
    deal = perform(match.setup.dealing, match.deal, entry.author, operations, entry.body[1], at)
    pending = Pending(entry.author, action, at, turned_by(match.setup.dealing, deal, operations))
    match = replace(match, clock=match.clock.moved(entry.author), pending=pending)
    return _next(_given(match, pending), at) if deal is None else _resume(match, deal, at)


def _late(match: Match, seat: int, at: int) -> Match:
    """The match after an action that was overtaken: it is counted, and its author is waited for
    anew.
    """
    free, late = match.independent and match.independent.after(seat, at), match.late[seat] + 1
    return replace(
        match,
        clock=match.clock.moved(seat),
        late=with_seat(match.late, seat, late),
        independent=free,
    )


def _receipt(match: Match, entry: Entry, at: int) -> Match:
    if entry.body != match.receipt:
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


def _sit_out(match: Match, entry: Entry, at: int) -> Match:
    """A seat sits out, or is back. Its turn ends with that; but no step, nor anything that is still
    on its way.
    """
    seat, rules, out = entry.author, match.setup.game, entry.kind == "sit_out"
    if match.sitting(seat) != entry.kind:
        raise Refused(Code.NOT_NOW)
    match = replace(match, game=cast(SitOutGame, rules).sit(match.game, seat, out))
    action = (
        rules.timeout(match.game, seat)
        if out and match.on_turn and match.may(seat, "move")
        else None
    )
    return match if action is None else _next(_given(match, Pending(seat, action, at)), at)


def _time(match: Match, entry: Entry, at: int) -> Match:
    """A word of the table about the time of a seat that has a duty; never before it is due."""
    seat, waited = entry.body
    after = (
        match.slow_after(seat) if entry.kind == clock.SLOW else _due_after(match, seat, entry.kind)
    )
    if after is None:
        raise Refused(Code.NOT_NOW)
    if waited < after:
        raise Refused(Code.TOO_EARLY)
    if entry.kind == clock.LAPSE:
        declared = match.clock.declared(clock.Lapse(at, seat, waited))
        return _lapse(replace(match, clock=declared), seat, at)
    return replace(
        match, clock=clock.post(match.clock, entry.kind, seat, match.since(seat), waited)
    )


def _due_after(match: Match, seat: int, kind: str) -> int | None:
    due = match.due(seat)
    return due.after if due is not None and due.kind == kind else None


def _doubt(match: Match, entry: Entry, at: int) -> Match:
    """A seat knows that the table did not wait so long. It is noted, and changes nothing: nobody
    can tell who lies.
    """
    if entry.body[0] > entry.seen_number:
        raise Refused(Code.STALE)
    return replace(match, clock=match.clock.doubted(entry.author, *entry.body))


def _lapse(match: Match, seat: int, at: int) -> Match:
    """A seat's time is over. On a turn the rules may know what to do without it; else, and in the
    end, it has left.
    """
    rules = match.setup.game
    action = rules.timeout(match.game, seat) if match.stage is Stage.PLAYING else None
    if action is None or not match.clock.patient(seat):
        return _without(match, Fault(seat, at, Code.LAPSED))
    match = silent(match, seat) or _given(match, Pending(seat, action, at))
    return _next(replace(match, clock=match.clock.lapsed(seat)), at)


def silent(match: Match, seat: int) -> Match | None:
    """The match when a seat does not show what it has to and the others will; None: they cannot, or
    need not.
    """
    rules, deal = match.setup.game, match.deal
    game = (
        rules.lapse(match.game, seat, False)
        if deal is not None and isinstance(rules, ClaimGame)
        else None
    )
    deal = None if game is None else match.setup.dealing.stand_in(deal, seat)
    return None if deal is None else replace(match, game=game, deal=deal)


def _without(match: Match, fault: Fault) -> Match:
    """A seat has left or lied: the others play on, if the dealing protocol lets them; else the
    match is over.
    """
    seat, at, deal = fault.seat, fault.entry, match.deal
    if (
        match.stage not in (Stage.DEALING, Stage.PLAYING)
        or match.present == {seat}
        or seat == TABLE
    ):
        return _end(match, (fault,))
    if deal is not None and seat in deal.context.present:
        left = match.setup.dealing.leave(deal, seat, at)
        if left is Loss.VOID:
            return _end(match, (fault,))
        deal = None if isinstance(left, Loss) else left
    if match.pending is not None and match.pending.seat == seat:
        match = _given(match, match.pending)
    waiting = _unknown_to_rules(match)
    match = replace(match, gone=match.gone | {seat}, faults=(*match.faults, fault))
    if deal is None:
        match = _unclaimed(_forfeited(match, waiting | {seat}))
        return _next(match if match.deal is None else _without_deal(match), at)
    match = match if seat in _unknown_to_rules(match) else _gone(match, fault)
    # The match may be won by that: what the deal still owes must not be settled then, nor break
    # off.
    return _next(_without_deal(match), at) if _decided(match) else _resume(match, deal, at)


def _gone(match: Match, fault: Fault) -> Match:
    """The rules hear that a seat is out; one that could only show, and was silent, keeps its
    claim.
    """
    rules = match.setup.game
    keeps = fault.code is Code.LAPSED and match.deal is not None and isinstance(rules, ClaimGame)
    game = cast(ClaimGame, rules).lapse(match.game, fault.seat, True) if keeps else None
    return _forfeited(match, {fault.seat}) if game is None else replace(match, game=game)


def _unclaimed(match: Match) -> Match:
    """Without a deal nobody's hand can be opened."""
    rules = match.setup.game
    claims = match.deal is not None and isinstance(rules, ClaimGame)
    return replace(match, game=cast(ClaimGame, rules).unclaimed(match.game)) if claims else match


def _unknown_to_rules(match: Match) -> frozenset[int]:
    """Seats that left while they were dealt to: the rules hear of it when that is done, and they
    lose the hand.
    """
    laying = match.asked and isinstance(match.setup.game.wants(match.game), Lay)
    return (
        match.gone.intersection(match.deal.context.present)
        if laying and match.deal
        else frozenset()
    )


def _forfeited(match: Match, seats: Set[int]) -> Match:
    for seat in sorted(seats):
        if not _decided(match):  # else the rules have no use for who goes at the same time
            match = replace(match, game=match.setup.game.forfeit(match.game, seat))
    return match


def _decided(match: Match) -> bool:
    """Whether the rules want nothing more."""
    return isinstance(match.setup.game.wants(match.game), Over)


HANDLERS: dict[str, Callable[[Match, Entry, int], Match]] = {
    "sit": _sit,
    "nonce": _nonce,
    "move": _move,
    "receipt": _receipt,
    "protest": _protest,
    "leave": _leave,
    "doubt": _doubt,
    "sit_out": _sit_out,
    "sit_in": _sit_out,
    "warning": _time,
    "extension": _time,
    "lapse": _time,
    "slow": _time,
}
