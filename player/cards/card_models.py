"""View models of cards: frozen values, ready for JSON. Ids, fingerprints and digests are text.

A screen shows these values and decides nothing itself, such as whether a card is settled or burnt.
All values hold as far as this computer knows, and screens say so. Only `settled` is final: no later
cheat can undo it.
"""

from dataclasses import dataclass
from enum import StrEnum

from protocol.view.phrase import Phrase


class TrustMark(StrEnum):
    """Opinion of this person about a key, as creator or as partner."""

    TRUSTED = "trusted"
    UNMARKED = "unmarked"
    DISTRUSTED = "distrusted"


class OwnershipState(StrEnum):
    """Certainty of an ownership, in the order of the binder: the most certain first."""

    SETTLED = "settled"  # certified: no later record can undo it
    HELD = "held"  # as far as this computer knows
    # the person has signed a trade of the card, and the partner has not answered
    RESERVED = "reserved"
    # its owner gave it away twice, or waived a finished trade: nobody can use it again
    BURNT = "burnt"


class TradeValidity(StrEnum):
    """Validity of a trade."""

    SETTLED = "settled"
    STANDS = "stands"
    VOID = "void"


class AlarmKind(StrEnum):
    """Offence that an alarm proves."""

    # two trades in which one owner gives the same card to two people
    DOUBLE_SPEND = "double_spend"
    WAIVED = "waived"  # a finished trade, and a waive by one of its two sides
    WITNESS = "witness"  # a witness attested two trades of the same card as the first
    CREATOR = "creator"  # a creator signed two versions of one thing


@dataclass(frozen=True)
class PersonShown:
    """A key with the facts that are known of it here. `name`: the name as a creator, or else of an
    earlier match, or empty. `namesake` true: another creator who is known here has a name that
    looks alike.
    """

    fingerprint: str
    short: str
    name: str
    mark: TrustMark
    you: bool
    creator: bool
    alarms: int  # alarms that name this key
    namesake: bool = False


@dataclass(frozen=True)
class CardShown:
    """A card. `type`: id that all copies share; `values`: the values printed on the card."""

    id: str
    short: str  # beginning of `id`, enough to name the card here
    type: str
    name: str
    edition: str
    text: str
    values: tuple[tuple[str, int | str], ...]
    image: str | None  # digest
    serial: int
    frozen: bool  # true if its creator can never revise it
    revision: int
    creator: PersonShown
    owner: PersonShown | None  # None: only the record of the card is known
    state: OwnershipState
    trades: int  # trades that the card has gone through
    witnessed: bool  # false if its creator names no witness: no trade of it is ever settled


@dataclass(frozen=True)
class StackShown:
    """Copies of one type in one binder, the most certain first."""

    type: str
    name: str
    image: str | None
    cards: tuple[CardShown, ...]


@dataclass(frozen=True)
class EditionShown:
    """A page of the binder. `there_are`: known types of this edition, owned or not; `missing`: names
    of those that the person has no copy of.
    """

    name: str
    creator: PersonShown
    stacks: tuple[StackShown, ...]
    there_are: int
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Binder:
    """Cards of one person, by edition."""

    owner: PersonShown
    editions: tuple[EditionShown, ...]
    cards: int
    settled: int
    reserved: int
    burnt: int


@dataclass(frozen=True)
class TradeShown:
    """A signed trade. `gives` goes from `one` to `other`, and `takes` from `other` to `one`. In
    trades of this person `one` is the person.
    """

    id: str
    short: str
    one: PersonShown
    other: PersonShown
    gives: tuple[CardShown, ...]
    takes: tuple[CardShown, ...]
    standing: TradeValidity
    waived: bool


@dataclass(frozen=True)
class AlarmShown:
    """Proof against a key, in two records. `undone`: ids of trades that become void because of
    it.
    """

    id: str
    short: str
    kind: AlarmKind
    named: PersonShown
    first: str
    second: str
    cards: tuple[CardShown, ...]
    undone: tuple[str, ...]


@dataclass(frozen=True)
class PrintShown:
    """A card type in a run. `image`: digest of its picture, which comes with a card; `count`: copies
    that the run has of it.
    """

    name: str
    values: tuple[tuple[str, int | str], ...]
    image: str | None
    count: int


@dataclass(frozen=True)
class RunShown:
    """A print run that its creator is bound to: number of cards and of sealed packs."""

    id: str
    edition: str
    number: int
    cards: int
    packs: int
    pack_size: int


@dataclass(frozen=True)
class CreatorShown:
    """A creator of cards. `quorum`: number of `witnesses` that settle a trade of these cards; 0: no
    trade can be settled.
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
    """Summary of a trade that a person sees before they sign it."""

    partner: PersonShown
    comes: tuple[CardShown, ...]
    goes: tuple[CardShown, ...]
    alarms: tuple[AlarmShown, ...]  # alarms that name the partner
    settles: bool  # true if witnesses can certify the trade
    allowed: bool  # true if the person's acceptance policy allows the trade
    warnings: tuple[Phrase, ...]
