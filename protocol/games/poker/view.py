"""Poker as data: cards, pots, chips, and possible bets, for all editions of the rules. A
`protocol.games.game_view.GameView`.
"""

from typing import TYPE_CHECKING

from protocol.games import Action, AnyGame, Hand, Piece
from protocol.games.endings import score_text
from protocol.games.poker.cards import CARDS
from protocol.games.poker.hand_names import hand_phrase
from protocol.games.poker.phases import HAND_PHASES, Decision, PokerPhase, PokerResult
from protocol.games.poker.ranking import best_five
from protocol.view.board import (
    Amount,
    Offer,
    PieceSelection,
    PieceView,
    PokerStreet,
    PokerTable,
    Pot,
    Preset,
    SeatStatus,
    SeatSummary,
    WinningHand,
)
from protocol.view.phrase import Phrase, Pieces, SeatRef, Value, phrase

if TYPE_CHECKING:
    from typing import TypeAlias

    from protocol.games.poker.edition_1.rules import Poker as Poker1
    from protocol.games.poker.edition_1.state import PokerState as PokerState1
    from protocol.games.poker.rules import Poker as Poker2
    from protocol.games.poker.state import PokerState as PokerState2

    Poker: TypeAlias = Poker1 | Poker2
    PokerState: TypeAlias = PokerState1 | PokerState2

RAISE_KEYS = {  # by kind of offer, and whether several amounts are possible
    ("raise", True): "poker.offer.raise",
    ("raise", False): "poker.offer.raise.one",
    ("bet", True): "poker.offer.bet",
    ("bet", False): "poker.offer.bet.one",
}
# By the number of cards on the board.
STREET_KEYS = {3: "poker.flop", 4: "poker.turn", 5: "poker.river"}
STREETS = {0: PokerStreet.PREFLOP, 3: PokerStreet.FLOP, 4: PokerStreet.TURN, 5: PokerStreet.RIVER}


def piece(game: "Poker", piece: Piece) -> PieceView:
    """Return a card: its rank, then its suit."""
    return PieceView(piece, tuple(CARDS[piece]))


def _visible_cards(cards: Hand) -> Pieces:
    return Pieces(tuple(tuple(CARDS[card]) for card in cards))


def board(game: "Poker", state: "PokerState") -> PokerTable:
    """Return the cards of the board, and the chips."""
    stakes = state.stakes
    return PokerTable(
        hand=state.hand,
        hands=game.hands,
        street=_street(state),
        cards=tuple(piece(game, card) for card in _source_of_open_cards(state).board),
        pot=state.pot,
        pots=_pots(state),
        ante=stakes.ante,
        blinds=() if stakes.draw else _blinds(state),
        least_bet=_least_bet(state),
        rises=_next_rise(game, state),
        fixed=stakes.fixed,
        pot_limit=state.pot_limit,
        winning=_winning_hands(state),
    )


def _winning_hands(state: "PokerState") -> tuple[WinningHand, ...]:
    """Return the shown hands that won the main pot of the last hand, until the next deal."""
    source = _source_of_open_cards(state)
    if source is not state.result or not state.result.pots:
        return ()
    shown = dict(state.result.shown)
    named = (
        (seat, hand_phrase(shown.get(seat, ()), state.result.board, state.own_cards))
        for seat, _ in state.result.pots[0]
    )
    return tuple(
        WinningHand(seat, name, best_five(shown[seat], state.result.board, state.own_cards))
        for seat, name in named
        if name is not None
    )


def _least_bet(state: "PokerState") -> int:
    return state.facts.least_bet if state.phase in HAND_PHASES else state.stakes.blind


def _blinds(state: "PokerState") -> tuple[int, int]:
    """Small and big blind."""
    return state.small_blind, state.stakes.blind


def _source_of_open_cards(state: "PokerState") -> "PokerState | PokerResult":
    """Return the object whose open cards are shown. Cards of the last hand stay visible until the
    next deal, so that people see who won.
    """
    over = state.phase not in (*HAND_PHASES, PokerPhase.SETTLE)
    return state.result if over and state.result is not None else state


