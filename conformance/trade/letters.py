"""Trades by letters (31): letters that are none, and the three letters of a trade."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.kit_cards import CardMaker, give
from conformance.mutations import flip_bit
from conformance.program import TestProgram
from conformance.trace import Trace
from conformance.weak_keys import ORDER_TWO, random_identity
from protocol import wire
from protocol.errors import RemoteError
from protocol.identity.keys import Identity, verify
from protocol.ledger.bundle import read_bundle, write_bundle
from protocol.ledger.record_codec import content_bytes, read_content
from protocol.ledger.record_contents import Trade
from protocol.ledger.records import LedgerRecord, check_signed, content_id, record_of, sign_content
from protocol.ledger.trading.journal import count_signed, sign_standing

GROUP = CaseGroup("letters")
MAGIC = b"fairdeal trade letter 2\n"
NO_ANSWER = "no answer"


@dataclass
class LetterParts:
    """Everything that a letter says, for cases to change."""

    kind: str
    fields: list[Any]
    records: list[LedgerRecord]
    name: str = "Quentin"
    standing: list[Any] = field(default_factory=list)
    yours: list[Any] | None = None
    magic: bytes = MAGIC
    key: bytes = b""


class LetterEnvironment:
    """The program, and the kit as the other person, for one case."""

    def __init__(self, program: TestProgram, folder: Path, trace: Trace, seconds: float) -> None:
        self.program = program
        self.trace = trace
        self.seconds = seconds
        self._folder = folder
        self.rng = Random(folder.name)
        self.me = Identity(self.rng.randbytes(32))
        self.maker = CardMaker(self.rng)
        self.card = self.maker.card(1)
        self.got = give(self.card, self.maker.identity, self.me)
        self._letters = 0

    def parts(self, kind: str, fields: list[Any], *more: LedgerRecord) -> LetterParts:
        """Return the parts of a right letter of the kit, with the records of its card."""
        records = [self.maker.type, self.card, self.got, *more]
        standing = list(sign_standing(self.me, count_signed(())))
        return LetterParts(kind, fields, records, standing=standing, key=self.me.public)

    def offer(self) -> LetterParts:
        """Return the parts of an offer of the kit's card for nothing."""
        return self.parts("offer", [[self.card.id], [], []])

    def letter(self, parts: LetterParts, signer: Identity | None = None) -> bytes:
        """Return a letter."""
        bundle = write_bundle(parts.records)
        said = [parts.kind, parts.name, parts.standing, parts.yours, parts.fields, bundle]
        return self.envelope(parts, wire.encode(said), signer)

    def envelope(self, parts: LetterParts, body: bytes, signer: Identity | None = None) -> bytes:
        """Return a letter with this body."""
        signature = (signer or self.me).sign("trade letter", body)
        return parts.magic + wire.encode([body, parts.key, signature])

    async def read(self, letter: bytes) -> tuple[int, bytes | None]:
        """Let the program read a letter; return its exit code, and the letter that it writes."""
        self._letters += 1
        source, out = (self._folder / f"{self._letters}.{end}" for end in ("trade", "answer.trade"))
        source.write_bytes(letter)
        self.trace.note("the kit", "writes a letter", letter)
        await self.program.start(letter=source, out=out, data=self._folder / "data")
        code = await self.program.exit_code(self.seconds)
        answer = out.read_bytes() if out.exists() else None
        self.trace.note("the program", f"ends with {code}, and its letter is", answer or b"")
        return code, answer

    async def close(self) -> None:
        """End the program."""
        await self.program.kill()


def open_letter(letter: bytes, kind: str) -> tuple[bytes, list[Any]]:
    """Return the key and the fields of the program's letter. Raises: CaseFailed."""
    try:
        body, key, signature = wire.decode(letter[len(MAGIC) :])
        verify(key, signature, "trade letter", body)
        said, _, _, _, fields, bundle = wire.decode(body)
        read_bundle(bundle)
    except (RemoteError, ValueError, TypeError):
        raise CaseFailed("the program's letter is none") from None
    if said != kind or letter[: len(MAGIC)] != MAGIC:
        raise CaseFailed(f"the program's letter is not one of kind {kind}")
    return key, fields


def refusal(make: Callable[[LetterEnvironment], bytes]) -> CaseBody:
    """Make a case: the program reads this letter, and writes none."""

    async def run(arena: LetterEnvironment) -> None:
        code, answer = await arena.read(make(arena))
        if answer is not None:
            raise CaseFailed("the program answers it")
        if code == 0:
            raise CaseFailed("the program says that all is well")

    return run


def changed(**changes: Any) -> Callable[[LetterEnvironment], bytes]:
    """Return a maker of an offer with other parts."""
    return lambda arena: arena.letter(replace(arena.offer(), **changes))


def _of_another(arena: LetterEnvironment) -> bytes:
    """Offer a card that the kit has given away."""
    parts = arena.offer()
    parts.records.append(give(arena.card, arena.me, random_identity(), arena.got))
    return arena.letter(parts)


