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
from protocol.crypto.envelopes import check_public
from protocol.crypto.joint_randomness import JointRandomness, nonce_commitment
from protocol.dealing import TABLE, DealLoss, DealState, Fault
from protocol.dealing.operations import apply_operations, public_pieces, turned_pieces_of
from protocol.errors import ProtocolViolation, Refused, RemoteError
from protocol.fast_replace import replace
from protocol.games import Act, ClaimGame, Hand, Over, Settle, SitOutGame, TurningGame, Want
from protocol.games.operations import EVERYBODY, Lay
from protocol.match import clock
from protocol.match.log import MATCH_ENTRY_SHAPES, Entry
from protocol.match.setup import Setup
from protocol.match.state import Match, MatchStage, PendingAction
from protocol.seats import with_seat


def begin(setup: Setup, match_id: bytes, opener: int = TABLE) -> Match:
    """The state after the first entry; `opener` is its author."""
    seats = setup.seats
    nobody, empty = (None,) * seats, (b"",) * seats
    match = Match(
        setup, match_id, last_author=opener, keys=nobody, commitments=empty, nonces=nobody
    )
    return replace(match, clock=clock.new_clock(seats), late_counts=(0,) * seats)


def apply(match: Match, entry: Entry) -> Match:
    """The state after an entry that `Log.check` let through; its number is `match.number`.

    Raises: Refused, with nothing changed.
    """
    _check_entry(match, entry)
    at = match.next_number
    match = replace(
        match,
        next_number=at + 1,
        log_bytes=match.log_bytes + len(entry.raw),
        last_author=entry.author,
        closed_deal=None,
    )
    try:
        after = ENTRY_HANDLERS.get(entry.kind, _apply_dealing)(match, entry, at)
        return _end_match(after, ()) if after.is_log_full else after
    except ProtocolViolation as lie:
        return _remove_seat(match, Fault(entry.author, at, lie.code))


def _check_entry(match: Match, entry: Entry) -> None:
    """Everything about an entry that does not depend on what is in it."""
    if match.over:
        raise Refused(Code.MATCH_OVER)
    shape = MATCH_ENTRY_SHAPES.get(entry.kind) or match.setup.dealing.entry_shapes.get(entry.kind)
    if shape is None or not shape(entry.body):
        raise Refused(Code.BAD_ENTRY)
    if entry.author == TABLE and entry.seen_number != match.next_number - 1:
        raise Refused(Code.STALE)
    if entry.author in match.gone or (
        not match.setup.has_table and entry.author != match.next_author
    ):
        raise Refused(Code.NOT_NOW)
    if entry.kind in ("protest", "leave", "doubt", "sit_out", "sit_in"):
        if entry.author == TABLE:
            raise Refused(Code.WRONG_AUTHOR)
        return
    if entry.kind in clock.CLOCK_KINDS:
        if entry.author != TABLE:
            raise Refused(Code.WRONG_AUTHOR)
        return
    # else the action, too, says what the entry is: `_apply_move`
    if entry.kind != "move" or match.simultaneous is None:
        _check_turn(match, entry)


def _check_turn(match: Match, entry: Entry) -> None:
    """Whether its author may post this entry now, and has seen what it must have."""
    if not match.may_post(entry.author, entry.kind):
        raise Refused(Code.NOT_NOW)
    if entry.seen_number < match.required_seen(entry.author):
        raise Refused(Code.STALE)


def _end_match(match: Match, faults: tuple[Fault, ...]) -> Match:
    return replace(match, stage=MatchStage.OVER, faults=match.faults + faults)


