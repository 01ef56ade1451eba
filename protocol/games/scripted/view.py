"""Games by rule files as data: their regions and counters. A
`protocol.games.game_view.GameView`.
"""

from collections.abc import Iterator

from protocol.games import Act, Action, Hand, Piece
from protocol.games.decks import Face, Owned, match_decks
from protocol.games.decks.deck_hand import DeckHand
from protocol.games.decks.match_decks import DeckPhase
from protocol.games.decks.owned_card import read_owned
from protocol.games.operations import Card
from protocol.games.scripted import told
from protocol.games.scripted.display_names import DisplayNames
from protocol.games.scripted.engine.choice import open_shown_card
from protocol.games.scripted.engine.choices import known_face, known_owned
from protocol.games.scripted.engine.state import ScriptContext, ScriptPhase, ScriptState
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.rule_file.built_in import text_of_digest
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.identity.keys import fingerprint, short_fingerprint
from protocol.view.board import (
    CardView,
    Offer,
    OwnedView,
    PieceView,
    Region,
    RegionBoard,
    RegionKind,
    SeatStatus,
    SeatSummary,
)
from protocol.view.phrase import Phrase, Pieces, SeatRef, phrase

MAX_NAMED_OFFERS = 2  # most offers without a card that a prompt names
# by the names of rules that come with the program: what a card must have that is laid
UNFIT = {
    "crazy-eights": "script.unfit.eights",
    "mau-mau": "script.unfit.mau",
    "mau-mau-shared": "script.unfit.mau",
}
SPECTATOR_HAND = DeckHand({}, {})  # hand of a spectator
ACTION_KEYS = {  # by the parts of an action that are present
    (): "script.act",
    ("card",): "script.act.card",
    ("target",): "script.act.target",
    ("choice",): "script.act.choice",
    ("card", "target"): "script.act.card.target",
    ("card", "choice"): "script.act.card.choice",
    ("target", "choice"): "script.act.target.choice",
    ("card", "target", "choice"): "script.act.card.target.choice",
}
STEP_KEYS = {
    "rules": "script.did.rules",
    "deck": "script.did.deck",
    "open": "script.did.open",
    "toss": "script.did.toss",
    "toss_open": "script.did.toss_open",
}


def piece(game: ScriptGame, piece: Piece) -> PieceView:
    """Return a piece outside of any match: its name in a built-in pack, otherwise its number."""
    name: str | Phrase = game.pieces[piece]
    text = text_of_digest(game.rules)
    if text is not None and told.has_word(contract := parse_contract(text), str(name)):
        name = told.word(contract, str(name))
    return PieceView(piece, (name,))


def opened_piece(game: ScriptGame, state: ScriptState, number: Piece) -> PieceView:
    """Return a piece with the name of its card if the card is public in this match. Other slots of
    decks are shown by number.
    """
    if state.decks is None:
        return piece(game, number)
    shown = game.table(state).face(state, number)
    if shown is None:
        return PieceView(number, (f"#{number + 1}",))
    return PieceView(number, told.faces(game.table(state).contract, shown)[:1])


def board(game: ScriptGame, state: ScriptState) -> RegionBoard:
    """Return the public board."""
    return _board(game, state, SPECTATOR_HAND, None)


def private_board(
    game: ScriptGame, state: ScriptState, seat: int, hand: Hand
) -> tuple[RegionBoard, tuple[PieceView, ...]]:
    """Return the board with the face-down cards that this seat knows, and the cards of the seat's
    hand.
    """
    held = hand if isinstance(hand, DeckHand) else SPECTATOR_HAND
    if not state.lies:
        return RegionBoard(0), ()
    table = game.table(state)
    own = [
        _card_view(table, state, held, card)
        for place, cards in enumerate(state.lies)
        if _in_hand(table, place, seat)
        for card in cards
    ]
    return _board(game, state, held, seat), tuple(own)


