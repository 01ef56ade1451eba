"""`ledger verify`: judge a file of records without other data (docs/protocol, chapter 24)."""

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from protocol.codes import Code, code_phrase
from protocol.errors import RemoteError
from protocol.identity.keys import short_fingerprint
from protocol.ledger.alarms import Alarm
from protocol.ledger.bundle import read_bundle
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.link_checks import check_links
from protocol.ledger.pictures import PictureCheck, check_pictures
from protocol.ledger.record_codec import kind_of
from protocol.ledger.record_contents import (
    Attestation,
    CardType,
    FraudProof,
    Instance,
    Trade,
    Waive,
)
from protocol.ledger.records import LedgerRecord, parents, read_record
from protocol.ledger.view import Holding, LedgerView
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Translate, phrase_renderer, sanitize

# exit codes
HOLDS = 0
WRONG = 1
MISSING = 3


@dataclass(frozen=True)
class FileVerdict:
    """Result for a file. `wrong`: numbers of invalid records, from 1, with the reasons."""

    view: LedgerView
    records: tuple[LedgerRecord, ...]
    wrong: tuple[tuple[int, Code], ...]
    missing: int  # number of records with missing ancestors

    @property
    def status(self) -> int:
        """Exit status."""
        if self.wrong or self.view.alarms:
            return WRONG
        if self.missing:
            return MISSING
        return HOLDS


def run_ledger(
    options: argparse.Namespace, read: Callable[[Path], bytes], translate: Translate
) -> tuple[int, str]:
    """Return the exit status and the text to print. A damaged file does not hide the contents of
    others.

    Raises: LocalError.
    """
    raws: list[bytes] = []
    images: list[tuple[str, tuple[bytes, ...]]] = []
    damage: list[Phrase] = []
    for path in options.files:
        try:
            bundle = read_bundle(read(path))
            raws += bundle.raws
            images.append((sanitize(path.name), bundle.images))
        except RemoteError as error:
            why = code_phrase(error.code)
            damage.append(phrase("cardfile.file", name=sanitize(path.name), why=why))
    if len(damage) == len(options.files):
        return WRONG, _render(damage, translate)
    found = verify_records(raws)
    for name, some in images:
        pictures = check_pictures(some, found.records)
        damage += _damaged_pictures(name, pictures)
    status = WRONG if damage else found.status
    return status, _render([*damage, *_phrases(found, status)], translate)


def verify_records(raws: Iterable[bytes]) -> FileVerdict:
    """Read and judge records in any order."""
    read: dict[bytes, LedgerRecord] = {}
    wrong: list[tuple[int, Code]] = []
    numbers: dict[bytes, int] = {}
    for number, raw in enumerate(raws, 1):
        try:
            record = read_record(raw)
        except RemoteError as error:
            wrong.append((number, error.code))
        else:
            read.setdefault(record.id, record)
            numbers.setdefault(record.id, number)
    for record in read.values():
        try:
            check_links(record.content, read.get)
        except RemoteError as error:
            wrong.append((numbers[record.id], error.code))
    return FileVerdict(
        IncrementalLedgerView(read.values()),
        tuple(read.values()),
        tuple(sorted(wrong)),
        _missing(read),
    )


def _missing(read: dict[bytes, LedgerRecord]) -> int:
    """Return the number of records with missing ancestors."""
    after: dict[bytes, list[bytes]] = defaultdict(list)
    lacking = []
    for key, record in read.items():
        for parent in parents(record.content):
            after[parent].append(key)
            if parent not in read:
                lacking.append(key)
    found: set[bytes] = set()
    while lacking:
        key = lacking.pop()
        if key not in found:
            found.add(key)
            lacking += after[key]
    return len(found)


def _phrases(found: FileVerdict, status: int) -> Iterable[Phrase]:
    kinds = Counter(kind_of(record.content) for record in found.records)
    yield phrase(
        "cardfile.records",
        count=len(found.records),
        kinds=", ".join(f"{n} {kind}" for kind, n in kinds.items()),
    )
    for number, code in found.wrong:
        yield phrase("cardfile.wrong", number=number, code=code, why=code_phrase(code))
    if found.missing:
        yield phrase("cardfile.missing", count=found.missing)
    names = {
        record.id: record.content.name
        for record in found.records
        if isinstance(record.content, CardType)
    }
    for key, instance in sorted(
        found.view.instances.items(), key=lambda item: (item[1].type, item[1].serial)
    ):
        yield _card(key, instance, names[instance.type], found.view.holding(key))
    yield phrase(
        "cardfile.trades",
        count=len(found.view.trades),
        void=len(found.view.trades) - len(found.view.live),
    )
    yield from map(_alarm, found.view.alarms)
    yield phrase(("cardfile.holds", "cardfile.cheated", "", "cardfile.open")[status])


def _damaged_pictures(name: str, pictures: PictureCheck) -> Iterable[Phrase]:
    count = len(pictures.foreign)
    if count:
        yield phrase("cardfile.pictures", count=count, name=name, numbers=pictures.numbers)
    if pictures.lacking:
        yield phrase("cardfile.pictures.lacking", names=sanitize(pictures.names))


def _card(key: bytes, instance: Instance, name: str, held: Holding | None) -> Phrase:
    assert held is not None
    return phrase(
        "cardfile.card.burnt"
        if held.burnt
        else "cardfile.card.settled"
        if held.settled
        else "cardfile.card.held",
        card=key.hex()[:8],
        name=sanitize(name),
        serial=instance.serial,
        maker=short_fingerprint(instance.creator),
        owner=short_fingerprint(held.owner),
    )


def _alarm(alarm: Alarm) -> Phrase:
    """Describe an alarm with its records."""
    match alarm.first.content, alarm.second.content:
        case Trade(), Waive():
            said = "cardfile.alarm.denied"
        case Trade(), _:
            said = "cardfile.alarm.twice"
        case ((Attestation() | FraudProof()), _):
            said = "cardfile.alarm.witness"
        case _:
            said = "cardfile.alarm.creator"
    records = alarm.first.id.hex()[:8], alarm.second.id.hex()[:8]
    return phrase(said, who=short_fingerprint(alarm.key), first=records[0], second=records[1])


def _render(phrases: Iterable[Phrase], translate: Translate) -> str:
    return "\n".join(map(phrase_renderer(translate, ()), phrases))