def _advance(match: Match, at: int) -> Match:
    """Go where the rules want to go."""
    want = match.setup.game.wants(match.game)
    independent = match.simultaneous_under(want, at)
    if independent is not match.simultaneous:
        match = replace(match, simultaneous=independent)
    match want:
        case Lay() as wanted:
            deal = match.setup.dealing.begin(match.deal_context(wanted), at)
            match = replace(
                match,
                stage=MatchStage.DEALING,
                duties_since=at,
                deal=deal,
                clock=match.clock.reset_for_deal(),
            )
            # What had not seen the end of acting independently is late until the new deal is done.
            return replace(
                match,
                deal_requested=True,
                action_entries=() if match.simultaneous is None else match.action_entries,
            )
        case tuple() as wanted:
            return _perform_requested(match, wanted, at)
        case Act():
            return replace(
                match,
                stage=MatchStage.PLAYING,
                duties_since=match.duties_since if match.active_simultaneous else at,
            )
        case Settle() if match.deal is None:
            return _score_hand(match, ((),) * match.setup.seats, ((),) * match.setup.seats, at)
        case Settle(show):
            return _continue_deal(match, match.setup.dealing.close(match.deal, show, at), at)
        case Over():
            return replace(match, stage=MatchStage.RECEIPTS, duties_since=at, deal=None)


def _perform_requested(match: Match, want: Want, at: int) -> Match:
    """What rules want and the dealing protocol cannot do with this deal is no seat's fault: the
    deal ends there.

    What is done at once the rules hear at once, in a loop: they may ask for a thousand things one
    after the other.
    """
    while isinstance(want, tuple):
        try:
            deal = apply_operations(
                match.setup.dealing, match.deal, EVERYBODY, want, [[] for _ in want], at
            )
        except Refused:
            return _abandon_deal(match, at)
        if deal.is_stuck or not deal.ready:
            return _continue_deal(replace(match, deal_requested=True), deal, at)
        match = replace(
            match,
            deal=deal,
            game=match.setup.game.after_deal(match.game, public_pieces(deal, want)),
        )
        want = match.setup.game.wants(match.game)
    return _advance(replace(match, deal_requested=False), at)


def _apply_sit(match: Match, entry: Entry, at: int) -> Match:
    key, commitment = entry.body
    try:
        check_public(key)
    except RemoteError as error:
        raise ProtocolViolation(error.code) from error
    # not a proof: a table and a seat in league could log the copy before the original
    if key in match.keys:
        raise Refused(Code.BAD_MATCH_KEY)
    keys = with_seat(match.keys, entry.author, key)
    commitments = with_seat(match.commitments, entry.author, commitment)
    match = replace(match, keys=keys, commitments=commitments)
    return match if None in keys else replace(match, stage=MatchStage.ROSTER, duties_since=at)


def _apply_nonce(match: Match, entry: Entry, at: int) -> Match:
    (nonce,) = entry.body
    if nonce_commitment(match.match_id, entry.author, nonce) != match.commitments[entry.author]:
        raise ProtocolViolation(Code.BAD_NONCE)
    match = replace(match, nonces=with_seat(match.nonces, entry.author, nonce))
    if None in match.nonces:
        return match
    chance = JointRandomness(match.match_id, [nonce for nonce in match.nonces if nonce is not None])
    return _advance(replace(match, game=match.setup.start_game(match.match_id, chance)), at)


def _apply_dealing(match: Match, entry: Entry, at: int) -> Match:
    """An entry of the dealing protocol; when it is done with what was asked of it, the rules go
    on.
    """
    deal = match.setup.dealing.apply(match.deal, entry.author, entry.kind, entry.body, at)
    return _continue_deal(match, deal, at)


def _continue_deal(match: Match, deal: DealState, at: int) -> Match:
    """Go on with a deal that has moved on: with its next steps, or with the game if it is done."""
    match = match if deal is match.deal else replace(match, deal=deal)
    if deal.result is not None:
        return _close_deal(match, deal, at)
    if deal.is_stuck:
        return _abandon_deal(match, at)
    if not deal.ready:
        return replace(match, stage=MatchStage.DEALING)
    if match.pending_action is not None:
        return _advance(_apply_action(match, match.pending_action), at)
    want = match.setup.game.wants(match.game) if match.deal_requested else None
    if isinstance(want, Lay | tuple):
        left = _unreported_leavers(match)
        if isinstance(want, Lay):
            match = replace(match, action_entries=(), simultaneous=None)
        match = _forfeit_seats(
            replace(match, game=match.setup.game.after_deal(match.game, public_pieces(deal, want))),
            left,
        )
    # Not asked: somebody has left meanwhile, and what the rules want since then is still to be
    # begun.
    return _advance(replace(match, deal_requested=False), at)