def _without_trade(arena: LetterEnvironment) -> bytes:
    """Offer a card of the creator."""
    parts = arena.offer()
    parts.records.remove(arena.got)
    return arena.letter(parts)


def _standing_of_another(arena: LetterEnvironment) -> bytes:
    standing = list(sign_standing(random_identity(), count_signed(())))
    return arena.letter(replace(arena.offer(), standing=standing))


def _bit(at: int) -> Callable[[LetterEnvironment], bytes]:
    return lambda arena: flip_bit(arena.letter(arena.offer()), at)


def _answer_to_nothing(arena: LetterEnvironment) -> bytes:
    return arena.letter(arena.parts("answer", [arena.got.id]))


for name, section, make in (
    ("letter-of-no-bytes", "31.1", lambda arena: b""),
    ("letter-without-its-first-line", "31.1", changed(magic=b"")),
    ("letter-of-another-version", "31.1", changed(magic=MAGIC.replace(b"2", b"1"))),
    ("letter-cut-short", "31.1", lambda arena: arena.letter(arena.offer())[:-1]),
    ("letter-with-a-byte-more", "31.1", lambda arena: arena.letter(arena.offer()) + b"\0"),
    ("signature-changed", "31.1", _bit(-1)),
    ("body-changed", "31.1", _bit(len(MAGIC) + 60)),
    (
        "letter-signed-by-another",
        "31.1",
        lambda arena: arena.letter(arena.offer(), random_identity()),
    ),
    ("key-of-small-order", "31.1", changed(key=ORDER_TWO)),
    ("name-in-a-letter-that-steers", "31.1", changed(name="A\x1b[2J")),
    ("kind-that-there-is-not", "31.1", changed(kind="wave")),
    ("fields-of-another-shape", "31.1", changed(fields=[[], []])),
    ("body-that-is-no-list", "31.1", lambda arena: arena.envelope(arena.offer(), b"\xc0")),
    ("standing-of-another", "26.7.2", _standing_of_another),
    ("card-that-was-given-away", "31.2", _of_another),
    ("card-of-somebody-else", "31.2", _without_trade),
    ("answer-to-what-was-never-signed", "31.2.3", _answer_to_nothing),
):
    GROUP.add(name, section, NO_ANSWER, refusal(make))


async def signed_trade(arena: LetterEnvironment) -> tuple[Trade, bytes, bytes]:
    """Let the program answer the kit's offer; return the trade, its first signature and the key."""
    code, answer = await arena.read(arena.letter(arena.offer()))
    if answer is None or code != 0:
        raise CaseFailed(f"the program does not sign the offer, and ends with {code}")
    key, fields = open_letter(answer, "signed")
    trade = read_content(fields[0])
    if not isinstance(trade, Trade) or {trade.a, trade.b} != {key, arena.me.public}:
        raise CaseFailed("the program signs something else than a trade of the two")
    try:
        check_signed(key, trade, fields[1])
    except RemoteError:
        raise CaseFailed("the first signature is wrong") from None
    (transfer,) = trade.transfers
    if (transfer.instance, transfer.prev, trade.giver(transfer)) != (
        arena.card.id,
        arena.got.id,
        arena.me.public,
    ):
        raise CaseFailed("the program signs another trade than was offered")
    return trade, fields[1], key


async def trade_by_letters(arena: LetterEnvironment) -> None:
    """Offer, first signature, and the trade with both."""
    trade, theirs, _ = await signed_trade(arena)
    mine = sign_content(arena.me, trade)
    both = (mine, theirs) if trade.a == arena.me.public else (theirs, mine)
    record = record_of(trade, *both)
    code, answer = await arena.read(arena.letter(arena.parts("answer", [record.id], record)))
    if (code, answer) != (0, None):
        raise CaseFailed(f"the program does not finish the trade, and ends with {code}")


@GROUP.case("31.2", "the same bytes")
async def offer_that_is_read_again(arena: LetterEnvironment) -> None:
    """Read an offer twice. The answer is the same trade: nothing is signed twice."""
    letter = arena.letter(arena.offer())
    answers = []
    for _ in range(2):
        code, answer = await arena.read(letter)
        if answer is None or code != 0:
            raise CaseFailed(f"the program does not answer, and ends with {code}")
        answers.append(open_letter(answer, "signed")[1])
    if answers[0] != answers[1]:
        raise CaseFailed("the program signs another trade for the same offer")


@GROUP.case("31.2.3", NO_ANSWER)
async def answer_with_another_signature(arena: LetterEnvironment) -> None:
    """The kit's answer has the trade with a signature that is none."""
    trade, theirs, _ = await signed_trade(arena)
    mine = flip_bit(sign_content(arena.me, trade))
    both = (mine, theirs) if trade.a == arena.me.public else (theirs, mine)
    raw = wire.encode([content_bytes(trade), *both])
    record = LedgerRecord(raw, content_id(trade), trade)
    code, _ = await arena.read(arena.letter(arena.parts("answer", [record.id], record)))
    if code == 0:
        raise CaseFailed("the program takes the trade for finished")
