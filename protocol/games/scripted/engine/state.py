"""Public state of a game by a rule file: places of cards, open faces, and pending effects."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from protocol.fast_replace import replace
from protocol.games import Action, MatchBinding, Piece
from protocol.games.decks import Face, Mode, Owned
from protocol.games.decks.match_decks import DeckTerms, MatchDecks
from protocol.games.decks.slot_commitments import face_of
from protocol.games.operations import Card, CardOperation
from protocol.games.scripted.rule_file.contract import RuleContract
from protocol.view.phrase import Phrase


class ScriptPhase(StrEnum):
    """Phase of a match."""

    RULES = "rules"  # the text of the rules is to be posted
    DECKS = "decks"  # every seat commits to its deck
    LAY = "lay"  # the cards are to be laid
    PLAY = "play"
    CLOSE = "close"  # the game is won, and hidden hands are still to be judged
    OVER = "over"


class Effect(NamedTuple):
    """Effect that is to be applied. Effects of the engine itself have names that begin with a full
    stop; the others come from rules.
    """

    name: str
    args: tuple[object, ...] = ()
    size: int = 1  # 1, and the size of its arguments: `effects.parse_effects`


@dataclass(frozen=True)
class ChoiceRequest:
    """Request to seats to choose. The choices are applied when all seats have chosen."""

    seats: tuple[int, ...]  # seats that have not chosen yet
    kinds: tuple[int, ...] | None = None  # numbers of the file's kinds of actions; None: all
    turn: bool = True  # the request comes from the order of turns, not from a rule
    search: "PileSearch | None" = None
    chosen: tuple[tuple[int, Action], ...] = ()


@dataclass(frozen=True)
class PileSearch:
    """Search of a pile: a seat looks through it and may take one card. The rest is shuffled in any
    case.
    """

    source: int  # a place, as `to`: an index into `ScriptContext.places`
    to: int
    # function that decides whether a card may be taken; a card that is taken is then shown
    fits: str | None


@dataclass(frozen=True)
class CoinToss:
    """Toss of a coin with `sides` sides. `then` is the function of the file that gets the
    result.
    """

    sides: int
    then: str
    number: int  # number of this toss in the match, from 0
    commitments: tuple[bytes | None, ...]
    nonces: tuple[bytes | None, ...]


@dataclass(frozen=True)
class PendingJudgement:
    """Action that only its author could check. It is judged once the author's hand is open."""

    seat: int
    number: int  # number of the action: counts the actions since the cards were laid, from 0
    act: Mapping[str, object]  # the argument `act` of rules
    hand: tuple[Card, ...]
    size: int  # see `judgement_size`
    # Piece of each card of the hand, if it was public at the time of the action or when the card
    # was shuffled later; otherwise None.
    pieces: tuple[Piece | None, ...]
    before: "ScriptState"  # the state in which the seat was asked

    def hidden(
        self, cards: frozenset[Card], pieces: tuple[Piece | None, ...]
    ) -> "PendingJudgement | None":
        """Return this judgement, updated because `cards` are about to be shuffled. None if one of
        them is a card of the hand that was never public: another piece comes to its place, and
        nobody can judge the action any more.
        """
        if cards.isdisjoint(self.hand):
            return self
        both = zip(self.hand, self.pieces, strict=True)
        kept = tuple(pieces[card] if old is None and card in cards else old for card, old in both)
        lost = any(old is None and card in cards for card, old in zip(self.hand, kept, strict=True))
        return None if lost else replace(self, pieces=kept)


