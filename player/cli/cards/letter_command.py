"""Command `fairdeal cards trade --letter`: a trade by three files. Between two files all state is
in the data folder.
"""

import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from player.cards.card_files import picture_lines
from player.cards.card_models import Proposal
from player.cards.card_names import NoSuchCard, resolve_card
from player.cards.trades.trade_letter import SUFFIX, Letter, LetterKind, read_letter, write_letter
from player.cards.trades.trader import proposal
from player.cli import arguments
from player.cli.cards.card_program import CLEAN, FAILED, Program
from player.storage.files import write_whole
from player.ui.terminal.cards import card_text
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.i18n.language_choice import own_language
from protocol.ledger.bundle import write_bundle
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import Trade
from protocol.ledger.records import LedgerRecord, content_id
from protocol.ledger.retention import evidence
from protocol.ledger.trading.events import TradeSummary
from protocol.ledger.trading.journal import JournalCount, check_standing, sign_standing
from protocol.ledger.trading.trade_content import (
    check_trade,
    compose_trade,
    read_trade,
    summarise_trade,
)
from protocol.ledger.trading.trade_signer import TradeSigner
from protocol.limits import (
    MAX_ALARMS_SENT,
    MAX_LETTER_RECORDS,
    MAX_TRADE_LETTER,
    MAX_TRADE_WAIVES,
)
from protocol.view.phrase import phrase


def trade_by_letter(program: Program) -> int:
    """Read the partner's letter, if the command names one, and write the next. Raises: LocalError,
    RemoteError.
    """
    post = _Post(program)
    if not program.args.letter:
        return post.begin()
    letter = _read(Path(program.args.letter))
    post.receive(letter)
    return {
        LetterKind.OFFER: post.sign_first,
        LetterKind.SIGNED: post.sign_second,
        LetterKind.ANSWER: post.end,
    }[letter.kind](letter)


