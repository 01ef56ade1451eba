"""Commands that import cards from files and creators' links, or export them."""

import sys
from pathlib import Path

from player.cards.card_files import (
    import_lines,
    ownership_records,
    picture_lines,
    read_cards,
)
from player.cards.creator_news import creator_links, fetch_news, fetch_over_https
from player.cli.cards.card_program import CLEAN, FAILED, Program
from player.storage.files import write_whole
from player.ui.terminal.cards import card_text
from protocol.errors import LocalError
from protocol.ledger.bundle import SUFFIX, CardBundle, write_bundle
from protocol.ledger.record_contents import Instance
from protocol.ledger.records import LedgerRecord
from protocol.limits import MAX_BUNDLE
from protocol.view.phrase import phrase


def import_files(program: Program) -> int:
    """Import files. Return 1 if a file has an invalid record, or a picture that belongs to none."""
    clean = True
    for path in program.args.files:
        bundle = read_file(path)
        before = len(program.collection.view.alarms)
        taken = program.collection.take(bundle.raws, bundle.images)
        program.tell(*import_lines(str(path), taken))
        if before:
            new = program.collection.view.alarms[before:]
        else:
            new = program.collection.view.alarms
        for alarm in new:
            program.tell(*card_text.alarm_lines(program.showing().alarm(alarm), program.say))
        clean = clean and not taken.refused and not taken.pictures.foreign
    if program.collection.store.journal.is_outdated():
        program.tell(LocalError("wrong.trade.old").phrase)
    program.collection.tidy()
    return CLEAN if clean else FAILED


def read_file(path: Path) -> CardBundle:
    """Read the bundle in a file; `-` is standard input. Raises: LocalError."""
    try:
        if str(path) == "-":
            data = sys.stdin.buffer.read(MAX_BUNDLE + 1)
        else:
            with path.open("rb") as file:
                data = file.read(MAX_BUNDLE + 1)
    except OSError as error:
        raise LocalError("wrong.read", path=str(path), why=str(error.strerror)) from None
    return read_cards(data, str(path))


def export_cards(program: Program) -> int:
    """Export cards, with all records that prove their ownership, to a new file."""
    path: Path = program.args.out
    if path.suffix != SUFFIX:
        named = path.with_suffix(SUFFIX) if path.name else path / f"my-cards{SUFFIX}"
        raise LocalError("wrong.cards.suffix", path=str(named))
    records = _choose_records(program)
    if not records:
        raise LocalError("wrong.cards.export.nothing")
    if not write_whole(
        path, write_bundle(records, program.collection.images_of(records)), replace=False
    ):
        raise LocalError("wrong.cards.exists", path=str(path))
    cards = sum(isinstance(record.content, Instance) for record in records)
    program.tell(phrase("cards.given", file=str(path), count=len(records), cards=cards))
    return CLEAN


def _choose_records(program: Program) -> tuple[LedgerRecord, ...]:
    """Return the records to export, parents first. An export of everything includes alarms."""
    collection = program.collection
    args = program.args
    if args.cards and (args.all or args.alarms):
        raise LocalError("wrong.cards.export.which")
    if args.all:
        return tuple(collection.records)
    cards = [program.card(text) for text in args.cards] or None
    if args.alarms:
        cards = [record.id for one in collection.view.alarms for record in one.records]
    return ownership_records(collection, cards)


def update(program: Program) -> int:
    """Fetch news of the named creators, or of all trusted creators. Return 1 if a creator's link
    failed.
    """
    named = [program.key(text) for text in program.args.who] or None
    asked = creator_links(program.collection, named)
    clean = True
    for creator, link in asked.items():
        news = fetch_news(program.collection, creator, link, fetch_over_https)
        who = card_text.marked(program.showing().person(creator))
        if news.failed is not None:
            program.tell(phrase("cards.update.failed", who=who, why=news.failed))
            clean = False
            continue
        program.tell(phrase("cards.update.new", who=who, count=news.new))
        if news.refused:
            program.tell(phrase("cards.update.refused", count=news.refused))
        program.tell(*picture_lines(link, news.pictures))
    if not asked:
        program.tell(phrase("cards.update.nobody"))
    return CLEAN if clean else FAILED
