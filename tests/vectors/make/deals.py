"""Whole deals without a match around them: made by honest private halves, and folded again from
JSON.

A step of a deal is [author, kind, body]. It is an entry of the dealing protocol, or a request of
the game: `looks` (body: number, receiver, pile, part), `reveals` (piece, part), `puts away` (slots,
part), `shuffles` (pile, part), `turns` (pile, places, part), `hides cards` (cards, seats or nil,
part), `looks at` (cards, seats, part), `reveals cards` (cards, part), `opens card` (card, piece,
part), `closes` (the seats that show; none: all), `protest`, `leaves`. The author -1 means
everybody, or nobody in particular.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from protocol.codes import Code
from protocol.crypto.envelopes import MatchKey, new_key
from protocol.crypto.seeded_random import SeededRandom
from protocol.dealing import TABLE, DealContext, Dealing, DealLoss, Fault
from protocol.dealing.registry import DEALINGS
from protocol.errors import Refused, RemoteError
from protocol.games.operations import (
    EVERYBODY,
    Look,
    LookAt,
    OpenCard,
    Operation,
    Pile,
    PutAway,
    Reveal,
    RevealCards,
    Shuffle,
    ShuffleCards,
    Turn,
)

OPERATIONS: dict[str, Callable[..., Operation]] = {
    "looks": Look,
    "reveals": Reveal,
    "puts away": lambda slots: PutAway(tuple(slots)),
    "shuffles": Shuffle,
    "turns": lambda pile, places: Turn(pile, tuple(places)),
    "hides cards": lambda cards, by: ShuffleCards(tuple(cards), None if by is None else tuple(by)),
    "looks at": lambda cards, seats: LookAt(tuple(cards), tuple(seats)),
    "reveals cards": lambda cards: RevealCards(tuple(cards)),
    "opens card": OpenCard,
}
Step = list[Any]


def take(dealing: Dealing[Any], state: Any, step: Step, at: int) -> Any:
    """Apply a step. `at` is its number, from 1. Raises: RemoteError."""
    author, kind, body = step
    match kind:
        case _ if kind in OPERATIONS:
            *values, part = body
            return dealing.apply_operations(state, author, (OPERATIONS[kind](*values),), [part], at)
        case "closes":
            return dealing.close(state, tuple(body) if body else None, at)
        case "protest":
            return dealing.protest(state, author, at)
        case "leaves":
            left = dealing.leave(state, author, at)
            assert not isinstance(left, DealLoss)
            return left
    if kind not in dealing.entry_shapes or not dealing.entry_shapes[kind](body):
        raise Refused(Code.BAD_ENTRY)
    if (author, kind) not in state.duties():
        raise Refused(Code.NOT_NOW)
    return dealing.apply(state, author, kind, body, at)


def folded(dealing: str, context: dict[str, Any], steps: list[Step]) -> tuple[Any, list[list[Any]]]:
    """Return the final state, and the authors with a duty at the beginning and after each step."""
    state: Any = DEALINGS[dealing].begin(read_context(context), 0)
    duties = [[list(duty) for duty in state.duties()]]
    for at, step in enumerate(steps, 1):
        state = take(DEALINGS[dealing], state, step, at)
        duties.append([list(duty) for duty in state.duties()])
    return state, duties


def read_context(given: dict[str, Any]) -> DealContext:
    """Read a context from JSON."""
    lists = ("identities", "match_keys", "present")
    tuples = {name: tuple(given[name]) for name in lists}
    return DealContext(**given | tuples | {"piles": tuple(map(_read_pile, given["piles"]))})


def _read_pile(given: dict[str, Any]) -> Pile:
    names = {"each": "hand_size", "up": "face_up_places"}
    return Pile(
        **{names.get(name, name): value for name, value in given.items()}
        | {"face_up_places": tuple(given.get("up", ()))}
    )


def _write_pile(pile: Pile) -> dict[str, Any]:
    """Write a pile, with its owner if it has one."""
    own = {"owner": pile.owner, "up": pile.face_up_places} if pile.is_own_deck else {}
    loose = {"owner": pile.owner, "loose": True} if pile.loose else {}
    return {"size": pile.size, "each": pile.hand_size, **own, **loose}


def result_of(state: Any) -> dict[str, Any]:
    """Return the result of a closed deal."""
    if state.result is None:
        return {"result": None}
    dealt, drawn = (
        [list(hand) for hand in hands] for hands in (state.result.dealt, state.result.drawn)
    )
    return {
        "result": {"dealt": dealt, "drawn": drawn},
        "faults": [list(fault) for fault in state.result.faults],
    }


def refuse_faults(faults: tuple[Fault, ...]) -> None:
    """Raise the code of the first fault, so that a deal with a fault at its end counts as
    refused.
    """
    if faults:
        raise RemoteError(faults[0].code)


class Played:
    """A deal of honest parties with fixed randomness."""

    def __init__(
        self,
        dealing: str,
        rng: SeededRandom,
        seats: int,
        piles: Sequence[Pile],
        options: dict[str, Any] | None = None,
    ) -> None:
        self.name, self.dealing, self.rng = dealing, DEALINGS[dealing], rng
        self.keys: list[MatchKey] = [new_key(rng) for _ in range(seats)]
        self.context = DealContext(
            match_id=rng.randbytes(32),
            deal_number=0,
            table_key=rng.randbytes(32),
            identities=tuple(rng.randbytes(32) for _ in range(seats)),
            match_keys=tuple(key.public for key in self.keys),
            present=tuple(range(seats)),
            piles=tuple(piles),
            options=options or {},
        )
        self.state: Any = self.dealing.begin(self.context, 0)
        self.halves: dict[int, Any] = {
            seat: self.dealing.seat_half(self.context, seat, key, rng)
            for seat, key in enumerate(self.keys)
        }
        if (table := self.dealing.table_half(self.context, rng)) is not None:
            self.halves[TABLE] = table
        self.steps: list[Step] = []
        # change of a step by a dishonest party
        self.tamper: Callable[[Step], Step] = lambda step: step

    def take(self, author: int, kind: str, body: Any) -> None:
        """Add a step."""
        step = self.tamper([author, kind, plain(body)])
        self.state = take(self.dealing, self.state, step, len(self.steps) + 1)
        self.steps.append(step)

    def run(self) -> None:
        """Let everybody post duties until none is left."""
        while sum(self._step(author) for author in self.halves):
            """Somebody posted, so somebody else may have to."""

    def _step(self, author: int) -> bool:
        if self.state.result is not None or author in getattr(self.state, "departed", ()):
            return False
        post = self.halves[author].next_post(self.state)
        if post is not None:
            self.take(author, post.kind, post.body)
        return post is not None

    def draw(self, seat: int, pile: int = 0) -> None:
        """Let a seat draw."""
        self.look(1, seat, pile)

    def look(self, count: int, seat: int, pile: int = 0) -> None:
        """Let a seat look at cards of a stock, or turn them up."""
        part = (
            [] if seat == EVERYBODY else self.halves[seat].part(self.state, Look(count, seat, pile))
        )
        self.ask("looks", seat, [count, seat, pile, part])

    def show(self, seat: int, which: int = 0) -> None:
        """Let a seat show a piece of its hand."""
        piece = self.halves[seat].hand[which]
        self.ask("reveals", seat, [piece, self.halves[seat].part(self.state, Reveal(piece))])

    def turn(self, seat: int, pile: int, *places: int) -> None:
        """Let a seat turn up places of its own deck."""
        part = self.halves[seat].part(self.state, Turn(pile, places))
        self.ask("turns", seat, [pile, places, part])

    def ask(self, kind: str, author: int = EVERYBODY, body: Any = ()) -> None:
        """Add a request of the game."""
        self.take(author, kind, list(body))
        self.run()

    def given(self) -> dict[str, Any]:
        """Return the deal as the input of an operation."""
        piles = [_write_pile(pile) for pile in self.context.piles]
        context = asdict(self.context) | {"options": dict(self.context.options), "piles": piles}
        return {"dealing": self.name, "context": plain(context), "steps": self.steps}

    def at(self, kind: str, author: int | None = None, which: int = 0) -> int:
        """Return the index of a step of this kind."""
        found = [
            i for i, step in enumerate(self.steps) if step[1] == kind and author in (None, step[0])
        ]
        return found[which]


def plain(value: Any) -> Any:
    """Convert tuples to lists, as JSON does."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value
