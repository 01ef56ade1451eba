"""What everybody knows of a game by a rule file: where cards lie, which faces are open, what is
still to be done.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from protocol.fast_replace import replace
from protocol.games import Action, MatchBinding, Piece
from protocol.games.decks import Face, Mode
from protocol.games.decks.match_decks import DeckTerms, MatchDecks
from protocol.games.decks.match_decks import face as opened_face
from protocol.games.operations import Card, CardOperation
from protocol.games.scripted.rule_file.contract import RuleContract
from protocol.view.phrase import Phrase


class ScriptPhase(StrEnum):
    """Where a match stands."""

    RULES = "rules"  # the text is to be posted
    DECKS = "decks"  # every seat brings a deck
    LAY = "lay"  # the cards are to be laid
    PLAY = "play"
    CLOSE = "close"  # won, and what was hidden is still to be judged
    OVER = "over"


class Effect(NamedTuple):
    """Something that is to be done, by a rule's word or the engine's: those names begin with a full
    stop.
    """

    name: str
    args: tuple[Any, ...] = ()


@dataclass(frozen=True)
class ChoiceRequest:
    """Seats are to choose; what they have chosen counts when all have."""

    seats: tuple[int, ...]  # that have not chosen yet
    kinds: tuple[int, ...] | None = None  # of the file's actions; None: all
    turn: bool = True  # nobody asked but the order of turns
    search: "PileSearch | None" = None
    chosen: tuple[tuple[int, Action], ...] = ()


@dataclass(frozen=True)
class PileSearch:
    """A seat looks through a pile and may take a card of it; what is left is shuffled, whatever it
    does.
    """

    source: int  # places: see `ScriptContext`
    to: int
    fits: str | None  # the function that says whether a card may be taken, which is then shown


@dataclass(frozen=True)
class CoinToss:
    """A coin of so many sides; `then` is the function that is given what it came to."""

    sides: int
    then: str
    number: int  # of all in the match
    commitments: tuple[bytes | None, ...]
    nonces: tuple[bytes | None, ...]


@dataclass(frozen=True)
class PendingJudgement:
    """An action whose author alone knew whether it was right: judged once its hand is open."""

    seat: int
    number: int  # of all that `apply` was given since the cards were laid
    act: Mapping[str, Any]  # as rules are told of it
    hand: tuple[Card, ...]
    # of the hand: that everybody knew then, or when one of them was hidden anew
    pieces: tuple[Piece | None, ...]
    before: "ScriptState"

    def hidden(
        self, cards: frozenset[Card], pieces: tuple[Piece | None, ...]
    ) -> "PendingJudgement | None":
        """The same when these cards are about to be hidden anew; None if one of that hand has not
        been seen by all: what comes to lie in its place is another, and nobody can judge any more.
        """
        if cards.isdisjoint(self.hand):
            return self
        both = zip(self.hand, self.pieces, strict=True)
        kept = tuple(pieces[card] if old is None and card in cards else old for card, old in both)
        lost = any(old is None and card in cards for card, old in zip(self.hand, kept, strict=True))
        return None if lost else replace(self, pieces=kept)


@dataclass(frozen=True)
class ScriptState:
    """Public knowledge only. Tuples over places are by `ScriptContext.places`; those over cards by
    card.
    """

    phase: ScriptPhase = ScriptPhase.RULES
    text: str = ""  # of the rules, once it stands in the log
    bound: MatchBinding | None = None  # what commitments are bound to
    out: frozenset[int] = frozenset()
    turn: int = 0
    first: int = 0
    turns: int = 0  # that have begun
    # the cards of each place, from the bottom up or in the order they came
    lies: tuple[tuple[Card, ...], ...] = ()
    counters: tuple[tuple[int, ...], ...] = ()
    marks: tuple[tuple[tuple[str, int], ...], ...] = ()
    pieces: tuple[Piece | None, ...] = ()  # that everybody knows
    seen: tuple[frozenset[int], ...] = ()  # the seats that know a card besides
    queue: tuple[Effect, ...] = ()
    steps: int = 0  # effects done since somebody acted, as they count
    spent: int = 0  # steps of rules and engine since then
    most: int = 0  # that these may be
    wanted: tuple[CardOperation, ...] = ()  # of the dealing
    showing: tuple[Card, ...] = ()  # those of them that it reveals
    ask: ChoiceRequest | None = None
    toss: CoinToss | None = None
    tossed: int = 0
    # how many sentences the rules have said; those since the last action
    said: tuple[int, tuple[str, ...]] = (0, ())
    acted: int = 0  # actions since the cards were laid
    idle: int = 0  # of them, the last in a row whose seat had nothing that it could do
    # the seats of that row that only they themselves can know it of
    believed: frozenset[int] = frozenset()
    noted: tuple[PendingJudgement, ...] = ()
    decks: MatchDecks | None = None  # None: there is one pack for all
    error: Phrase | None = None  # what the rules broke, and where
    winners: tuple[int, ...] | None = None

    @cached_property
    def idlers(self) -> dict[int, Any]:
        """By seat, what it can be seen to have left to do (`idle.find_choice`): worked out once,
        and not each time.
        """
        return {}

    @cached_property
    def trial(self) -> "list[tuple[int, Action, ScriptState]]":
        """The action that was checked last, and the state after it: `apply` need not do it anew."""
        return []

    def __hash__(self) -> int:
        return hash((self.phase, self.turns, self.acted, self.lies, self.pieces, self.queue))


@dataclass(frozen=True)
class ScriptContext:
    """A rule file with so many seats, and the options that were chosen: what states are read
    with.
    """

    contract: RuleContract
    seats: int
    options: Mapping[str, str]
    terms: DeckTerms  # of decks, where each seat brings one

    def face(self, state: ScriptState, piece: Piece) -> Face | None:
        """What everybody knows a piece to be."""
        if state.decks is None:
            return self.contract.cards[piece]
        return opened_face(state.decks, piece, self.terms) if piece in state.decks.faces else None

    @property
    def tells(self) -> bool:
        """Whether a piece says what is on it, without being opened."""
        return not self.contract.own or self.terms.mode is Mode.OPEN

    @cached_property
    def places(self) -> tuple[tuple[int, int | None], ...]:
        """Each region of the file, and its seat if every seat has one."""
        return tuple(
            (number, seat)
            for number, zone in enumerate(self.contract.zones)
            for seat in (range(self.seats) if zone.each else (None,))
        )

    def place(self, zone: int, seat: int | None) -> int:
        """The number of a place. Raises: ValueError if there is none."""
        return self.places.index((zone, seat))

    def present(self, state: ScriptState) -> tuple[int, ...]:
        """The seats that have not left."""
        return tuple(seat for seat in range(self.seats) if seat not in state.out)

    def after(self, state: ScriptState, seat: int) -> int:
        """Whose turn comes after this seat's."""
        return next(
            (later for later in self.present(state) if later > seat), self.present(state)[0]
        )