def _next_rise(game: "Poker", state: "PokerState") -> int:
    """Number of the hand with which the stakes rise next; 0 if they do not rise again in this
    match.
    """
    if not game.levels or not state.hand:
        return 0
    hand = (state.hand - 1) // game.levels * game.levels + game.levels + 1
    return hand if hand <= game.hands and game.stakes_of(hand) != game.stakes_of(state.hand) else 0


def _street(state: "PokerState") -> PokerStreet:
    if state.phase not in (*HAND_PHASES, PokerPhase.SETTLE):
        return PokerStreet.NONE
    if not state.stakes.draw:
        return STREETS[len(state.board)]
    if state.decision is Decision.EXCHANGE or state.phase is PokerPhase.RESHUFFLE:
        return PokerStreet.EXCHANGE
    return PokerStreet.DRAW if state.facts.exchanged else PokerStreet.DEAL


def _pots(state: "PokerState") -> tuple[Pot, ...]:
    if state.phase not in HAND_PHASES:
        return ()
    return tuple(
        Pot(pot.chips, tuple(sorted(state.players[player] for player in pot.players)))
        for pot in state.facts.pots
    )


def standings(game: "Poker", state: "PokerState") -> tuple[SeatSummary, ...]:
    """Return the chips, bet and status of each seat."""
    shown = dict(_source_of_open_cards(state).shown)
    return tuple(
        SeatSummary(
            score=chips,
            held=_card_count(game, state, seat),
            to_act=seat == state.to_act,
            status=_status(state, seat),
            bet=_bet(state, seat),
            dealer=seat == state.button,
            shown=tuple(piece(game, card) for card in shown.get(seat, ())),
            bought=state.bought[seat],
        )
        for seat, chips in enumerate(state.chips)
    )


def _is_in_hand(state: "PokerState", seat: int) -> bool:
    return seat in state.players and seat not in state.out and state.phase in HAND_PHASES


def _card_count(game: "Poker", state: "PokerState", seat: int) -> int:
    return (
        game.hole if _is_in_hand(state, seat) and state.facts.live[state.players.index(seat)] else 0
    )


def _status(state: "PokerState", seat: int) -> SeatStatus | None:
    if seat in state.out:
        return SeatStatus.LEFT
    in_hand = _is_in_hand(state, seat) and state.facts.live[state.players.index(seat)]
    if in_hand and not state.facts.stacks[state.players.index(seat)]:
        return SeatStatus.ALL_IN
    if not state.stacks[seat] and seat not in state.waiting:
        return SeatStatus.OUT
    if seat in state.away:
        return SeatStatus.AWAY
    return SeatStatus.FOLDED if _is_in_hand(state, seat) and not in_hand else None


def _bet(state: "PokerState", seat: int) -> int:
    if not _is_in_hand(state, seat):
        return 0
    player, hand = state.players.index(seat), state.facts
    return hand.bets[player] if hand.live[player] else 0


def offers(game: "Poker", state: "PokerState", seat: int, hand: Hand) -> tuple[Offer, ...]:
    """Make the offers: fold, call, and one for all raises; one for all exchanges; show, or muck a
    beaten hand; rebuy or decline.
    """
    if seat != state.to_act:
        return ()
    match state.decision:
        case Decision.BET:
            return _bet_offers(state)
        case Decision.EXCHANGE:
            places = PieceSelection(min(game.hole, state.stock), game.hole)
            return (
                Offer(0, "exchange", ("exchange",), phrase("poker.offer.exchange"), places=places),
            )
        case Decision.REBUY:
            rebuy = phrase(
                "poker.offer.rebuy", chips=game.stack, count=game.rebuys - state.bought[seat]
            )
            return (
                Offer(0, "decline", ("decline",), phrase("poker.offer.decline")),
                Offer(1, "rebuy", ("rebuy",), rebuy),
            )
    labels = {"show": phrase("poker.offer.show"), "muck": phrase("poker.offer.muck")}
    rules: AnyGame = game  # the edition of `state`
    legal = rules.legal(state, seat, hand)
    return tuple(Offer(id, action[0], action, labels[action[0]]) for id, action in enumerate(legal))