def _apply_action(match: Match, taken: PendingAction) -> Match:
    """The match after the rules were given an action, whose entry is noted: they only count
    actions.
    """
    rules, game = match.setup.game, match.game
    if taken.turned_pieces:
        game = cast(TurningGame, rules).after_turn(game, taken.seat, taken.turned_pieces)
    game = rules.apply(game, taken.seat, taken.action)
    free = match.simultaneous and match.simultaneous.record_action(taken.seat, taken.at)
    return replace(
        match,
        game=game,
        pending_action=None,
        action_entries=(*match.action_entries, taken.at),
        simultaneous=free,
    )


def _close_deal(match: Match, deal: DealState, at: int) -> Match:
    assert deal.result is not None
    if deal.result.faults:
        return _convict_misplays(match, match.game, deal.result.faults, at)
    return _score_hand(match, deal.result.dealt, deal.result.drawn, at)


def _score_hand(match: Match, dealt: tuple[Hand, ...], drawn: tuple[Hand, ...], at: int) -> Match:
    """A hand is over; none is shown whose deal was dropped, since nobody is left to show it to."""
    game, misplays = match.setup.game.settle(match.game, dealt, drawn)
    if misplays and match.deal is not None:
        faults = tuple(
            Fault(wrong.seat, match.action_entries[wrong.action], wrong.code) for wrong in misplays
        )
        return _convict_misplays(match, game, faults, at)
    return _advance(_clear_deal(replace(match, game=game)), at)


def _clear_deal(match: Match) -> Match:
    """The match when its deal is over, however it ended."""
    number = match.deal_number + 1
    return replace(
        match,
        deal=None,
        closed_deal=match.deal,
        deal_number=number,
        pending_action=None,
        deal_requested=False,
    )


def _abandon_deal(match: Match, at: int) -> Match:
    """Cards are wanted that too few are left to open: the rules settle the hand without; else the
    match is over.
    """
    game = match.setup.game.abandon(match.game)
    if game is None:
        return _end_match(match, ())
    return _advance(
        _clear_deal(replace(match, game=game, abandoned_deals=match.abandoned_deals + 1)), at
    )


def _convict_misplays(match: Match, game: Any, faults: tuple[Fault, ...], at: int) -> Match:
    """What was false out of sight is known when a hand is settled: the others play on, as if its
    authors had left.

    A table that was false is not one to play on at.
    """
    wrong = match.present.intersection(fault.seat for fault in faults)
    lost = [match.setup.dealing.leave(match.deal, seat, at) for seat in wrong]
    if DealLoss.VOID in lost or wrong in (frozenset(), match.present):
        return _end_match(match, faults)
    match = replace(match, game=game, gone=match.gone | wrong, faults=match.faults + faults)
    return _advance(_clear_deal(_forfeit_seats(match, wrong)), at)


def _apply_move(match: Match, entry: Entry, at: int) -> Match:
    rules = match.setup.game
    action = rules.parse(entry.body[0])
    try:
        if match.simultaneous is not None:
            _check_turn(match, entry)
        operations = rules.check(match.game, entry.author, action)
    except Refused:
        if not match.is_overtaken(entry.author, action, entry.seen_number):
            raise
        return _count_late(match, entry.author, at)
    deal = apply_operations(
        match.setup.dealing, match.deal, entry.author, operations, entry.body[1], at
    )
    pending = PendingAction(
        entry.author, action, at, turned_pieces_of(match.setup.dealing, deal, operations)
    )
    match = replace(match, clock=match.clock.after_move(entry.author), pending_action=pending)
    return (
        _advance(_apply_action(match, pending), at)
        if deal is None
        else _continue_deal(match, deal, at)
    )