def _read(path: Path) -> Letter:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_TRADE_LETTER + 1)
    except OSError as error:
        raise LocalError("wrong.read", path=str(path), why=str(error.strerror)) from None
    if len(data) > MAX_TRADE_LETTER:
        raise LocalError("wrong.cards.letter.size", path=str(path), mib=MAX_TRADE_LETTER // 1024**2)
    try:
        return read_letter(data)
    except RemoteError as error:
        raise LocalError("wrong.cards.letter", path=str(path), why=error.phrase) from None


@dataclass
class _Post:
    """Step of a trade by letters: reads at most one letter, and writes at most one."""

    program: Program

    def begin(self) -> int:
        """Write the first letter: the offered cards, and the wishes as text."""
        program = self.program
        if not program.args.give:
            raise LocalError("wrong.cards.letter.give")
        give = self._own(program.args.give)
        waives = self._signing.required_waives(give)
        if len(waives) > MAX_TRADE_WAIVES:
            raise LocalError("wrong.trade.waives", most=MAX_TRADE_WAIVES)
        self._write(
            LetterKind.OFFER,
            [sorted(give), list(program.args.want), list(waives)],
            (*give, *waives),
        )
        return CLEAN

    def receive(self, letter: Letter) -> None:
        """Store the records of a letter. They are kept even if the trade fails."""
        program = self.program
        journal = self.program.collection.store.journal
        if letter.key == program.identity.public:
            raise LocalError("wrong.cards.letter.own")
        bundle = letter.opened()
        if len(bundle.raws) > MAX_LETTER_RECORDS:
            raise LocalError(
                "wrong.cards.letter.records", count=len(bundle.raws), most=MAX_LETTER_RECORDS
            )
        check_standing(letter.key, letter.standing)
        known = journal.standing_of(letter.key)
        if known is None or known.made <= letter.standing.made:
            journal.store_standing(letter.key, letter.standing)
        if letter.yours is not None:
            check_standing(program.identity.public, letter.yours)
            journal.record_proven_count(JournalCount(letter.yours.made, letter.yours.digest))
        taken = program.collection.take(bundle.raws, bundle.images)
        if taken.refused:
            raise RemoteError(taken.refused[0])
        program.tell(*picture_lines(program.args.letter, taken.pictures))
        who = card_text.marked(program.showing().person(letter.key))
        program.tell(phrase("cards.letter.from", name=letter.name, who=who))

    def sign_first(self, letter: Letter) -> int:
        """Answer an offer: compose the trade, and sign it if the person agrees."""
        program, (offered, wished, waives) = self.program, letter.fields
        assert isinstance(offered, list) and isinstance(wished, list)
        assert isinstance(waives, list)
        give = self._own(program.args.give)
        if wished:
            program.tell(phrase("cards.letter.wishes", cards=", ".join(wished)))
            if not give and not program.args.yes:
                raise LocalError("wrong.cards.letter.what")
        collection = program.collection
        journal = collection.store.journal
        trade = compose_trade(
            collection.view,
            program.identity.public,
            letter.key,
            give,
            tuple(offered),
            waives=(*self._signing.required_waives(give), *waives),
        )
        check_trade(collection.view, journal, trade, program.identity.public, letter.key)
        promised = collection.store.journal.promise_of(content_id(trade))
        if promised is None:
            terms = self._terms(trade, letter.key)
            if not self._agrees(terms, letter.key):
                program.tell(phrase("cards.trade.none"))
                return FAILED
            promised = self._signing.sign_first(trade, warned=bool(terms.reserved))
        self._write(
            LetterKind.SIGNED,
            [content_bytes(trade), promised.own_signature],
            (*give, *trade.waives),
            letter.key,
        )
        program.tell(phrase("cards.trade.signed"))
        return CLEAN

    def sign_second(self, letter: Letter) -> int:
        """Answer the first signature: sign as well if the person agrees, or else waive."""
        program, (content, theirs) = self.program, letter.fields
        assert isinstance(content, bytes) and isinstance(theirs, bytes)
        trade = read_trade(content, program.identity.public, letter.key)
        trade_id = content_id(trade)
        answer = self._signing.previous_answer(trade_id)
        if answer is None:
            check_trade(
                program.collection.view,
                program.collection.store.journal,
                trade,
                program.identity.public,
                letter.key,
            )
            terms = self._terms(trade, letter.key)
            if self._agrees(terms, letter.key):
                answer = self._signing.sign_second(trade, theirs, warned=bool(terms.reserved))
            else:
                answer = self._signing.waive(trade)
        finished = not isinstance(answer, LedgerRecord) or isinstance(answer.content, Trade)
        known = program.collection.find(trade_id) if finished else answer
        assert isinstance(known, LedgerRecord), "what is answered is kept"
        self._write(LetterKind.ANSWER, [trade_id], (known.id,), letter.key, (known,))
        program.tell(
            phrase(
                "cards.letter.both" if finished else "cards.letter.waived", short=trade_id.hex()[:8]
            )
        )
        return CLEAN if finished else FAILED

    def end(self, letter: Letter) -> int:
        """Tell the partner's answer, which is among the letter's records."""
        program = self.program
        collection = self.program.collection
        (trade,) = letter.fields
        assert isinstance(trade, bytes)
        promised = collection.store.journal.promise_of(trade)
        if promised is None or promised.partner != letter.key:
            raise RemoteError(Code.NOT_NOW)
        if trade in collection.index.trades:
            program.tell(*card_text.trade_lines(program.showing().trade(trade), program.say))
            return CLEAN
        waived = letter.key in collection.index.waived.get(trade, ())
        program.tell(phrase("cards.trade.released" if waived else "cards.trade.unanswered"))
        return FAILED

    # --- the person ---

    def _own(self, texts: list[str]) -> tuple[bytes, ...]:
        own = self.program.collection.view.held_by(self.program.identity.public)
        return tuple(self.program.card(text, own) for text in texts)

    @property
    def _signing(self) -> TradeSigner:
        return TradeSigner(
            self.program.identity, self.program.collection, self.program.collection.store.journal
        )

    def _terms(self, trade: Trade, partner: bytes) -> TradeSummary:
        collection = self.program.collection
        return summarise_trade(
            trade, self.program.identity.public, partner, collection, collection.store.journal
        )

    def _agrees(self, terms: TradeSummary, partner: bytes) -> bool:
        """Show the proposal, and ask the person. With --yes, compare it with the arguments instead.
        Raises: LocalError if the acceptance policy forbids the trade.
        """
        program = self.program
        shown = proposal(program.showing(), program.collection, terms, partner)
        program.tell(*card_text.proposal_lines(shown, program.say))
        if not shown.allowed:
            raise LocalError("wrong.cards.policy")
        if program.args.yes:
            exactly = self._exactly(terms, shown)
            if not exactly:
                program.tell(phrase("cards.trade.not_agreed"))
            return exactly
        program.tell(phrase("cards.trade.ask"))
        answer = sys.stdin.readline().strip().casefold()
        return answer in ("yes", *own_language()("cards.word.yes", None).split("|"))

    def _exactly(self, terms: TradeSummary, shown: Proposal) -> bool:
        names = self.program.showing().names(terms.received)
        try:
            wanted = {resolve_card(text, names) for text in self.program.args.want}
        except NoSuchCard:
            return False
        return (
            set(terms.given) == set(self._own(self.program.args.give))
            and wanted == set(terms.received)
            and not terms.reserved
        )

    # --- answer ---

    def _write(
        self,
        kind: LetterKind,
        fields: list[object],
        about: tuple[bytes, ...],
        to: bytes | None = None,
        more: tuple[LedgerRecord, ...] = (),
    ) -> None:
        """Write a letter with the closures of the records `about`, and with alarms. Raises:
        LocalError.
        """
        program = self.program
        journal = self.program.collection.store.journal
        known = program.collection.records
        alarms = program.collection.view.alarms
        sent = evidence(known, alarms, about, MAX_ALARMS_SENT)
        records = {record.id: record for record in (*sent, *more)}
        standing = sign_standing(program.identity, journal.standing())
        yours = journal.standing_of(to) if to is not None else None
        name = arguments.name_of(program.args, program.rng)
        bundle = write_bundle(records.values(), self._images(records.values()))
        letter = Letter(kind, program.identity.public, name, standing, yours, tuple(fields), bundle)
        path: Path = program.args.out or self._beside(kind)
        data = write_letter(program.identity, letter)
        if len(data) > MAX_TRADE_LETTER or len(records) > MAX_LETTER_RECORDS:
            raise LocalError(
                "wrong.cards.letter.large", mib=MAX_TRADE_LETTER // 1024**2, most=MAX_LETTER_RECORDS
            )
        if not write_whole(path, data, replace=False) and path.read_bytes() != data:
            raise LocalError("wrong.cards.exists", path=str(path))
        program.tell(phrase("cards.letter.written", file=str(path)))

    def _images(self, records: Collection[LedgerRecord]) -> list[bytes]:
        """Return the images of these records, as far as half a letter holds them. A card can be
        traded without its image.
        """
        room = MAX_TRADE_LETTER // 2
        found = []
        for image in self.program.collection.images_of(records):
            room -= len(image)
            if room < 0:
                break
            found.append(image)
        return found

    def _beside(self, kind: LetterKind) -> Path:
        """Return the default path of a letter: beside the letter that it answers."""
        if self.program.args.letter:
            before = Path(self.program.args.letter)
        else:
            before = Path(f"trade{SUFFIX}")
        if not self.program.args.letter:
            return before
        return before.with_name(f"{before.stem}-{kind}{SUFFIX}")
