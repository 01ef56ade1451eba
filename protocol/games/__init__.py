"""Interface of the rules of games: pure values in, pure values out. Rules know nothing of keys, of
entries and their numbers, or of dealings.

A game says what it wants next: a deal, operations on pieces, `Act`, `Settle` or `Over`. The fold
does this and then resumes the game. A deal, and an action too, may need operations on hidden pieces
(`operations`); the fold has the dealing protocol do these first.

A game derives from `Game`. What only some games can do is a method with a default: the default says
that the game does not do it.

States are frozen. A state contains public knowledge only; a method that needs a hand takes the hand
as a parameter. Two states are equal, and have equal hashes, if the rules answer every question
alike for both.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from protocol.codes import Code
from protocol.games.operations import CardOperation, Lay, Look, Operation, Shuffle

if TYPE_CHECKING:
    from protocol.crypto.joint_randomness import JointRandomness

Piece = int  # index into `Game.pieces`
# A name, followed by integers, short texts or byte strings. An entry encodes it as a MessagePack
# list.
Action = tuple[Any, ...]
Hand = tuple[Piece, ...]  # The order matters: `PutAway` names pieces by their index in the hand.


@dataclass(frozen=True)
class Act:
    """Request to act. Without `simultaneous`, each seat in `seats` acts once, and no seat's action
    takes anything from another seat.

    With `simultaneous` in a `real_time` game, each of these seats may act at any time and
    repeatedly: first come, first served.
    """

    seats: tuple[int, ...]
    simultaneous: bool = False
    # Seats that the match waits for, each with its own clock. None: all of `seats`. Fewer than
    # `seats` only if `simultaneous`.
    awaited: tuple[int, ...] | None = None
    # The seat's program acts by itself if the hand leaves it no choice. The time limit is that of a
    # protocol step.
    automatic: bool = False

    @property
    def awaited_seats(self) -> tuple[int, ...]:
        """Seats that have a duty to act, so that their time can run out."""
        return self.seats if self.awaited is None else self.awaited


@dataclass(frozen=True)
class Settle:
    """Request to settle the hand: the seats in `show` (None: all seats) show their hands, then the
    fold calls `Game.settle`.
    """

    show: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Over:
    """End of the match: `Game.scores` is final."""


# The tuple is a sequence of operations that no seat has asked for; they are done in this order.
Want = Lay | tuple[Look | Shuffle | CardOperation, ...] | Act | Settle | Over


@dataclass(frozen=True)
class Misplay:
    """Broken rule that came to light only at the end of the hand: seat, action and code of the
    fault.
    """

    seat: int
    # number of the action: counts all calls of `Game.apply` since the deal began, from 0
    action: int
    code: Code


@dataclass(frozen=True)
class MatchBinding:
    """Match and seating to which the players' commitments in a game are bound."""

    match_id: bytes
    identities: tuple[bytes, ...]  # Ed25519 public keys, by seat


S = TypeVar("S")