def _count_late(match: Match, seat: int, at: int) -> Match:
    """The match after an action that was overtaken: it is counted, and its author is waited for
    anew.
    """
    free, late = (
        match.simultaneous and match.simultaneous.record_action(seat, at),
        match.late_counts[seat] + 1,
    )
    return replace(
        match,
        clock=match.clock.after_move(seat),
        late_counts=with_seat(match.late_counts, seat, late),
        simultaneous=free,
    )


def _apply_receipt(match: Match, entry: Entry, at: int) -> Match:
    if entry.body != match.receipt:
        raise Refused(Code.WRONG_SCORES)
    receipts = match.receipts | {entry.author}
    stage = MatchStage.OVER if receipts >= match.present else match.stage
    return replace(match, receipts=receipts, stage=stage)


def _apply_protest(match: Match, entry: Entry, at: int) -> Match:
    (about,) = entry.body
    if match.deal is None or match.deal.result is not None:
        raise Refused(Code.NOT_NOW)
    if about > entry.seen_number:
        raise Refused(Code.STALE)
    deal = match.setup.dealing.protest(match.deal, entry.author, at)
    return replace(match, stage=MatchStage.DEALING, deal=deal, pending_action=None)


def _apply_leave(match: Match, entry: Entry, at: int) -> Match:
    return _remove_seat(match, Fault(entry.author, at, Code.LEFT))


def _apply_sitting(match: Match, entry: Entry, at: int) -> Match:
    """A seat sits out, or is back. Its turn ends with that; but no step, nor anything that is still
    on its way.
    """
    seat, rules, out = entry.author, match.setup.game, entry.kind == "sit_out"
    if match.sit_kind(seat) != entry.kind:
        raise Refused(Code.NOT_NOW)
    match = replace(match, game=cast(SitOutGame, rules).sit_out(match.game, seat, out))
    action = (
        rules.timeout(match.game, seat)
        if out and match.waits_for_move and match.may_post(seat, "move")
        else None
    )
    return (
        match
        if action is None
        else _advance(_apply_action(match, PendingAction(seat, action, at)), at)
    )


def _apply_clock(match: Match, entry: Entry, at: int) -> Match:
    """A word of the table about the time of a seat that has a duty; never before it is due."""
    seat, waited = entry.body
    after = (
        match.slow_due_after(seat)
        if entry.kind == clock.SLOW
        else _clock_due_after(match, seat, entry.kind)
    )
    if after is None:
        raise Refused(Code.NOT_NOW)
    if waited < after:
        raise Refused(Code.TOO_EARLY)
    if entry.kind == clock.LAPSE:
        declared = match.clock.add_lapse(clock.DeclaredLapse(at, seat, waited))
        return _expire_seat(replace(match, clock=declared), seat, at)
    return replace(
        match,
        clock=clock.record_clock_entry(
            match.clock, entry.kind, seat, match.duty_since(seat), waited
        ),
    )


def _clock_due_after(match: Match, seat: int, kind: str) -> int | None:
    due = match.next_clock_entry(seat)
    return due.after if due is not None and due.kind == kind else None


def _apply_doubt(match: Match, entry: Entry, at: int) -> Match:
    """A seat knows that the table did not wait so long. It is noted, and changes nothing: nobody
    can tell who lies.
    """
    if entry.body[0] > entry.seen_number:
        raise Refused(Code.STALE)
    return replace(match, clock=match.clock.add_doubt(entry.author, *entry.body))


def _expire_seat(match: Match, seat: int, at: int) -> Match:
    """A seat's time is over. On a turn the rules may know what to do without it; else, and in the
    end, it has left.
    """
    rules = match.setup.game
    action = rules.timeout(match.game, seat) if match.stage is MatchStage.PLAYING else None
    if action is None or not match.clock.tolerates_lapse(seat):
        return _remove_seat(match, Fault(seat, at, Code.LAPSED))
    match = stand_in_for_silent(match, seat) or _apply_action(
        match, PendingAction(seat, action, at)
    )
    return _advance(replace(match, clock=match.clock.after_lapse(seat)), at)


