"""Command `fairdeal creator check`: compares opened runs with the signed runs, and receipts of one
run with each other.
"""

from itertools import combinations
from pathlib import Path

from player.cli.cards.bundle_files import read_file
from player.cli.cards.card_program import CLEAN, FAILED, Program
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.ledger.bundle import SUFFIX
from protocol.ledger.record_contents import Instance, PrintRun
from protocol.ledger.runs.run_opening import (
    check_run_opening,
    duplicate_serials,
    read_opening,
    unsealed_issues,
)
from protocol.ledger.runs.sale_terms import Receipt, contradict, read_receipt
from protocol.limits import MAX_RUN_OPENING, MAX_TERMS
from protocol.view.phrase import phrase

RECEIPT_SUFFIX = ".receipt"


def check(program: Program) -> int:
    """Check files. Return 1 if a file is invalid, or proves that a creator has lied."""
    paths: list[Path] = program.args.files
    receipts = [(path, _receipt(path)) for path in paths if path.suffix == RECEIPT_SUFFIX]
    held = [_check_run(program, path) for path in paths if path.suffix != RECEIPT_SUFFIX]
    clean = all(held)
    for (one, first), (other, second) in combinations(receipts, 2):
        if contradict(first.terms, second.terms):
            program.tell(phrase("creator.lied.terms", one=str(one), other=str(other)))
            clean = False
    if receipts:
        program.tell(phrase("creator.receipts", count=len(receipts)))
    return CLEAN if clean else FAILED


def _check_run(program: Program, path: Path) -> bool:
    """Check that an opening belongs to its run, and that the run is as it was signed."""
    try:
        run_id, packs = read_opening(_bytes(path, MAX_RUN_OPENING))
    except RemoteError as error:
        raise LocalError("wrong.creator.opening", path=str(path), why=error.phrase) from None
    beside = path.with_suffix(SUFFIX)
    if beside.exists():
        program.collection.take(read_file(beside).raws)
    record = program.collection.find(run_id)
    if record is None or not isinstance(record.content, PrintRun):
        raise LocalError("wrong.creator.unknown_run", path=str(path), short=run_id.hex()[:8])
    run = record.content
    cards = {
        one: card
        for one, card in program.collection.index.instances.items()
        if isinstance(card, Instance)
    }
    missing = sum(one not in cards for pack in packs for one in pack.instances)
    if missing:
        raise LocalError("wrong.creator.lacking", path=str(path), count=missing)
    try:
        check_run_opening(run, packs, cards)
    except RemoteError as error:
        if error.code is Code.BAD_RUN:
            said = "creator.lied.run"
        else:
            said = "creator.not_the_run"
        program.tell(phrase(said, file=str(path)))
        return False
    more = [record for record in program.collection.records if isinstance(record.content, Instance)]
    doubled = [
        pair
        for pair in duplicate_serials(more)
        if isinstance(pair[0].content, Instance) and pair[0].content.creator == run.creator
    ]
    outside = unsealed_issues({run: packs}, program.collection.records)
    program.tell(
        phrase(
            "creator.holds",
            file=str(path),
            count=len(packs),
            edition=run.edition,
            number=run.number,
        )
    )
    if outside:
        program.tell(phrase("creator.outside", count=len(outside)))
    for one, other in doubled:
        program.tell(phrase("creator.lied.twins", one=one.id.hex()[:8], other=other.id.hex()[:8]))
    return not doubled


def _receipt(path: Path) -> Receipt:
    try:
        return read_receipt(_bytes(path, MAX_TERMS))
    except RemoteError as error:
        raise LocalError("wrong.creator.receipt", path=str(path), why=error.phrase) from None


def _bytes(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise LocalError("wrong.read", path=str(path), why=str(error.strerror)) from None