@dataclass(frozen=True)
class ScriptState:
    """Public state of a match. Tuples over places are indexed like `ScriptContext.places`; tuples
    over cards are indexed by card.
    """

    phase: ScriptPhase = ScriptPhase.RULES
    text: str = ""  # text of the rules, once it is in the log
    bound: MatchBinding | None = None  # the match that commitments are bound to
    out: frozenset[int] = frozenset()
    turn: int = 0
    first: int = 0
    turns: int = 0  # number of turns begun
    # Cards of each place, from the bottom up or in the order in which they came.
    lies: tuple[tuple[Card, ...], ...] = ()
    counters: tuple[tuple[int, ...], ...] = ()
    marks: tuple[tuple[tuple[str, int], ...], ...] = ()
    pieces: tuple[Piece | None, ...] = ()  # by card: its piece if public
    # by card: the seats that know it although it is not public
    seen: tuple[frozenset[int], ...] = ()
    queue: tuple[Effect, ...] = ()
    steps: int = 0  # effects applied since a seat last acted, by their weight
    spent: int = 0  # steps of rules and engine since then
    most: int = 0  # limit of `spent`
    wanted: tuple[CardOperation, ...] = ()  # operations that the dealing has to perform
    showing: tuple[Card, ...] = ()  # cards that these operations reveal
    ask: ChoiceRequest | None = None
    # The state in which `ask` was put, once others have chosen or left since. Rules are asked about
    # a choice with this state, so that nothing depends on which entry came first.
    asked: "ScriptState | None" = None
    toss: CoinToss | None = None
    tossed: int = 0
    # Number of sentences that the rules have said, and the sentences since the last action.
    said: tuple[int, tuple[str, ...]] = (0, ())
    acted: int = 0  # number of actions since the cards were laid
    idle: int = 0  # number of consecutive `LEAVE` of idle seats up to now
    # Seats that were only believed in this sequence of `LEAVE`: they alone can know that they had
    # no choice.
    believed: frozenset[int] = frozenset()
    noted: tuple[PendingJudgement, ...] = ()
    decks: MatchDecks | None = None  # None: all seats share one pack
    error: Phrase | None = None  # error of the rules, with its place in the file
    winners: tuple[int, ...] | None = None

    @cached_property
    def idlers(self) -> dict[int, Any]:
        """Cache of `idle.find_choice`, by seat."""
        return {}

    @cached_property
    def trial(self) -> "list[tuple[int, Action, ScriptState]]":
        """Cache of the last checked action and the state after it, so that `apply` need not compute
        it again.
        """
        return []

    @property
    def when_asked(self) -> "ScriptState":
        """State in which the seats were asked to choose."""
        return self if self.asked is None else self.asked

    def to_keep(self) -> "ScriptState":
        """Return the state without everything that a question about a choice does not need."""
        return replace(self, noted=(), said=(self.said[0], ()), wanted=(), showing=(), asked=None)

    def __hash__(self) -> int:
        return hash((self.phase, self.turns, self.acted, self.lies, self.pieces, self.queue))


@lru_cache(512)
def _owned_face(card: Owned) -> Face:
    """Return the face of an owned card. Cached, because each call of a rule needs all faces."""
    return face_of(card, None)


@dataclass(frozen=True)
class ScriptContext:
    """Context that is needed to interpret states: a rule file, the number of seats, and the chosen
    options.
    """

    contract: RuleContract
    seats: int
    options: Mapping[str, str]
    terms: DeckTerms  # terms about decks, if each seat has its own

    def face(self, state: ScriptState, piece: Piece) -> Face | None:
        """Face of a piece, if it is public."""
        if state.decks is None:
            return self.contract.cards[piece]
        opening = state.decks.faces.get(piece)
        if opening is None:
            return None
        if isinstance(opening.card, Owned):
            return _owned_face(opening.card)
        return face_of(opening.card, self.terms.proxies)

    @property
    def tells(self) -> bool:
        """True if the number of a piece determines its face, so that it need not be opened."""
        return not self.contract.own or self.terms.mode is Mode.OPEN

    @cached_property
    def places(self) -> tuple[tuple[int, int | None], ...]:
        """List of all places: (region, seat), where seat is None for a region that all seats
        share.
        """
        return tuple(
            (number, seat)
            for number, zone in enumerate(self.contract.zones)
            for seat in (range(self.seats) if zone.each else (None,))
        )

    def place(self, zone: int, seat: int | None) -> int:
        """Number of a place. Raises: ValueError if there is none."""
        return self.places.index((zone, seat))

    def present(self, state: ScriptState) -> tuple[int, ...]:
        """Seats that have not left, in ascending order."""
        return tuple(seat for seat in range(self.seats) if seat not in state.out)

    def after(self, state: ScriptState, seat: int) -> int:
        """Seat whose turn follows this seat's turn."""
        return next(
            (later for later in self.present(state) if later > seat), self.present(state)[0]
        )