def stand_in_for_silent(match: Match, seat: int) -> Match | None:
    """The match when a seat does not show what it has to and the others will; None: they cannot, or
    need not.
    """
    rules, deal = match.setup.game, match.deal
    game = (
        rules.keep_claim(match.game, seat, False)
        if deal is not None and isinstance(rules, ClaimGame)
        else None
    )
    deal = None if game is None else match.setup.dealing.stand_in(deal, seat)
    return None if deal is None else replace(match, game=game, deal=deal)


def _remove_seat(match: Match, fault: Fault) -> Match:
    """A seat has left or lied: the others play on, if the dealing protocol lets them; else the
    match is over.
    """
    seat, at, deal = fault.seat, fault.entry, match.deal
    if (
        match.stage not in (MatchStage.DEALING, MatchStage.PLAYING)
        or match.present == {seat}
        or seat == TABLE
    ):
        return _end_match(match, (fault,))
    if deal is not None and seat in deal.context.present:
        left = match.setup.dealing.leave(deal, seat, at)
        if left is DealLoss.VOID:
            return _end_match(match, (fault,))
        deal = None if isinstance(left, DealLoss) else left
    if match.pending_action is not None and match.pending_action.seat == seat:
        match = _apply_action(match, match.pending_action)
    waiting = _unreported_leavers(match)
    match = replace(match, gone=match.gone | {seat}, faults=(*match.faults, fault))
    if deal is None:
        match = _drop_claims(_forfeit_seats(match, waiting | {seat}))
        return _advance(match if match.deal is None else _clear_deal(match), at)
    match = match if seat in _unreported_leavers(match) else _forfeit_or_keep_claim(match, fault)
    # The match may be won by that: what the deal still owes must not be settled then, nor break
    # off.
    return (
        _advance(_clear_deal(match), at) if _is_decided(match) else _continue_deal(match, deal, at)
    )


def _forfeit_or_keep_claim(match: Match, fault: Fault) -> Match:
    """The rules hear that a seat is out; one that could only show, and was silent, keeps its
    claim.
    """
    rules = match.setup.game
    keeps = fault.code is Code.LAPSED and match.deal is not None and isinstance(rules, ClaimGame)
    game = cast(ClaimGame, rules).keep_claim(match.game, fault.seat, True) if keeps else None
    return _forfeit_seats(match, {fault.seat}) if game is None else replace(match, game=game)


def _drop_claims(match: Match) -> Match:
    """Without a deal nobody's hand can be opened."""
    rules = match.setup.game
    claims = match.deal is not None and isinstance(rules, ClaimGame)
    return replace(match, game=cast(ClaimGame, rules).drop_claims(match.game)) if claims else match


def _unreported_leavers(match: Match) -> frozenset[int]:
    """Seats that left while they were dealt to: the rules hear of it when that is done, and they
    lose the hand.
    """
    laying = match.deal_requested and isinstance(match.setup.game.wants(match.game), Lay)
    return (
        match.gone.intersection(match.deal.context.present)
        if laying and match.deal
        else frozenset()
    )


def _forfeit_seats(match: Match, seats: Set[int]) -> Match:
    for seat in sorted(seats):
        if not _is_decided(match):  # else the rules have no use for who goes at the same time
            match = replace(match, game=match.setup.game.forfeit(match.game, seat))
    return match


def _is_decided(match: Match) -> bool:
    """Whether the rules want nothing more."""
    return isinstance(match.setup.game.wants(match.game), Over)


ENTRY_HANDLERS: dict[str, Callable[[Match, Entry, int], Match]] = {
    "sit": _apply_sit,
    "nonce": _apply_nonce,
    "move": _apply_move,
    "receipt": _apply_receipt,
    "protest": _apply_protest,
    "leave": _apply_leave,
    "doubt": _apply_doubt,
    "sit_out": _apply_sitting,
    "sit_in": _apply_sitting,
    "warning": _apply_clock,
    "extension": _apply_clock,
    "lapse": _apply_clock,
    "slow": _apply_clock,
}
