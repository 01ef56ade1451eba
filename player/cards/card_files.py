"""Files of cards that people send each other: reading, taking in, and writing them."""

from collections.abc import Iterable

from player.cards.collection import CardRecords, Collection, ImportResult
from protocol.codes import Code, code_phrase
from protocol.errors import LocalError, RemoteError
from protocol.ledger.bundle import MAGIC, CardBundle, read_bundle, write_bundle
from protocol.ledger.pictures import PictureCheck
from protocol.ledger.records import LedgerRecord
from protocol.ledger.retention import evidence
from protocol.limits import MAX_ALARMS_SENT, MAX_BUNDLE, MAX_BUNDLE_IMAGES, MAX_BUNDLE_RECORDS
from protocol.view.phrase import Phrase, phrase


def read_cards(data: bytes, name: str) -> CardBundle:
    """Read a bundle. `name`: of the file, for the errors. Raises: LocalError."""
    if len(data) > MAX_BUNDLE:
        raise LocalError("wrong.cards.size", path=name, mib=MAX_BUNDLE // 1024**2)
    try:
        return read_bundle(data)
    except RemoteError as error:
        if error.code is Code.TOO_MANY:
            raise LocalError(
                "wrong.cards.many",
                path=name,
                records=MAX_BUNDLE_RECORDS,
                images=MAX_BUNDLE_IMAGES,
            ) from None
        if not data.startswith(MAGIC):
            raise LocalError("wrong.cards.not_cards", path=name) from None
        raise LocalError("wrong.cards.damaged", path=name, why=error.phrase) from None


def import_lines(name: str, taken: ImportResult) -> list[Phrase]:
    """Return what became of a file, in sentences."""
    lines = [phrase("cards.taken", file=name, count=len(taken.new), known=taken.known)]
    if taken.waiting:
        lines.append(phrase("cards.taken.waiting", count=taken.waiting))
    for code in dict.fromkeys(taken.refused):
        count = taken.refused.count(code)
        lines.append(phrase("cards.taken.refused", count=count, why=code_phrase(code)))
    return lines + picture_lines(name, taken.pictures)


def picture_lines(file: str, pictures: PictureCheck) -> list[Phrase]:
    """Return sentences about the pictures of a file that belong to nothing in it; empty without
    any.
    """
    count = len(pictures.foreign)
    if not count:
        return []
    said = [phrase("cards.pictures", count=count, file=file, numbers=pictures.numbers)]
    if pictures.lacking:
        said.append(phrase("cards.pictures.lacking", names=pictures.names))
    return said


def ownership_records(
    known: CardRecords, cards: Iterable[bytes] | None = None
) -> tuple[LedgerRecord, ...]:
    """Return the records that prove whose these cards are, parents first, with alarms. None: the
    cards of the person.
    """
    chosen = tuple(known.view.held_by(known.me) if cards is None else cards)
    return evidence(known.records, known.view.alarms, chosen, MAX_ALARMS_SENT)


def export_own_cards(collection: Collection) -> bytes:
    """Return a file that proves whose the person's cards are. Raises: LocalError, also without
    cards.
    """
    records = ownership_records(collection)
    if not records:
        raise LocalError("wrong.cards.export.nothing")
    return write_bundle(records, collection.images_of(records))
