"""The fold: the meaning of a log. Table, players, spectators and auditors run `apply` over the same
entries.

The fold uses no clock, socket, file or randomness. An entry has one of these effects:

- It moves the state on.
- It is `Refused`: nothing changes, and the entry must not be in the log.
- It proves a lie. Such an entry stays in the log as evidence, and a fault names its author. The
  author's seat is out as if it had left, because a lie must never pay more than leaving.
- In simultaneous play, another seat's action has overtaken it. Such an action stays in the log and
  is only counted as late.
"""

from collections.abc import Callable, Set
from typing import NamedTuple

from protocol.codes import Code
from protocol.crypto.envelopes import check_public
from protocol.crypto.joint_randomness import JointRandomness, nonce_commitment
from protocol.dealing import TABLE, DealLoss, DealState, Fault, public_pieces
from protocol.errors import ProtocolViolation, Refused, RemoteError
from protocol.fast_replace import replace
from protocol.games import Act, Hand, Over, Settle, Want
from protocol.games.operations import EVERYBODY, Lay
from protocol.match import clock
from protocol.match.log import ENDED, MATCH_ENTRY_SHAPES, Entry
from protocol.match.setup import Setup
from protocol.match.state import Match, MatchStage, PendingAction
from protocol.seats import with_seat


def begin(setup: Setup, match_id: bytes, opener: int = TABLE) -> Match:
    """Return the state after the first entry; `opener` is the author of this entry."""
    seats = setup.seats
    nobody = (None,) * seats
    empty = (b"",) * seats
    match = Match(
        setup, match_id, last_author=opener, keys=nobody, commitments=empty, nonces=nobody
    )
    return replace(match, clock=clock.new_clock(seats), late_counts=(0,) * seats)


class Outcome(NamedTuple):
    """Judgement of the fold on an entry that stands in the log."""

    lie: Code | None = None  # the lie of its author that the entry proves


def apply(match: Match, entry: Entry) -> Match:
    """Return the state after an entry that `Log.check` has accepted; its number is
    `match.next_number`.

    Raises: Refused; nothing has changed then.
    """
    return judge(match, entry)[0]


def judge(match: Match, entry: Entry) -> tuple[Match, Outcome]:
    """Return the state after an entry, as `apply` does, and what `repeat` must be told of it.

    Raises: Refused; nothing has changed then.
    """
    _check_entry(match, entry)
    try:
        return _apply_entry(match, entry, proven=False), Outcome()
    except ProtocolViolation as lie:
        return _convict_author(match, entry, lie.code), Outcome(lie.code)


def repeat(match: Match, entry: Entry, outcome: Outcome) -> Match:
    """Return what `apply` returned for this entry in this state, without its proofs.

    Only for an entry that this program, or one of the same version, has judged itself: `outcome`
    is what `judge` returned then. Raises: Refused, if that is not so.
    """
    _check_entry(match, entry)
    if outcome.lie is not None:
        return _convict_author(match, entry, outcome.lie)
    try:
        return _apply_entry(match, entry, proven=True)
    except ProtocolViolation as lie:
        raise Refused(lie.code) from None


def _apply_entry(match: Match, entry: Entry, proven: bool) -> Match:
    """Raises: Refused, ProtocolViolation."""
    at = match.next_number
    match = _count_entry(match, entry)
    after = ENTRY_HANDLERS.get(entry.kind, _apply_dealing)(match, entry, at, proven)
    return _end_match(after, ()) if after.is_log_full else after


def _convict_author(match: Match, entry: Entry, code: Code) -> Match:
    """Put out an author whose entry proves a lie; the entry has no other effect."""
    fault = Fault(entry.author, match.next_number, code)
    return _remove_seat(_count_entry(match, entry), fault)


def _count_entry(match: Match, entry: Entry) -> Match:
    return replace(
        match,
        next_number=match.next_number + 1,
        log_bytes=match.log_bytes + len(entry.raw),
        last_author=entry.author,
        closed_deal=None,
    )


def _check_entry(match: Match, entry: Entry) -> None:
    """Check the conditions on an entry that do not depend on the contents of its body."""
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
    if entry.kind == ENDED or entry.kind in clock.CLOCK_KINDS:
        if entry.author != TABLE:
            raise Refused(Code.WRONG_AUTHOR)
        return
    # in simultaneous play, whether a move stands also depends on the action: see `_apply_move`
    if entry.kind != "move" or match.simultaneous is None:
        _check_turn(match, entry)