def _bet_offers(state: "PokerState") -> tuple[Offer, ...]:
    cost, amounts = to_call(state), state.raise_amounts
    label = phrase("poker.offer.call", chips=cost) if cost else phrase("poker.offer.check")
    found = (
        [Offer(0, "fold", ("fold",), phrase("poker.offer.fold"))] if state.facts.can_fold else []
    )
    found.append(Offer(len(found), "call" if cost else "check", ("call",), label, cost=cost))
    if amounts:
        found.append(_raise_offer(state, len(found), amounts))
    return tuple(found)


def _raise_offer(state: "PokerState", id: int, amounts: range) -> Offer:
    kind = "raise" if max(state.facts.bets) else "bet"
    amount = Amount(amounts[0], amounts[-1], presets=_presets(state, amounts))
    label = phrase(RAISE_KEYS[kind, len(amounts) > 1], least=amount.least, most=amount.most)
    return Offer(id, kind, ("raise",), label, amount=amount)


def _presets(state: "PokerState", amounts: range) -> tuple[Preset, ...]:
    """List the amounts that have a name. If an amount has several names, the last one in this order
    is used: half pot, pot, least, most or all-in.
    """
    hand, highest = state.facts, max(state.facts.bets)
    pot = state.pot + to_call(state)
    all_in = _is_all_in(state, amounts[-1] - hand.bets[hand.actor or 0])
    named = {
        highest + pot // 2: phrase("poker.preset.half"),
        highest + pot: phrase("poker.preset.pot"),
        amounts[0]: phrase("poker.preset.least"),
    }
    if all_in or len(amounts) > 1:
        named[amounts[-1]] = phrase("poker.preset.all_in" if all_in else "poker.preset.most")
    return tuple(
        Preset(amount, named[amount]) for amount in sorted(set(named).intersection(amounts))
    )


def to_call(state: "PokerState") -> int:
    """Chips that a call costs the seat to act; 0 if it may check."""
    return state.facts.price


def hand_name(game: "Poker", state: "PokerState", hand: Hand) -> Phrase | None:
    """Name the combination of cards and board, as "a pair of tens"; None if there are fewer than
    five cards.
    """
    return hand_phrase(hand, state.board, state.own_cards)


def narrate(game: "Poker", state: "PokerState", seat: int, action: Action) -> Phrase:
    who, (verb, *numbers) = SeatRef(seat), action
    match verb:
        case "fold":
            return phrase("poker.folded", who=who)
        case "call":
            return _call_phrase(state, who)
        case "raise":
            return _raise_phrase(state, who, numbers[0])
        case "exchange" if numbers:
            return phrase("poker.exchanged", who=who, count=len(numbers))
        case "exchange":
            return phrase("poker.stood_pat", who=who)
        case "show":
            cards = tuple(numbers)
            hand_name = hand_phrase(cards, state.board, state.own_cards)
            if hand_name is None:
                return phrase("poker.showed", who=who, cards=_visible_cards(cards))
            return phrase("poker.showed.made", who=who, cards=_visible_cards(cards), made=hand_name)
        case "rebuy":
            return phrase("poker.rebought", who=who, chips=game.stack)
        case "decline":
            return phrase("poker.declined", who=who)
    return phrase("poker.mucked", who=who)


def _call_phrase(state: "PokerState", who: SeatRef) -> Phrase:
    cost = to_call(state)
    if not cost:
        return phrase("poker.checked", who=who)
    return phrase(
        "poker.called.all_in" if _is_all_in(state, cost) else "poker.called", who=who, chips=cost
    )


