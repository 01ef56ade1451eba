"""Messages between players and the coordinator, and their encoding.

A message is a canonical MessagePack list: the run (8 bytes), sender, receiver, number of the kind,
and fields. Times are in microseconds. A piece is 40 · player + 10 · colour + number − 1, and
exactly one process is responsible for it. A lay carries its piece; the answer returns the piece
unless it was laid.
"""

from enum import IntEnum
from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_MACHINES, MAX_NEIGHBOURS
from protocol.schema import Shape, either, exactly, fields, flag, many, nothing, uint
from simulation.models import CARDS, NUMBERS

RUN = 8  # length of a run's name in bytes
COORDINATOR = MAX_MACHINES  # number of the coordinator; players have lower numbers
Instant = float  # microseconds; whole numbers in messages


class LayVerdict(IntEnum):
    """Result of a lay."""

    LAID = 0
    LATE = 1  # another card is there already, or the round is over
    NEVER = 2  # the card has not fitted so far


class Init(NamedTuple):
    """Deal of the coordinator to a player: neighbours, 40 cards (0 to 39), and size of the row."""

    neighbours: tuple[int, ...]
    deck: tuple[int, ...]
    row: int


class Ready(NamedTuple):
    """Reply of a player that has its cards."""


class Start(NamedTuple):
    """Start of play at an instant, or at once."""

    at: Instant | None


class Lay(NamedTuple):
    """Card for the piles of the receiver. Numbers rise with each call of a player."""

    number: int
    piece: int


class Answer(NamedTuple):
    """Answer to a lay: its result, and the card if it was not laid.

    `at` is the time of the lay. For a late lay, `at` is the time of the other lay, so that the
    sender knows whether its card fitted when it asked.
    """

    number: int
    verdict: LayVerdict
    piece: int | None
    at: Instant


class Look(NamedTuple):
    """Request to see the open cards and piles of the receiver."""

    number: int


class Seen(NamedTuple):
    """Answer to a look: the row, the top of the discards, and the height of the pile of each
    colour.
    """

    number: int
    row: tuple[int | None, ...]
    top: int | None
    heights: tuple[int, ...]


class Stop(NamedTuple):
    """News that the sender has turned its last stock card."""

    at: Instant


class End(NamedTuple):
    """End of the round, with the instant of the stop."""

    at: Instant


class Points(NamedTuple):
    """Request for points. With `undo`, lays accepted after the instant of the stop do not count."""

    at: Instant
    undo: bool


class Tally(NamedTuple):
    """Counts of a player."""

    laid: int  # own cards on piles, without undone lays
    after: int  # cards laid after the stop, undone or not
    attempts: int  # lays at neighbours
    looks: int
    late: int
    flips: int


class Score(NamedTuple):
    """Answer to `Points`: counts of a player and all its cards, its piles in the order of
    colours.
    """

    at: Instant
    tally: Tally
    stock: tuple[int, ...]
    held: tuple[int, ...]
    piles: tuple[tuple[int, ...], ...]


class Lost(NamedTuple):
    """News that a neighbour has not answered in time."""

    neighbour: int


class Alive(NamedTuple):
    """Sign of life of a process, with the number of its players; they are numbered from the sender
    on.
    """

    players: int


class Over(NamedTuple):
    """News that the coordinator has finished and processes may end."""


class Wake(NamedTuple):
    """Timer of a machine, never sent: go on at this instant."""

    at: Instant


class Check(NamedTuple):
    """Timer of a machine, never sent: check at this instant that nothing is overdue."""

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
Out = list[tuple[int, Message]]  # receiver and message

_PIECE = uint(MAX_MACHINES * CARDS - 1)
_MAYBE = either(_PIECE, nothing)
_COUNT = uint(2**53)
_COLOURS = CARDS // NUMBERS
_CARDS = many(_PIECE, 0, CARDS)
_TALLY = fields(*(_COUNT,) * len(Tally._fields))

# The number of a kind is its index here.
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
_HEADS = 4  # items before the fields


def encode(run: bytes, sender: int, to: int, message: Message) -> bytes:
    """Encode a message. Raises: LocalError if a value cannot be encoded."""
    return wire.encode([run, sender, to, _NUMBERS[type(message)], *map(_plain, message)])


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return int(value) if type(value) is LayVerdict else value


def decode(run: bytes, data: bytes) -> tuple[int, int, Message]:
    """Decode sender, receiver and message. Raises: RemoteError(BAD_ENCODING | BAD_MESSAGE), also
    for a message of another run.
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
