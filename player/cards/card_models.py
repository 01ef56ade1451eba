"""What screens show of cards: plain frozen values, ready for JSON. Ids, keys' fingerprints and
digests are text.

A screen asks for nothing else, and decides nothing: whether a card is settled, burnt or may be
traded stands here. All of it is as far as this computer knows; a screen says so. `settled` alone is
more: no later cheat can undo it.
"""

from dataclasses import dataclass
from enum import StrEnum

from protocol.view.phrase import Phrase


class Mark(StrEnum):
    """What this person thinks of a key, as creator or as partner."""

    TRUSTED = "trusted"
    UNMARKED = "unmarked"
    DISTRUSTED = "distrusted"


class State(StrEnum):
    """How firmly somebody has a card. The order is that of the binder: firmest first."""

    SETTLED = "settled"  # certified: nobody can undo it
    HELD = "held"  # as far as this computer knows
    # one's own signature on a trade of it is with somebody who has not answered
    RESERVED = "reserved"
    BURNT = "burnt"  # given away twice or waived by its owner: dead for ever


class Standing(StrEnum):
    """What a trade counts for."""

    SETTLED = "settled"
    STANDS = "stands"
    VOID = "void"


class Kind(StrEnum):
    """What an alarm proves."""

    # two trades give the same card, out of the same hand, to two people
    DOUBLE_SPEND = "double_spend"
    WAIVED = "waived"  # a finished trade, and the word of one of the two that it never was
    WITNESS = "witness"  # a witness signed that it saw two trades of the same card first
    CREATOR = "creator"  # a creator signed two versions of one thing


@dataclass(frozen=True)
class PersonShown:
    """A key, and what is known of it here. `name`: its own, or that of an earlier match; empty if
    there is none.
    """

    fingerprint: str
    short: str
    name: str
    mark: Mark
    you: bool
    creator: bool
    alarms: int  # that name this key


@dataclass(frozen=True)
class CardShown:
    """One card that somebody owns, or could. `type` is common to all copies; `values` is what
    stands on it.
    """

    id: str
    short: str  # the beginning of `id`: names it here
    type: str
    name: str
    edition: str
    text: str
    values: tuple[tuple[str, int | str], ...]
    image: str | None  # digest
    serial: int
    frozen: bool  # whether its creator can never change it
    revision: int
    creator: PersonShown
    owner: PersonShown | None  # None: known by its name alone
    state: State
    trades: int  # how many hands it has gone through


@dataclass(frozen=True)
class StackShown:
    """All copies of one type in one binder, the firmest first."""

    type: str
    name: str
    image: str | None
    cards: tuple[CardShown, ...]


@dataclass(frozen=True)
class EditionShown:
    """A page of the binder. `there_are`: types of this edition that are known here, owned or
    not.
    """

    name: str
    creator: PersonShown
    stacks: tuple[StackShown, ...]
    there_are: int


@dataclass(frozen=True)
class Binder:
    """One person's cards, by edition."""

    owner: PersonShown
    editions: tuple[EditionShown, ...]
    cards: int
    settled: int
    reserved: int
    burnt: int


@dataclass(frozen=True)
class TradeShown:
    """A signed trade. `gives` goes from `one` to `other`, `takes` the other way; one's own are seen
    from one's side.
    """

    id: str
    short: str
    one: PersonShown
    other: PersonShown
    gives: tuple[CardShown, ...]
    takes: tuple[CardShown, ...]
    standing: Standing
    waived: bool


@dataclass(frozen=True)
class AlarmShown:
    """Proof against somebody, in two records. `undone`: trades that no longer count because of it,
    by their ids.
    """

    id: str
    short: str
    kind: Kind
    named: PersonShown
    first: str
    second: str
    cards: tuple[CardShown, ...]
    undone: tuple[str, ...]


@dataclass(frozen=True)
class RunShown:
    """A printing that its creator has bound itself to: so many cards, in so many sealed packs."""

    id: str
    edition: str
    number: int
    cards: int
    packs: int
    pack_size: int


@dataclass(frozen=True)
class CreatorShown:
    """Who makes cards. A trade of them is settled when `quorum` of its `witnesses` (0: never) have
    signed it.
    """

    person: PersonShown
    revision: int
    link: str
    icon: str | None
    witnesses: tuple[PersonShown, ...]
    quorum: int
    editions: tuple[str, ...]
    types: int
    runs: tuple[RunShown, ...]


@dataclass(frozen=True)
class Proposal:
    """What a person must see before they sign: what comes, what goes, from whom, and what there is
    to say about it.
    """

    partner: PersonShown
    comes: tuple[CardShown, ...]
    goes: tuple[CardShown, ...]
    alarms: tuple[AlarmShown, ...]  # that name the partner
    settles: bool  # whether witnesses can certify it
    allowed: bool  # by the person's own policy
    warnings: tuple[Phrase, ...]