def _raise_phrase(state: "PokerState", who: SeatRef, amount: int) -> Phrase:
    hand = state.facts
    all_in = _is_all_in(state, amount - hand.bets[hand.actor or 0])
    if max(hand.bets, default=0):
        key = "poker.raised.all_in" if all_in else "poker.raised"
    else:
        key = "poker.bet.all_in" if all_in else "poker.bet"
    return phrase(key, who=who, chips=amount)


def _is_all_in(state: "PokerState", placed: int) -> bool:
    """Check whether the seat to act puts in all its chips."""
    return placed >= state.facts.stacks[state.facts.actor or 0]


def news(game: "Poker", before: "PokerState | None", after: "PokerState") -> tuple[Phrase, ...]:
    """Describe changes that no action shows: hands opened for silent seats, higher stakes, the
    button at the start of a hand, and cards turned up on the board.
    """
    if before is None:
        return ()
    return (*_claim_news(before, after), *_board_news(before, after))


def _claim_news(before: "PokerState", after: "PokerState") -> tuple[Phrase, ...]:
    """Name the seats whose time ran out while they were all in and that keep their claim to the
    pots. Name the hands that the other seats opened for them.
    """
    claims = [
        phrase("poker.claim", who=SeatRef(seat))
        for seat in after.lapsed
        if seat not in before.lapsed
    ]
    if after.result is None or after.result is before.result:
        return tuple(claims)
    opened = [(seat, cards) for seat, cards in after.result.shown if seat in before.hands_to_open]
    return (
        *claims,
        *(
            _opened_hand_phrase(seat, cards, hand_phrase(cards, before.board, before.own_cards))
            for seat, cards in opened
        ),
    )


def _opened_hand_phrase(seat: int, cards: Hand, hand_name: Phrase | None) -> Phrase:
    assert hand_name is not None, "no hand is opened before the board is complete"
    return phrase("poker.opened", who=SeatRef(seat), cards=_visible_cards(cards), made=hand_name)


def _board_news(before: "PokerState", after: "PokerState") -> tuple[Phrase, ...]:
    begun = after.hand != before.hand
    posted = after.phase is PokerPhase.PLAY and (begun or before.phase is PokerPhase.DEAL)
    told = (
        *((_begin_phrase(after),) if begun else ()),
        *(_posted_blinds(after) if posted else ()),
    )
    if told:
        return told
    if after.stakes != before.stakes:
        return (_stakes_phrase(after),)
    if len(after.board) <= len(before.board):
        return ()
    return (
        phrase(STREET_KEYS[len(after.board)], cards=_visible_cards(after.board), pot=after.pot),
    )


def _posted_blinds(state: "PokerState") -> tuple[Phrase, ...]:
    """Say who has posted which blind. A seat that does not play, or has paid its last chip as the
    ante, posts none.
    """
    posters = [
        (seat, key)
        for seat, key in zip(state.blind_seats, ("poker.small", "poker.big"), strict=True)
        if seat in state.players
    ]
    if not posters:
        return ()
    bets = state.facts.bets
    chips = [bets[state.players.index(seat)] for seat, _ in posters]
    return tuple(
        phrase(key, who=SeatRef(seat), chips=posted)
        for (seat, key), posted in zip(posters, chips, strict=True)
        if posted
    )


def _stakes_phrase(state: "PokerState") -> Phrase:
    stakes = state.stakes
    if stakes.draw:
        return phrase("poker.risen.draw", ante=stakes.ante, bet=stakes.blind)
    return phrase("poker.risen", small=state.small_blind, big=stakes.blind)


def _begin_phrase(state: "PokerState") -> Phrase:
    stakes, who = state.stakes, SeatRef(state.button)
    if stakes.draw:
        return phrase("poker.begun.draw", number=state.hand, who=who, ante=stakes.ante)
    blinds = {"small": state.small_blind, "big": stakes.blind}
    if stakes.ante:
        return phrase("poker.begun.ante", number=state.hand, who=who, ante=stakes.ante, **blinds)
    return phrase("poker.begun", number=state.hand, who=who, **blinds)