def _board(game: ScriptGame, state: ScriptState, held: DeckHand, seat: int | None) -> RegionBoard:
    """Build the board: regions (those in the middle first), counters and the name of the rules. The
    seat's own hand is left out.
    """
    if not state.lies:
        return RegionBoard(0)
    table = game.table(state)
    zones = [
        (table.contract.zones[zone].row, place) for place, (zone, _) in enumerate(table.places)
    ]
    places = [
        place for _, place in sorted(zones) if seat is None or not _in_hand(table, place, seat)
    ]
    regions = (_region(game, state, held, place) for place in places)
    return RegionBoard(1, (*regions, *_counter_regions(game, state), _rules_region(game, table)))


def _rules_region(game: ScriptGame, table: ScriptContext) -> Region:
    """Name the rules of the match, and say whether they are built in or from a player's file."""
    ours = is_built_in(game)
    whose = phrase(
        "script.rules.ours" if ours else "script.rules.file",
        name=table.contract.name,
        digest=game.rules,
    )
    return Region(phrase("script.rules"), RegionKind.TEXT, text=whose)


def _region(game: ScriptGame, state: ScriptState, held: DeckHand, place: int) -> Region:
    table = game.table(state)
    number, owner = table.places[place]
    zone = table.contract.zones[number]
    cards = tuple(_card_view(table, state, held, card) for card in state.lies[place])
    name, kind = DisplayNames(game.rules, table).region(zone.name), RegionKind(zone.order)
    if kind is RegionKind.ROW or any(card.faces or card.marks for card in cards):
        return Region(name, kind, cards, seat=owner, row=zone.row)
    return Region(name, kind, (), len(cards), owner, row=zone.row)


def _counter_regions(game: ScriptGame, state: ScriptState) -> Iterator[Region]:
    """Iterate over the counters that are to be shown."""
    table = game.table(state)
    names = DisplayNames(game.rules, table)
    over = state.phase in (ScriptPhase.CLOSE, ScriptPhase.OVER)
    for (name, each), values in zip(table.contract.counters, state.counters, strict=False):
        if over and not each:
            continue  # such as what the next seat has to do
        for seat, number in enumerate(values):
            owner = seat if each else None
            text = names.counter_value(name, owner, number)
            if text is None or not told.is_empty(text):
                yield Region(names.counter(name), RegionKind.COUNTER, (), number, owner, text)


def _in_hand(table: ScriptContext, place: int, seat: int) -> bool:
    number, owner = table.places[place]
    return owner == seat and table.contract.zones[number].order == "hand"


def _card_view(table: ScriptContext, state: ScriptState, held: DeckHand, card: Card) -> CardView:
    shown = known_face(table, state, held, card)
    if shown is None:
        return CardView(card, None, marks=state.marks[card])
    return CardView(
        card,
        told.faces(table.contract, shown),
        (),
        told.card_values(shown),
        state.marks[card],
        down=state.pieces[card] is None,
        owned=_owned_view(known_owned(state, held, card)),
    )


def _owned_view(card: Owned | None) -> OwnedView | None:
    """Return the origin of an owned card."""
    if card is None:
        return None
    read = read_owned(card)
    image = read.kind.image
    return OwnedView(
        short_fingerprint(read.creator),
        fingerprint(read.creator),
        None if image is None else image.hex(),
    )


def standings(game: ScriptGame, state: ScriptState) -> tuple[SeatSummary, ...]:
    """Return points, number of cards in hand, and turn of each seat."""
    want = game.wants(state)
    acting = want.seats if isinstance(want, Act) and not want.automatic else ()
    points, table = game.scores(state), game.table(state) if state.lies else None
    return tuple(
        SeatSummary(
            points[seat],
            _hand_size(table, state, seat) if table else 0,
            seat in acting,
            SeatStatus.LEFT if seat in state.out else None,
        )
        for seat in range(game.seats)
    )


def _hand_size(table: ScriptContext, state: ScriptState, seat: int) -> int:
    return sum(len(cards) for place, cards in enumerate(state.lies) if _in_hand(table, place, seat))