class Game(ABC, Generic[S]):
    """Rules of one game, for a number of seats and a set of options. `S` is the game's own frozen
    type of state.

    Each game implements the abstract methods. A game with pieces also implements `after_deal`, and
    usually `settle` and `abandon`. The other methods are for games that need them. A default that
    raises NotImplementedError is never called unless the game asks for it.
    """

    name: str
    seats: int
    pieces: tuple[str, ...] = ()  # a printable name for each piece, all different
    # An example of each operation, or kind of deal, that the game needs and only some dealing
    # protocols offer. Without a `Lay` here the game needs no more than hands and one stock.
    required_operations: tuple[Lay | Operation, ...] = ()
    # Seats act at the same time: first come, first served, in the order of the log. Such a game
    # implements `was_overtaken`, and its spec says `TurnOrder.INDEPENDENT`.
    real_time: ClassVar[bool] = False
    # Seats may sit out. Such a game implements `sit_out_choice` and `sit_out`.
    can_sit_out: ClassVar[bool] = False

    @abstractmethod
    def start(self, chance: "JointRandomness") -> S:
        """Return the state before the first deal. `chance` decides everything that the rules leave
        to chance at the start, such as the first dealer.
        """

    @abstractmethod
    def wants(self, state: S) -> Want:
        """Return the request for the next step of the match."""

    @abstractmethod
    def parse(self, raw: object) -> Action:
        """Convert decoded MessagePack to an action. Raises: `Refused(BAD_ACTION)` if `raw` is no
        action of this game.
        """

    @abstractmethod
    def check(self, state: S, seat: int, action: Action) -> tuple[Operation, ...]:
        """Check that the action is legal by public knowledge, and return the operations that it
        needs. Raises: Refused if the action is illegal.
        """

    @abstractmethod
    def legal(self, state: S, seat: int, hand: Hand) -> tuple[Action, ...]:
        """Return all legal actions of this seat with this hand, in a stable order; none if it is
        not the seat's turn.
        """

    @abstractmethod
    def apply(self, state: S, seat: int, action: Action) -> S:
        """Return the state after an action. The caller has checked the action, and its operations
        are done.
        """

    @abstractmethod
    def forfeit(self, state: S, seat: int) -> S:
        """Return the state after a seat has left for good: the seat acts no more, gets no more
        pieces and cannot win.

        Its hand is out of play, and is shown at the settlement if all seats have to show. If an
        action of this seat has begun, it is either applied before this call or dropped; actions of
        other seats go on.

        Raises: `Refused(NOT_NOW)` if the seat has left already, or if the match is over. So if a
        seat leaves just as the match ends, the rules never learn of it. Such a seat is no winner,
        even if `winner` names it.
        """

    @abstractmethod
    def scores(self, state: S) -> tuple[int, ...]:
        """Points of each seat so far."""

    @abstractmethod
    def winner(self, state: S) -> int | None:
        """Seat that has won the match. None: the match is going on, or nobody has won."""

    def timeout(self, state: S, seat: int) -> Action | None:
        """Return the default action for a seat whose time has run out. The other seats choose it
        without knowing the hand, so it moves no piece.

        The action is for `apply` only, not for `check`. None: the game cannot go on with this seat,
        so the seat counts as having left.
        """
        return None

    # Games with pieces. The defaults suit a game without any.

    def after_deal(self, state: S, turned_up: Hand) -> S:
        """Return the state after a deal, or after operations, that `wants` asked for.

        `turned_up` lists the open pieces of the deal. First come the pieces turned up from the
        stocks, then for each own deck the pieces of `Pile.face_up_places`, in the order of these
        places. After `RevealCards` operations that `wants` asked for, the revealed pieces follow in
        the order of the operations. Cards that were hidden again since are left out.

        The number of a piece says whose deck it belongs to. A deck whose owner left before turning
        up anything contributes no pieces.
        """
        raise NotImplementedError(f"{self.name} asks for no deal")

    def settle(
        self, state: S, dealt: tuple[Hand, ...], drawn: tuple[Hand, ...]
    ) -> tuple[S, tuple[Misplay, ...]]:
        """Score the hand, and name every hidden misplay. `dealt` and `drawn` are the pieces that
        each seat was dealt and drew, in order.

        A seat that left before the hand, or did not have to show its hand, has () in both.
        """
        raise NotImplementedError(f"{self.name} asks for no settlement")

    def abandon(self, state: S) -> S | None:
        """Return the state after a hand that cannot go on, because too many seats have left for its
        pieces to be opened.

        No seat may gain more from this result than from leaving itself, and seats that stay must
        not be robbed. None: no fair end exists, and the match is over without a winner. The fold
        may call this any time after `after_deal`, but not once the game wants `Over`.
        """
        return None

    def brought_text(self, state: S) -> str:
        """Text that a player brought and the options name, such as an own rule file, once it is in
        the log. Empty: there is none, or it is not there yet.
        """
        return ""

    # Games in which the players make commitments, seats win together, or seats have own decks.

    def bind(self, state: S, binding: MatchBinding) -> S:
        """Return the state from `start` with the match that all commitments of the players are
        bound to: to their decks, or to their contributions to a coin toss. Called once.
        """
        return state

    def team(self, state: S, seat: int) -> tuple[int, ...]:
        """Seats that win if `seat` wins, including `seat`, in ascending order and without seats
        that have left.
        """
        return (seat,)

    def after_turn(self, state: S, seat: int, pieces: Hand) -> S:
        """Return the state with the pieces that an action of this seat has turned up from its own
        deck (`Pile.owner`, `Turn`), in the order of the action's operations.

        The fold calls this just before `apply` for the same action.
        """
        raise NotImplementedError(f"{self.name} asks for no Turn")

    # Real-time games.

    def was_overtaken(self, state: S, seat: int, action: Action, seen: int) -> bool:
        """Check whether a refused action was legal in the state that its author had seen, so that
        only faster seats made it illegal.

        `seen` is the number of actions that the author had seen applied, counted from the deal
        (without a deal: from the start of the match). False if the action was illegal in that state
        already: the author was not merely slow.
        """
        return False

    # Games with claims. A seat whose time runs out when it only had to show its hand keeps its
    # claim: the others open the hand, if the dealing protocol can do that. `Settle.show` names the
    # seats with a claim.

    def keep_claim(self, state: S, seat: int, left: bool) -> S | None:
        """Return the state after the time of this seat has run out: the others open its hand at the
        end. `left`: the seat has thereby left for good. None: the seat has no such claim, and
        `timeout` or `forfeit` applies.
        """
        return None

    def drop_claims(self, state: S) -> S:
        """Return the state if the hands of the seats with a claim cannot be opened: as if `timeout`
        had applied to these seats.
        """
        return state

    # Games in which a seat may sit out: each of its turns ends at once, as if its time had run out.

    def sit_out_choice(self, state: S, seat: int) -> bool | None:
        """Choice that a seat in the match has now. True: it may sit out. False: it may come back.
        None: neither.
        """
        return None

    def sit_out(self, state: S, seat: int, out: bool) -> S:
        """Return the state after the seat has chosen to sit out, or to come back. The turn does not
        pass by this: if it is the seat's turn, the fold ends the turn with `timeout`.
        """
        raise NotImplementedError(f"{self.name} has no sitting out")


# Rules that a log, a table or a person has named. The type of their states is known only to the
# rules themselves: other code passes states on as `object`, and never looks into them.
AnyGame = Game[Any]