def result(
    game: "Poker", state: "PokerState", before: "PokerState | None" = None
) -> tuple[Phrase, ...]:
    """Describe how the last hand ended: chips returned, then the winners of each pot. Nothing if
    the hand had already ended in `before`.
    """
    result = state.result
    if result is None or (before is not None and result is before.result):
        return ()
    back = [
        phrase("poker.returned", who=SeatRef(seat), chips=chips) for seat, chips in result.uncalled
    ]
    pots = [(_pot_phrase(result, number), pot) for number, pot in enumerate(result.pots)]
    return (
        *back,
        *(
            _win_phrase(result, name, seat, chips, state.own_cards)
            for name, pot in pots
            for seat, chips in pot
        ),
    )


def _pot_phrase(result: PokerResult, number: int) -> Phrase:
    chips = sum(chips for _, chips in result.pots[number])
    if len(result.pots) == 1:
        return phrase("poker.pot", chips=chips)
    return (
        phrase("poker.pot.side", number=number, chips=chips)
        if number
        else phrase("poker.pot.main", chips=chips)
    )


def _win_phrase(result: PokerResult, pot: Phrase, seat: int, chips: int, own: int) -> Phrase:
    about: dict[str, Value] = {"who": SeatRef(seat), "pot": pot}
    hand_name = hand_phrase(dict(result.shown).get(seat, ()), result.board, own)
    part = dict(pot.args)["chips"] != chips
    if part:
        about["chips"] = chips
    if hand_name is None:
        return phrase("poker.won.part" if part else "poker.won", **about)
    return phrase("poker.won.part.with" if part else "poker.won.with", **about, made=hand_name)


def prompt(
    game: "Poker", state: "PokerState", seat: int, offers: tuple[Offer, ...]
) -> Phrase | None:
    """Say which bets are possible, or how cards are exchanged or shown."""
    kinds = {offer.kind for offer in offers}
    match state.decision:
        case Decision.EXCHANGE:
            assert offers[0].places is not None
            return phrase("poker.prompt.exchange", most=offers[0].places.most)
        case Decision.REBUY:
            return phrase("poker.prompt.rebuy")
        case Decision.BET:
            return _bet_prompt(to_call(state), kinds)
    return phrase("poker.prompt.show" if "muck" in kinds else "poker.prompt.show.must")


def _bet_prompt(cost: int, kinds: set[str]) -> Phrase:
    """Name the possible bets."""
    if cost:
        raises = "raise" in kinds or "bet" in kinds
        return phrase("poker.prompt.call.raise" if raises else "poker.prompt.call", chips=cost)
    if "bet" in kinds:
        return phrase("poker.prompt.check.bet")
    return phrase("poker.prompt.check.raise" if "raise" in kinds else "poker.prompt.check")


def unfit(game: "Poker", state: "PokerState", seat: int, offers: tuple[Offer, ...]) -> Phrase:
    """Say what cards are for."""
    return phrase("poker.unfit")


def ending(game: "Poker", state: "PokerState") -> Phrase | None:
    """Say who has all the chips, or the most after the last hand; None if the others left."""
    able = [seat for seat in range(game.seats) if state.chips[seat] and seat not in state.out]
    rules: AnyGame = game  # the edition of `state`
    winner = rules.winner(state)
    if state.hand >= game.hands and len(able) > 1:
        scores = score_text([chips for chips in state.chips if chips])
        if winner is None:
            return phrase("poker.ending.tie", count=state.hand, scores=scores)
        return phrase("poker.ending.most", count=state.hand, who=SeatRef(winner), scores=scores)
    if winner is None or any(state.chips[seat] for seat in state.out):
        return None
    return phrase("poker.ending.all", who=SeatRef(winner), chips=state.chips[winner])
