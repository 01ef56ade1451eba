"""Rules of games: pure values in, pure values out. Rules know nothing of keys, entries, their
numbers, or dealings.

A game says what it wants next (a deal, `Act`, `Settle`, `Over`); the fold sees to it and resumes
the game. What is wanted, and an action too, may be about hidden pieces (`operations`): the fold has
the dealing protocol do that first. States are frozen and hold what everybody knows; a hand is
passed in where one is needed. Two states are equal (and hash alike) if nothing that the rules can
be asked tells them apart.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from protocol.codes import Code
from protocol.games.operations import CardOperation, Lay, Look, Operation, Shuffle

if TYPE_CHECKING:
    from protocol.crypto.joint_randomness import JointRandomness

Piece = int  # index into `Game.pieces`
# a name, then integers, short texts or byte strings; encodes as a MessagePack list
Action = tuple[Any, ...]
Hand = tuple[Piece, ...]  # in the order that the holder's seat and `PutAway` count them in


@dataclass(frozen=True)
class Act:
    """One of these seats is to act; or, if they are independent, any of them may at any time.

    In an `IndependentGame` they may again and again, first come, first served; in another each acts
    once, and what one does takes nothing from the others.
    """

    seats: tuple[int, ...]
    simultaneous: bool = False
    # independent seats that are waited for, each by its own clock; None: all
    awaited: tuple[int, ...] | None = None
    # a seat's program acts by itself where its hand leaves no choice; it has the time of a step
    automatic: bool = False

    @property
    def awaited_seats(self) -> tuple[int, ...]:
        """The seats whose duty it is to act: their time can run out."""
        return self.seats if self.awaited is None else self.awaited


@dataclass(frozen=True)
class Settle:
    """The hand is over: these seats (None: all) show what they hold, then call `Game.settle`."""

    show: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Over:
    """The match has ended; `Game.scores` is final."""


# A deal, operations that no seat asks for (done in their order), or one of those above.
Want = Lay | tuple[Look | Shuffle | CardOperation, ...] | Act | Settle | Over


@dataclass(frozen=True)
class Misplay:
    """A seat broke the rules out of sight: in which action, and how."""

    seat: int
    action: int  # counted from 0 over all that `Game.apply` was given since the deal began
    code: Code


class Game(Protocol):
    """One game's rules, for a number of seats and a set of options. `state` is the game's own
    frozen type.
    """

    name: str
    seats: int
    pieces: tuple[str, ...]  # a printable name for each piece, all different
    required_operations: tuple[
        Lay | Operation, ...
    ]  # an example of each that only some dealing protocols offer; no `Lay`: hands and one stock

    def start(self, chance: "JointRandomness") -> Any:
        """The state before the first deal; `chance` decides what is left to it, as who deals
        first.
        """

    def wants(self, state: Any) -> Want:
        """What must happen next."""

    def after_deal(self, state: Any, turned_up: Hand) -> Any:
        """The state after a deal or operations that it wanted; `turned_up` are the deal's open
        pieces, in order: those of the stocks, then for each own deck the pieces of `Pile.up`, in
        the order of that; then, after operations that it wanted, those of their `RevealCards`, in
        the order asked, but of cards that were hidden again since.

        Whose deck a piece is of, its number says; a deck whose owner has left before it turned up
        anything has none.
        """

    def parse(self, raw: object) -> Action:
        """An action from decoded MessagePack; raises `Refused(BAD_ACTION)` for anything else."""

    def check(self, state: Any, seat: int, action: Action) -> tuple[Operation, ...]:
        """Whether the action is legal as far as everybody can see (raises `Refused`), and what it
        asks of the deal.
        """

    def legal(self, state: Any, seat: int, hand: Hand) -> tuple[Action, ...]:
        """All that this seat may do now with this hand, in a stable order; empty when it is not its
        turn.
        """

    def apply(self, state: Any, seat: int, action: Action) -> Any:
        """The state after a checked action (whose operations are done)."""

    def timeout(self, state: Any, seat: int) -> Action | None:
        """What is done for a seat to act whose time is over, by those who do not know its hand: it
        moves no piece.

        For `apply` alone, without `check`. None: the game cannot go on with this seat, which counts
        as having left.
        """

    def forfeit(self, state: Any, seat: int) -> Any:
        """The state after a seat has left for good: it acts no more, gets no more pieces and cannot
        win.

        What it holds is out of play, and is shown when the hand is settled if everybody has to
        show. An action of its own that has begun is applied before, or never; those of others go
        on. Raises `Refused(NOT_NOW)` for a seat that has left already, and when the match is over:
        who goes at the same time is not told of then, and is no winner whatever `winner` says.
        """

    def abandon(self, state: Any) -> Any | None:
        """The state after a hand that cannot go on: so many have left that its pieces cannot be
        opened any more.

        Nobody must be better off by it than by leaving himself, and nobody who stays be robbed.
        None: there is no fair end, and the match is over without a winner. May be asked for as soon
        as `dealt` has been called, and never once the game wants `Over`.
        """

    def settle(
        self, state: Any, dealt: tuple[Hand, ...], drawn: tuple[Hand, ...]
    ) -> tuple[Any, tuple[Misplay, ...]]:
        """Score the hand from what each seat was dealt and drew (in order), and name every hidden
        misplay.

        A seat that had left before the hand, or did not have to show what it held, has () in both.
        """

    def scores(self, state: Any) -> tuple[int, ...]:
        """Points of each seat so far."""

    def winner(self, state: Any) -> int | None:
        """The seat that has won the match; None while it is going on or when nobody did."""


@runtime_checkable
class IndependentGame(Protocol):
    """A game (`Game` too) in which seats act at the same time: first come, first served, in the
    order of the log.
    """

    def was_overtaken(self, state: Any, seat: int, action: Action, seen: int) -> bool:
        """Whether an action that `check` refuses was right in what its author had seen, and others
        were faster.

        `seen`: so many actions of the deal (of the match, if nothing is dealt) its author had seen
        applied. What was wrong then already is no bad luck: False.
        """


@runtime_checkable
class TurningGame(Game, Protocol):
    """A game in which seats turn up places of their own decks (`Pile.owner`, `Turn`)."""

    def after_turn(self, state: Any, seat: int, pieces: Hand) -> Any:
        """The state in which it is known what an action of this seat has turned up, in the order of
        its operations.

        Asked for just before `apply` of that action.
        """


@dataclass(frozen=True)
class MatchBinding:
    """What something is bound to that players commit to in a game: this match, and who sits
    where.
    """

    match_id: bytes
    identities: tuple[bytes, ...]  # Ed25519 public keys, by seat


@runtime_checkable
class BoundGame(Protocol):
    """A game (`Game` too) whose players commit to something in it: their decks, or what they bring
    to a toss.
    """

    def bind(self, state: Any, bound: MatchBinding) -> Any:
        """The first state, from `Game.start`, with what the commitments are bound to. Asked for
        once.
        """


@runtime_checkable
class TeamGame(Protocol):
    """A game (`Game` too) in which seats win together."""

    def team(self, state: Any, seat: int) -> tuple[int, ...]:
        """The seats that win if this one does, itself too, ascending; none that has left."""


@runtime_checkable
class ClaimGame(Protocol):
    """A game (`Game` too) in which who can do nothing more but show keeps a claim, though its time
    has run out.

    `Settle.show` names such seats then: the others open their hands, where the dealing protocol
    lets them.
    """

    def keep_claim(self, state: Any, seat: int, left: bool) -> Any | None:
        """The state after the time of this seat has run out, for good if it has left by that: its
        hand is opened in the end. None: it has no such claim, and `timeout` or `forfeit` hold."""

    def drop_claims(self, state: Any) -> Any:
        """The state when such hands cannot be opened: as if `timeout` had held for these seats."""


@runtime_checkable
class SitOutGame(Protocol):
    """A game (`Game` too) in which a seat may sit out: its turns end at once, as if its time were
    over.
    """

    def sit_out_choice(self, state: Any, seat: int) -> bool | None:
        """What a seat that is still in the match may say now: True, that it sits out; False, that
        it is back; None.
        """

    def sit_out(self, state: Any, seat: int, out: bool) -> Any:
        """The state after it has said so. If it is its turn that is still so: the fold ends it,
        with `Game.timeout`.
        """
