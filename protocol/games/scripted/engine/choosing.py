"""What a seat chooses: which of it is on offer, whether one is right as far as everybody can see, and what it does."""

from contextlib import suppress
from typing import Any

from protocol.codes import Code
from protocol.errors import Refused
from protocol.frozen import replace
from protocol.games import Action, Misplay, Piece
from protocol.games.decks import Face
from protocol.games.decks.brought import show
from protocol.games.decks.held import Held
from protocol.games.decks.slots import face_of, opening_bytes, read_opening
from protocol.games.operations import Card, OpenCard, Operation
from protocol.games.scripted.engine.budget import Budget, Spent
from protocol.games.scripted.engine.idle import LEAVE, check_idle, counted, had_choice, outlasted
from protocol.games.scripted.engine.moves import described, hand_of, kind_of, kinds, possible, tells, told
from protocol.games.scripted.engine.public import face, public
from protocol.games.scripted.engine.run import answered, ended
from protocol.games.scripted.engine.state import Noted, Search, State, Table
from protocol.limits import SCRIPT_JUDGE_STEPS
from protocol.rules import RuleError
from protocol.seats import with_seat


def offered(table: Table, state: State, seat: int, held: Held) -> tuple[Action, ...]:
    """All that this seat may do, in a stable order. What the rules cannot judge is on offer too: chosen, it shows all
    that the rules are wrong. If `judge` leaves nothing of what is legal, all of that is; if nothing is, it can be left.
    """
    ask = state.ask
    if ask is None or seat not in ask.seats:
        return ()
    if ask.search is not None:
        return _found(table, state, seat, ask.search, held)
    g = public(table, state)
    hand = [known(table, state, held, card) for card in hand_of(table, state, seat)]
    actions: list[Action] = []
    denied: list[Action] = []
    for kind in kinds(table, ask):
        for card, target, choice in possible(table, state, seat, kind):
            proof = _proof(table, state, held, card) if kind.shows else (0, b"")
            if proof is None:
                continue
            action = (kind.name, card, target, choice, *proof)
            act = told(table, action, known(table, state, held, card - 1) if card and tells(table, kind) else None)
            if _legal(table, g, seat, act):
                (actions if _judged(table, g, seat, act, hand) else denied).append(action)
    return tuple(actions or denied) or (LEAVE,)


def known(table: Table, state: State, held: Held, card: Card) -> Face | None:
    """What a seat knows to be on a card."""
    piece = held.sees.get(card) if state.pieces[card] is None else state.pieces[card]
    if piece is None:
        return None
    if piece in held.openings:
        return face_of(held.openings[piece].card, table.terms.proxies)
    return table.face(state, piece)


def _legal(table: Table, g: dict[str, Any], seat: int, act: dict[str, Any]) -> bool:
    try:
        return bool(table.contract.call("legal", g, seat, act))
    except RuleError:
        return True  # it stands, and `chosen` ends the match by it


def _judged(table: Table, g: dict[str, Any], seat: int, act: dict[str, Any], hand: list[Face | None]) -> bool:
    try:
        return not table.contract.has("judge") or None in hand or bool(table.contract.call("judge", g, seat, act, hand))
    except RuleError:
        return True


def _proof(table: Table, state: State, held: Held, card: int) -> tuple[int, bytes] | None:
    """What shows a card (counted from 1) to all: its piece, and how its slot is opened. None if this seat cannot."""
    if not card or state.pieces[card - 1] is not None:
        return 0, b""
    piece = held.sees.get(card - 1)
    if piece is None:
        return None
    if table.tells or (state.decks is not None and piece in state.decks.faces):
        return piece + 1, b""
    opening = held.openings.get(piece)
    return None if opening is None else (piece + 1, opening_bytes(opening))


def _found(table: Table, state: State, seat: int, search: Search, held: Held) -> tuple[Action, ...]:
    actions: list[Action] = []
    g = public(table, state)
    for card in state.lies[search.source]:
        if search.fits is None:
            actions.append(("take", card + 1, 0, 0, 0, b""))
            continue
        shown, proof = known(table, state, held, card), _proof(table, state, held, card + 1)
        if shown is not None and proof is not None and _fits(table, g, seat, search.fits, shown):
            actions.append(("take", card + 1, 0, 0, *proof))
    return (*actions, LEAVE)


def _fits(table: Table, g: dict[str, Any], seat: int, fits: str, shown: Face) -> bool:
    try:
        return bool(table.contract.call(fits, g, seat, shown))
    except RuleError:
        return True


def checked(table: Table, state: State, seat: int, action: Action) -> tuple[Operation, ...]:
    """What a choice asks of the dealing. Raises: Refused; Broken for a slot that is opened as what it is not."""
    ask = state.ask
    if ask is None or seat not in ask.seats:
        raise Refused(Code.NOT_YOUR_TURN)
    if len(action) != len(LEAVE):  # what programs post by themselves
        raise Refused(Code.ILLEGAL_MOVE)
    name, card, target, choice, piece, opening = action
    if ask.search is not None:
        return _check_search(table, state, seat, ask.search, action)
    if action == LEAVE:
        check_idle(table, state, seat)
        return ()
    kind = kind_of(table, ask, name)
    if kind is None or (card, target, choice) not in possible(table, state, seat, kind):
        raise Refused(Code.ILLEGAL_MOVE)
    shown, operations = _shown(table, state, seat, action) if kind.shows else (None, ())
    if not kind.shows and (piece or opening):
        raise Refused(Code.ILLEGAL_MOVE)
    if card and not kind.shows and tells(table, kind):
        shown = face(table, state, card - 1)
    if not _legal(table, public(table, state), seat, told(table, action, shown)):
        raise Refused(Code.ILLEGAL_MOVE)
    return operations