def offers(game: ScriptGame, state: ScriptState, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """Make one offer for each legal action."""
    held = hand if isinstance(hand, DeckHand) else SPECTATOR_HAND
    return tuple(
        Offer(
            id,
            action[0],
            action,
            _offer_label(game, state, seat, held, action),
            action[1] - 1 if action[1] else None,
            action[2] - 1 if action[2] else None,
        )
        for id, action in enumerate(game.legal(state, seat, hand))
    )


def _offer_label(
    game: ScriptGame, state: ScriptState, seat: int, held: DeckHand, action: Action
) -> Phrase:
    own = told.offer(game.table(state), state, held, seat, action)
    return _label(game, state, held, action) if own is None else own


def _label(game: ScriptGame, state: ScriptState, held: DeckHand, action: Action) -> Phrase:
    """Label an action in the words of the rule file."""
    table, (name, card, target, choice, *_) = game.table(state), action
    if name == "leave":
        searches = state.ask is not None and state.ask.search is not None
        return phrase("script.leave" if searches else "script.idle.do")
    on = None if not card else known_face(table, state, held, card - 1)
    names = DisplayNames(game.rules, table)
    parts: dict[str, str | Pieces | Phrase] = {"name": names.action(name)}
    if card:
        parts["card"] = _card_phrase(game, state, on, card - 1)
    if target:
        parts["target"] = _card_phrase(
            game, state, known_face(table, state, held, target - 1), target - 1
        )
    if choice:
        kind = next(kind for kind in table.contract.kinds if kind.name == name)
        parts["choice"] = names.action(kind.choices[choice - 1])
    return phrase(
        ACTION_KEYS[tuple(part for part in ("card", "target", "choice") if part in parts)], **parts
    )


def _card_phrase(
    game: ScriptGame, state: ScriptState, shown: Face | None, card: Card
) -> Pieces | Phrase:
    """Describe a card by its face. A card with an unknown face is described by its region and its
    place in it, counted from the bottom.
    """
    table = game.table(state)
    if shown is not None:
        return Pieces((told.faces(table.contract, shown),))
    place = next(place for place, cards in enumerate(state.lies) if card in cards)
    number = state.lies[place].index(card) + 1
    return phrase(
        "script.card",
        number=number,
        name=DisplayNames(game.rules, table).region(
            table.contract.zones[table.places[place][0]].name
        ),
    )


def hand_name(game: ScriptGame, state: ScriptState, hand: Hand) -> None:
    """Return None: only the rule file knows combinations of cards."""
    return


def narrate(game: ScriptGame, state: ScriptState, seat: int, action: Action) -> Phrase:
    who, name = SeatRef(seat), action[0]
    want = game.wants(state)
    if name == "timeout":
        return phrase("script.did.timeout", who=who)
    if isinstance(want, Act) and want.automatic:
        return phrase(STEP_KEYS.get(name, "script.did.step"), who=who)
    if action[4]:
        state = open_shown_card(game.table(state), state, seat, action)
    own = told.deed(game.table(state), state, seat, action)
    if own is not None:
        return own
    return phrase("script.did", who=who, what=_label(game, state, SPECTATOR_HAND, action))


def news(game: ScriptGame, before: ScriptState | None, after: ScriptState) -> tuple[Phrase, ...]:
    """Return the sentences that the rules have said, and the decks that have just been opened
    before the game. Sentences of a file that is not built in are marked, because a stranger may
    have written them.
    """
    decks = tuple(_opened_decks(game, before, after))
    if before is None or after.said[0] == before.said[0]:
        return decks
    fresh = after.said[1][-(after.said[0] - before.said[0]) :]
    return (*decks, *(_message(game, after, text) for text in fresh))


def _opened_decks(
    game: ScriptGame, before: ScriptState | None, after: ScriptState
) -> Iterator[Phrase]:
    """Describe each deck in full, at the moment when all decks lie open before the game."""
    if before is None or before.decks is None or after.decks is None:
        return
    if before.decks.phase is not DeckPhase.SHOW or after.decks.phase is DeckPhase.SHOW:
        return
    table, opened = game.table(after), after.decks.faces
    for seat in range(game.seats):
        pieces = [piece for piece in after.decks.pieces(seat) if piece in opened]
        if not pieces:
            continue
        shown = sorted(
            (match_decks.face(after.decks, piece, table.terms) for piece in pieces),
            key=lambda face: str(face["name"]),
        )
        cards = Pieces(tuple(told.faces(table.contract, face) for face in shown))
        makers = {
            short_fingerprint(read_owned(card).creator)
            for piece in pieces
            if isinstance(card := opened[piece].card, Owned)
        }
        if makers:
            creators = ", ".join(sorted(makers))
            yield phrase("script.deck.owned", who=SeatRef(seat), cards=cards, creators=creators)
        else:
            yield phrase("script.deck", who=SeatRef(seat), cards=cards)


def _message(game: ScriptGame, state: ScriptState, text: str) -> Phrase:
    own = told.message(game.table(state), text)
    if own is not None and is_built_in(game):
        return own
    return phrase("script.says", text=text if own is None else own)


def is_built_in(game: ScriptGame) -> bool:
    """Check whether the rules come with the program, so that nobody else has written them."""
    return text_of_digest(game.rules) is not None


def result(
    game: ScriptGame, state: ScriptState, before: ScriptState | None = None
) -> tuple[Phrase, ...]:
    """Describe how the match ended. Nothing if it had already ended in `before`."""
    if state.phase is not ScriptPhase.OVER or (
        before is not None and before.phase is ScriptPhase.OVER
    ):
        return ()
    if state.error is not None:
        return (phrase("script.broken", rules=_rules_name(game, state), what=state.error),)
    won = state.winners or ()
    if not won:
        return _end(game, state, phrase("script.nobody"), "nobody", None)
    if len(won) == game.seats:
        return _end(game, state, phrase("script.draw"), "draw", None)
    return tuple(
        line
        for seat in won
        for line in _end(game, state, phrase("script.won", who=SeatRef(seat)), "won", seat)
    )


def _end(
    game: ScriptGame, state: ScriptState, usual: Phrase, name: str, seat: int | None
) -> tuple[Phrase, ...]:
    """Say an end in the words of the rules. Those of a file that is not built in follow the usual
    sentence, because who has won is not a stranger's to say.
    """
    own = told.result(game.table(state), state, name, seat) if state.lies else None
    if own is None:
        return (usual,)
    return (own,) if is_built_in(game) else (usual, phrase("script.says", text=own))


def _rules_name(game: ScriptGame, state: ScriptState) -> str:
    return game.table(state).contract.name if state.lies else game.rules


def prompt(
    game: ScriptGame, state: ScriptState, seat: int, offers: tuple[Offer, ...]
) -> Phrase | None:
    """Say whether a card of the hand can be played, and what else can be done."""
    held = _own_hand(game, state, seat)
    fits = {offer.piece for offer in offers} & held
    others = [offer for offer in offers if offer.piece is None]
    few = tuple(offer.label for offer in others) if len(others) <= MAX_NAMED_OFFERS else ()
    if fits:
        every = fits == held
        if few:
            return phrase("script.prompt.any.or" if every else "script.prompt.fits.or", others=few)
        return phrase("script.prompt.any" if every else "script.prompt.fits")
    if not others or len(others) != len(offers):
        return None
    lays = unfit(game, state, seat, offers) is not None
    if not few:
        return phrase("script.prompt.suit" if lays else "script.prompt.choose")
    return phrase("script.prompt.none" if lays and held else "script.prompt.only", others=few)


def _own_hand(game: ScriptGame, state: ScriptState, seat: int) -> set[Card]:
    """Return the cards in a seat's hand."""
    table = game.table(state)
    return {
        card
        for place, cards in enumerate(state.lies)
        if _in_hand(table, place, seat)
        for card in cards
    }


def unfit(
    game: ScriptGame, state: ScriptState, seat: int, offers: tuple[Offer, ...]
) -> Phrase | None:
    """Say what a card must have, by rules that come with the program; None for other rule files,
    which alone know why a card does not fit.
    """
    key = UNFIT.get(_rules_name(game, state)) if is_built_in(game) else None
    return None if key is None else phrase(key)


def ending(game: ScriptGame, state: ScriptState) -> Phrase | None:
    """Name the winner that has no cards left, or describe the end as `result` does; None if the
    others left.
    """
    if len(state.out) >= game.seats - 1:
        return None
    winners = state.winners or ()
    if state.lies and state.error is None and len(winners) == 1:
        sizes = [len(_own_hand(game, state, seat)) for seat in range(game.seats)]
        if sizes.count(0) == 1 and not sizes[winners[0]]:
            return phrase("script.ending.empty", who=SeatRef(winners[0]))
    return next(iter(result(game, state)), None)