def _check_turn(match: Match, entry: Entry) -> None:
    """Check that the author may post this entry now, and has seen the entries it has to have seen.

    Raises: Refused(NOT_NOW), Refused(STALE).
    """
    if not match.may_post(entry.author, entry.kind):
        raise Refused(Code.NOT_NOW)
    if entry.seen_number < match.required_seen(entry.author):
        raise Refused(Code.STALE)


def _end_match(match: Match, faults: tuple[Fault, ...]) -> Match:
    return replace(match, stage=MatchStage.OVER, faults=match.faults + faults)


def _advance(match: Match, at: int) -> Match:
    """Move the match to the stage that the rules ask for next."""
    want = match.setup.game.wants(match.game)
    independent = match.simultaneous_under(want, at)
    if independent is not match.simultaneous:
        match = replace(match, simultaneous=independent)
    match want:
        case Act() | Lay() if match.is_too_long:
            return _end_match(match, ())
        case Lay() as wanted:
            deal = match.setup.dealing.begin(match.deal_context(wanted), at)
            match = replace(
                match,
                stage=MatchStage.DEALING,
                duties_since=at,
                deal=deal,
                clock=match.clock.reset_for_deal(),
            )
            # Actions whose author had not yet seen simultaneous play end count as late until the
            # new deal is complete. Their entries are needed for this.
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
    """Perform the operations that the rules want of the deal, until one has to wait for entries.

    If the dealing protocol cannot perform them with this deal, no seat is at fault: the deal ends.

    The rules may ask for a thousand operations in a row, so this is a loop and not a recursion.
    """
    while isinstance(want, tuple):
        try:
            deal = match.setup.dealing.apply_operations(
                match.deal, EVERYBODY, want, [[] for _ in want], at
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


def _apply_sit(match: Match, entry: Entry, at: int, proven: bool) -> Match:
    key, commitment = entry.body
    try:
        check_public(key)
    except RemoteError as error:
        raise ProtocolViolation(error.code) from error
    # not a proof of a lie: a table in league with a seat could log the copy before the original
    if key in match.keys:
        raise Refused(Code.BAD_MATCH_KEY)
    keys = with_seat(match.keys, entry.author, key)
    commitments = with_seat(match.commitments, entry.author, commitment)
    match = replace(match, keys=keys, commitments=commitments)
    if None in keys:
        return match
    return replace(match, stage=MatchStage.ROSTER, duties_since=at)


def _apply_nonce(match: Match, entry: Entry, at: int, proven: bool) -> Match:
    (nonce,) = entry.body
    if nonce_commitment(match.match_id, entry.author, nonce) != match.commitments[entry.author]:
        raise ProtocolViolation(Code.BAD_NONCE)
    match = replace(match, nonces=with_seat(match.nonces, entry.author, nonce))
    if None in match.nonces:
        return match
    chance = JointRandomness(match.match_id, [nonce for nonce in match.nonces if nonce is not None])
    return _advance(replace(match, game=match.setup.start_game(match.match_id, chance)), at)


def _apply_dealing(match: Match, entry: Entry, at: int, proven: bool) -> Match:
    """Apply an entry of the dealing protocol. The rules continue when their request is done."""
    dealing = match.setup.dealing
    apply_step = dealing.repeat if proven else dealing.apply
    deal = apply_step(match.deal, entry.author, entry.kind, entry.body, at)
    return _continue_deal(match, deal, at)


def _continue_deal(match: Match, deal: DealState, at: int) -> Match:
    """Continue after a change of the deal: with its next steps, or with the game when the deal is
    ready.
    """
    match = match if deal is match.deal else replace(match, deal=deal)
    if deal.result is not None:
        return _close_deal(match, deal, at)
    if deal.is_stuck:
        return _abandon_deal(match, at)
    if not deal.ready:
        return replace(match, stage=MatchStage.DEALING)
    if match.pending_action is not None:
        return _advance(_apply_action(match, match.pending_action), at)
    if match.deal_requested:
        want = match.setup.game.wants(match.game)
    else:
        want = None
    if isinstance(want, Lay | tuple):
        left = _unreported_leavers(match)
        if isinstance(want, Lay):
            match = replace(match, action_entries=(), simultaneous=None)
        match = _forfeit_seats(
            replace(match, game=match.setup.game.after_deal(match.game, public_pieces(deal, want))),
            left,
        )
    # Without an open request, a seat has left meanwhile. The rules' wishes since then have not been
    # started.
    return _advance(replace(match, deal_requested=False), at)


def _apply_action(match: Match, taken: PendingAction) -> Match:
    """Give the rules an action. Its entry number is noted, because rules refer to actions only by
    their count.
    """
    rules = match.setup.game
    game = match.game
    if taken.turned_pieces:
        game = rules.after_turn(game, taken.seat, taken.turned_pieces)
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
    """Settle a hand. Without a deal no misplay counts: no hand can be opened to prove it."""
    game, misplays = match.setup.game.settle(match.game, dealt, drawn)
    if misplays and match.deal is not None:
        faults = tuple(
            Fault(wrong.seat, match.action_entries[wrong.action], wrong.code) for wrong in misplays
        )
        return _convict_misplays(match, game, faults, at)
    return _advance(_clear_deal(replace(match, game=game)), at)


def _clear_deal(match: Match) -> Match:
    """Return the match without its deal, however the deal ended."""
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
    """Give up a deal because too few seats are left to open the cards that are wanted.

    The rules settle the hand without these cards. If the rules cannot, the match is over.
    """
    game = match.setup.game.abandon(match.game)
    if game is None:
        return _end_match(match, ())
    return _advance(
        _clear_deal(replace(match, game=game, abandoned_deals=match.abandoned_deals + 1)), at
    )


def _convict_misplays(match: Match, game: object, faults: tuple[Fault, ...], at: int) -> Match:
    """Put seats out whose hidden play turned out to be false when the hand was settled.

    The others play on as if these seats had left. A fault of a seat that has left already stands in
    the log, and changes nothing else: otherwise a seat could lie, leave, and void the match. The
    match ends if the table is at fault, or all seats that are left are.
    """
    named = {fault.seat for fault in faults}
    wrong = match.present & named
    lost = [match.setup.dealing.leave(match.deal, seat, at) for seat in wrong]
    if DealLoss.VOID in lost or TABLE in named or wrong == match.present:
        return _end_match(match, faults)
    match = replace(match, game=game, gone=match.gone | wrong, faults=match.faults + faults)
    return _advance(_clear_deal(_forfeit_seats(match, wrong)), at)


def _apply_move(match: Match, entry: Entry, at: int, proven: bool) -> Match:
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
    dealing = match.setup.dealing
    deal = dealing.apply_operations(
        match.deal, entry.author, operations, entry.body[1], at, proven=proven
    )
    turned_pieces = dealing.turned_pieces_of(deal, operations)
    pending = PendingAction(entry.author, action, at, turned_pieces)
    match = replace(match, clock=match.clock.after_move(entry.author), pending_action=pending)
    if deal is None:
        return _advance(_apply_action(match, pending), at)
    return _continue_deal(match, deal, at)


def _count_late(match: Match, seat: int, at: int) -> Match:
    """Count an overtaken action. It has no effect on the game, and the wait for its author starts
    anew.
    """
    free = match.simultaneous and match.simultaneous.record_action(seat, at)
    late = match.late_counts[seat] + 1
    return replace(
        match,
        clock=match.clock.after_move(seat),
        late_counts=with_seat(match.late_counts, seat, late),
        simultaneous=free,
    )


def _apply_receipt(match: Match, entry: Entry, at: int, proven: bool) -> Match:
    if entry.body != match.receipt:
        raise Refused(Code.WRONG_SCORES)
    receipts = match.receipts | {entry.author}
    if receipts >= match.present:
        stage = MatchStage.OVER
    else:
        stage = match.stage
    return replace(match, receipts=receipts, stage=stage)


def _apply_protest(match: Match, entry: Entry, at: int, proven: bool) -> Match:
    (about,) = entry.body
    if match.deal is None or match.deal.result is not None:
        raise Refused(Code.NOT_NOW)
    if about > entry.seen_number:
        raise Refused(Code.STALE)
    deal = match.setup.dealing.protest(match.deal, entry.author, at)
    return replace(match, stage=MatchStage.DEALING, deal=deal, pending_action=None)


def _apply_leave(match: Match, entry: Entry, at: int, proven: bool) -> Match:
    return _remove_seat(match, Fault(entry.author, at, Code.LEFT))


def _apply_ended(match: Match, entry: Entry, at: int, proven: bool) -> Match:
    """End the match by the table's act: without a winner, and without a fault of anybody.

    Raises: Refused(NOT_NOW) when the game is decided: nobody is to lose a match that is won.
    """
    if match.stage is MatchStage.RECEIPTS:
        raise Refused(Code.NOT_NOW)
    return replace(_end_match(match, ()), ended_at=at)


def _apply_sitting(match: Match, entry: Entry, at: int, proven: bool) -> Match:
    """Let a seat sit out, or come back. Sitting out ends its turn, but none of its steps in a deal
    and no action in progress.
    """
    seat = entry.author
    rules = match.setup.game
    out = entry.kind == "sit_out"
    if match.sit_kind(seat) != entry.kind:
        raise Refused(Code.NOT_NOW)
    match = replace(match, game=rules.sit_out(match.game, seat, out))
    if out and match.waits_for_move and match.may_post(seat, "move"):
        action = rules.timeout(match.game, seat)
    else:
        action = None
    if action is None:
        return match
    return _advance(_apply_action(match, PendingAction(seat, action, at)), at)


def _apply_clock(match: Match, entry: Entry, at: int, proven: bool) -> Match:
    """Apply a clock entry of the table about a seat with a duty.

    Raises: Refused(NOT_NOW), or Refused(TOO_EARLY) before the entry is due.
    """
    seat, waited = entry.body
    if entry.kind == clock.SLOW:
        after = match.slow_due_after(seat)
    else:
        after = _clock_due_after(match, seat, entry.kind)
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


def _apply_doubt(match: Match, entry: Entry, at: int, proven: bool) -> Match:
    """Note a seat's doubt about the wait for a lapse. The game does not change: nobody can tell who
    lies.
    """
    if entry.body[0] > entry.seen_number:
        raise Refused(Code.STALE)
    return replace(match, clock=match.clock.add_doubt(entry.author, *entry.body))


def _expire_seat(match: Match, seat: int, at: int) -> Match:
    """End a seat's time. On a turn the rules may act for the seat.

    Otherwise, and after too many lapses in a row, the seat counts as having left.
    """
    rules = match.setup.game
    if match.stage is MatchStage.PLAYING:
        action = rules.timeout(match.game, seat)
    else:
        action = None
    if action is None or not match.clock.tolerates_lapse(seat):
        return _remove_seat(match, Fault(seat, at, Code.LAPSED))
    match = stand_in_for_silent(match, seat) or _apply_action(
        match, PendingAction(seat, action, at)
    )
    return _advance(replace(match, clock=match.clock.after_lapse(seat)), at)


def stand_in_for_silent(match: Match, seat: int) -> Match | None:
    """Let the other seats open the cards of a seat that does not show what it has to.

    Returns None if the others cannot do this, or need not.
    """
    rules = match.setup.game
    deal = match.deal
    if deal is None:
        game = None
    else:
        game = rules.keep_claim(match.game, seat, False)
    if game is None:
        deal = None
    else:
        deal = match.setup.dealing.stand_in(deal, seat)
    if deal is None:
        return None
    return replace(match, game=game, deal=deal)


def _remove_seat(match: Match, fault: Fault) -> Match:
    """Put a seat out that has left or lied.

    The others play on if the dealing protocol allows it. Otherwise the match is over.
    """
    seat = fault.seat
    at = fault.entry
    deal = match.deal
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
    if seat not in _unreported_leavers(match):
        match = _forfeit_or_keep_claim(match, fault)
    # This may have decided the match. Then the rest of the deal must neither be settled nor be
    # abandoned.
    if _is_decided(match):
        return _advance(_clear_deal(match), at)
    return _continue_deal(match, deal, at)


def _forfeit_or_keep_claim(match: Match, fault: Fault) -> Match:
    """Tell the rules that a seat is out. A lapsed seat that only had to show its hand keeps its
    claim.
    """
    may_keep = fault.code is Code.LAPSED and match.deal is not None
    if may_keep:
        game = match.setup.game.keep_claim(match.game, fault.seat, True)
    else:
        game = None
    if game is None:
        return _forfeit_seats(match, {fault.seat})
    return replace(match, game=game)


def _drop_claims(match: Match) -> Match:
    """Drop all claims to a showdown: without a deal no hand can be opened."""
    if match.deal is None:
        return match
    return replace(match, game=match.setup.game.drop_claims(match.game))


def _unreported_leavers(match: Match) -> frozenset[int]:
    """Seats that left while cards were dealt to them.

    The rules are informed only when the deal is done. These seats lose the hand.
    """
    laying = match.deal_requested and isinstance(match.setup.game.wants(match.game), Lay)
    if laying and match.deal:
        return match.gone.intersection(match.deal.context.present)
    return frozenset()


def _forfeit_seats(match: Match, seats: Set[int]) -> Match:
    for seat in sorted(seats):
        # a decided game does not distinguish further seats that go at the same time
        if not _is_decided(match):
            match = replace(match, game=match.setup.game.forfeit(match.game, seat))
    return match


def _is_decided(match: Match) -> bool:
    """Check that the rules want nothing more."""
    return isinstance(match.setup.game.wants(match.game), Over)


ENTRY_HANDLERS: dict[str, Callable[[Match, Entry, int, bool], Match]] = {
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
    ENDED: _apply_ended,
}
