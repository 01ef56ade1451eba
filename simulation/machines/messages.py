"""What players and the coordinator say to each other, and how it is written.

A message is a canonical MessagePack list: the run (8 bytes), who sends, who is meant, the number of
its kind, and its fields. Times are microseconds. A piece is 40 · player + 10 · colour + number - 1:
a token that some one process is answerable for. It goes along with a lay; with the answer it comes
back, unless it was laid.
"""

from enum import IntEnum
from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_MACHINES, MAX_NEIGHBOURS
from protocol.schema import Shape, either, exactly, fields, flag, many, nothing, uint
from simulation.models import CARDS, NUMBERS

RUN = 8  # bytes that name a run
COORDINATOR = MAX_MACHINES  # its number; players have those below
Instant = float  # microseconds; whole ones where they travel


class LayVerdict(IntEnum):
    """What became of a lay."""

    LAID = 0
    LATE = 1  # another has laid it, or the round is over
    NEVER = 2  # it has not fitted so far


class Init(NamedTuple):
    """The coordinator deals: 40 cards (0 to 39), how many of them lie open in the row, and who is
    next to whom.
    """

    neighbours: tuple[int, ...]
    deck: tuple[int, ...]
    row: int


class Ready(NamedTuple):
    """A player has its cards."""


class Start(NamedTuple):
    """Play, from an instant on, or now."""

    at: Instant | None


class Lay(NamedTuple):
    """A card for the piles of who is meant. Numbers rise from one call of a player to the next."""

    number: int
    piece: int


class Answer(NamedTuple):
    """To a lay: what became of it. If it was not laid, the card comes back.

    `at` is when it was laid; for a late one, when another was, so that who asks knows whether it
    fitted when it asked.
    """

    number: int
    verdict: LayVerdict
    piece: int | None
    at: Instant


class Look(NamedTuple):
    """What lies open at who is meant?"""

    number: int


class Seen(NamedTuple):
    """To a look: the row, the top of the discards, and how many cards lie on the pile of each
    colour.
    """

    number: int
    row: tuple[int | None, ...]
    top: int | None
    heights: tuple[int, ...]


class Stop(NamedTuple):
    """A player has turned its last stock card."""

    at: Instant


class End(NamedTuple):
    """It is over; the stop's instant."""

    at: Instant


class Points(NamedTuple):
    """What has a player got? With `undo`, without all that was accepted after the stop's
    instant.
    """

    at: Instant
    undo: bool


class Tally(NamedTuple):
    """What a player has counted."""

    laid: int  # own cards on piles, without those undone
    after: int  # cards laid after the stop, undone or not
    attempts: int  # lays that neighbours were asked for
    looks: int
    late: int
    flips: int


class Score(NamedTuple):
    """To `Points`: a player's counts and every card that it is answerable for, its piles in the
    order of colours.
    """

    at: Instant
    tally: Tally
    stock: tuple[int, ...]
    held: tuple[int, ...]
    piles: tuple[tuple[int, ...], ...]


class Lost(NamedTuple):
    """A neighbour has not answered in time."""

    neighbour: int


class Alive(NamedTuple):
    """A process says that it is there, and for how many players from the sender's number on it
    plays.
    """

    players: int


class Over(NamedTuple):
    """The coordinator has done; processes may end."""


class Wake(NamedTuple):
    """To oneself, never sent: go on at this instant."""

    at: Instant


class Check(NamedTuple):
    """To oneself, never sent: see at this instant whether what is waited for is overdue."""

    at: Instant


Message = (
    Init
    | Ready
    | Start
    | Lay
    | Answer
    | Look
    | Seen
    | Stop
    | End
    | Points
    | Score
    | Lost
    | Alive
    | Over
    | Wake
    | Check
)
Out = list[tuple[int, Message]]  # to whom, what

_PIECE = uint(MAX_MACHINES * CARDS - 1)
_MAYBE = either(_PIECE, nothing)
_COUNT = uint(2**53)
_COLOURS = CARDS // NUMBERS
_CARDS = many(_PIECE, 0, CARDS)
_TALLY = fields(*(_COUNT,) * len(Tally._fields))

# The number of a kind is its place here.
KINDS: tuple[tuple[Any, Shape], ...] = (
    (
        Init,
        fields(
            many(uint(MAX_MACHINES - 1), 1, MAX_NEIGHBOURS),
            many(uint(CARDS - 1), CARDS, CARDS),
            uint(5),
        ),
    ),
    (Ready, fields()),
    (Start, fields(either(_COUNT, nothing))),
    (Lay, fields(_COUNT, _PIECE)),
    (Answer, fields(_COUNT, uint(max(LayVerdict)), _MAYBE, _COUNT)),
    (Look, fields(_COUNT)),
    (Seen, fields(_COUNT, many(_MAYBE, 0, 5), _MAYBE, many(uint(NUMBERS), _COLOURS, _COLOURS))),
    (Stop, fields(_COUNT)),
    (End, fields(_COUNT)),
    (Points, fields(_COUNT, flag)),
    (
        Score,
        fields(_COUNT, _TALLY, _CARDS, _CARDS, many(many(_PIECE, 0, NUMBERS), _COLOURS, _COLOURS)),
    ),
    (Lost, fields(uint(MAX_MACHINES - 1))),
    (Alive, fields(uint(MAX_MACHINES))),
    (Over, fields()),
)
_NUMBERS = {kind: number for number, (kind, _) in enumerate(KINDS)}
_HEAD = fields(exactly(RUN), uint(COORDINATOR), uint(COORDINATOR), uint(len(KINDS) - 1))
_HEADS = 4  # items


def encode(run: bytes, sender: int, to: int, message: Message) -> bytes:
    """A message's bytes. Raises: LocalError if something in it cannot be written."""
    return wire.encode([run, sender, to, _NUMBERS[type(message)], *map(_plain, message)])


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return int(value) if type(value) is LayVerdict else value


def decode(run: bytes, data: bytes) -> tuple[int, int, Message]:
    """Who sends, who is meant, what. Raises: RemoteError(BAD_ENCODING | BAD_MESSAGE), of another
    run too.
    """
    value = wire.decode(data)
    if type(value) is not list or not _HEAD(value[:_HEADS]) or value[0] != run:
        raise RemoteError(Code.BAD_MESSAGE)
    kind, shape = KINDS[value[3]]
    values = value[_HEADS:]
    if not shape(values):
        raise RemoteError(Code.BAD_MESSAGE)
    return value[1], value[2], _READ.get(kind, kind._make)(values)


def _score(values: list[Any]) -> Score:
    at, tally, stock, held, piles = values
    return Score(at, Tally(*tally), tuple(stock), tuple(held), tuple(map(tuple, piles)))


_READ = {
    Init: lambda values: Init(tuple(values[0]), tuple(values[1]), values[2]),
    Seen: lambda values: Seen(values[0], tuple(values[1]), values[2], tuple(values[3])),
    Score: _score,
    Answer: lambda values: Answer(values[0], LayVerdict(values[1]), values[2], values[3]),
}