def _check_search(table: Table, state: State, seat: int, search: Search, action: Action) -> tuple[Operation, ...]:
    if action == LEAVE:
        return ()
    name, card, target, choice, piece, opening = action
    if name != "take" or card - 1 not in state.lies[search.source] or target or choice:
        raise Refused(Code.ILLEGAL_MOVE)
    if search.fits is None:
        if piece or opening:
            raise Refused(Code.ILLEGAL_MOVE)
        return ()
    shown, operations = _shown(table, state, seat, action)
    if shown is None or not _fits(table, public(table, state), seat, search.fits, shown):
        raise Refused(Code.ILLEGAL_MOVE)
    return operations


def _shown(table: Table, state: State, seat: int, action: Action) -> tuple[Face | None, tuple[Operation, ...]]:
    """The face of a card that an action shows, and what the dealing must do for it. Raises: Refused, Broken."""
    card, piece, opening = action[1] - 1, action[4] - 1, action[5]
    if state.pieces[card] is not None:
        if piece >= 0 or opening:
            raise Refused(Code.ILLEGAL_MOVE)
        return face(table, state, card), ()
    if seat not in state.seen[card] or not 0 <= piece < len(state.pieces) or piece in state.pieces:
        raise Refused(Code.ILLEGAL_MOVE)
    decks = state.decks
    if decks is not None and opening:
        if read_opening(opening).piece != piece:
            raise Refused(Code.ILLEGAL_MOVE)
        decks = show(decks, seat, (opening,), table.terms)
    elif opening or (decks is not None and piece not in decks.faces):
        raise Refused(Code.ILLEGAL_MOVE)
    return table.face(replace(state, decks=decks), piece), (OpenCard(card, piece),)


def chosen(table: Table, state: State, seat: int, action: Action) -> State:
    """The state after a choice that was checked, or a lapse. Raises: RuleError."""
    ask = state.ask
    assert ask is not None
    before = state
    if len(action) == len(LEAVE) and action[4]:
        state = opened(table, state, seat, action)
    if ask.search is None and action[0] != "timeout":
        state = counted(table, state, seat, action)
        if winners := outlasted(table, state):
            return ended(table, state, winners)
    if ask.search is None and action[0] not in ("timeout", "leave"):
        act = described(table, state, action)
        table.contract.call("legal", public(table, before), seat, act)
        if table.contract.has("judge"):
            hand = hand_of(table, before, seat)
            pieces = tuple(before.pieces[card] for card in hand)
            noted = Noted(seat, state.acted, act, hand, pieces, replace(before, noted=()))
            state = replace(state, noted=(*state.noted, noted))
    seats = tuple(other for other in ask.seats if other != seat)
    ask = replace(ask, seats=seats, chosen=(*ask.chosen, (seat, action)))
    return answered(table, replace(state, ask=ask, steps=0))


def opened(table: Table, state: State, seat: int, action: Action) -> State:
    """The state in which everybody knows the card that a checked action shows."""
    card, piece, opening = action[1] - 1, action[4] - 1, action[5]
    decks = state.decks
    if decks is not None and opening:
        decks = show(decks, seat, (opening,), table.terms)
    return replace(state, pieces=with_seat(state.pieces, card, piece), decks=decks)


def misplays(table: Table, state: State) -> tuple[Misplay, ...]:
    """Who did, with a hand that nobody else saw, what the rules do not allow with it: the first time of each.

    Where a card of that hand went back unseen since, nobody can say, and nobody is named; nor is who did not know that
    hand itself, who was left without anything that was allowed, and who comes after all that this may cost is spent.
    """
    found: dict[int, Misplay] = {}
    budget = Budget(table.contract, SCRIPT_JUDGE_STEPS)
    with suppress(Spent):
        for noted in state.noted:
            if noted.seat not in found and _false(table, state, noted, budget):
                found[noted.seat] = Misplay(noted.seat, noted.number, Code.FALSE_CHOICE)
    return tuple(found.values())


def unjudged(state: State, seat: int) -> bool:
    """Whether anything that this seat did waits for a hand that is still hidden."""
    return any(
        then is None and state.pieces[card] is None
        for noted in state.noted
        if noted.seat == seat
        for card, then in zip(noted.hand, noted.pieces, strict=True)
    )


def _false(table: Table, state: State, noted: Noted, budget: Budget) -> bool:
    budget.spend(len(state.pieces))  # what the rules are told is as long
    if any(noted.before.pieces[card] is None and noted.seat not in noted.before.seen[card] for card in noted.hand):
        return False
    faces = [_then(table, state, *one) for one in zip(noted.hand, noted.pieces, strict=True)]
    hand = [one for one in faces if one is not None]
    return (
        len(hand) == len(faces) and not _allowed(table, noted, hand, budget) and had_choice(table, noted, hand, budget)
    )


def _allowed(table: Table, noted: Noted, hand: list[Face], budget: Budget) -> bool:
    try:
        return bool(budget.call("judge", public(table, noted.before), noted.seat, noted.act, hand))
    except RuleError:
        return True  # as its program took it; who has lost may have picked it to make the match void


def _then(table: Table, state: State, card: Card, then: Piece | None) -> Face | None:
    piece: Piece | None = state.pieces[card] if then is None else then
    return None if piece is None else table.face(state, piece)
