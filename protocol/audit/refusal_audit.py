"""Audit of a refusal: the log up to the head that the table judged at, the refused entry, and the
table's signed refusal.
"""

from enum import StrEnum

from protocol.audit.replay import Replay
from protocol.codes import Code, code_phrase
from protocol.errors import RemoteError
from protocol.games.registry import BUILT_IN, Games
from protocol.i18n import english
from protocol.identity.keys import fingerprint
from protocol.match.log_reader import LogReader
from protocol.match.refusal import (
    UNDECIDABLE_CODES,
    SavedRefusal,
    check_refusal,
    decode_saved_refusal,
    is_acceptable,
)
from protocol.view.phrase import phrase
from protocol.view.text import Translate, phrase_renderer, two_columns


class RefusalFinding(StrEnum):
    """Result of the audit of a refusal. Only the two findings in `TABLE_FAULTS` prove a fault."""

    FALSE = "false"  # the table refused an entry that could stand
    FORKED = "forked"  # the refusal's head is not the log's: the table signed two logs
    RIGHT = "right"  # the entry could not stand
    OUTSIDE = "outside"  # the reason lies outside the log
    UNSIGNED = "unsigned"  # no refusal, or not signed by this match's table
    SHORT = "short"  # the log ends before the head, or cannot be read here


TABLE_FAULTS = {RefusalFinding.FALSE: Code.TABLE_REFUSED, RefusalFinding.FORKED: Code.TABLE_FORKED}
_FINDING_KEYS = {
    RefusalFinding.FALSE: "refusal.false",
    RefusalFinding.FORKED: "refusal.forked",
    RefusalFinding.RIGHT: "refusal.right",
    RefusalFinding.OUTSIDE: "refusal.outside",
    RefusalFinding.UNSIGNED: "refusal.unsigned",
    RefusalFinding.SHORT: "refusal.short",
}


def judge_refusal(log: bytes, kept: bytes, games: Games = BUILT_IN) -> RefusalFinding:
    """Judge the bytes of a `*.refusal` file by the bytes of a log file. No content of the files
    makes it raise.
    """
    try:
        judged = decode_saved_refusal(kept)
    except RemoteError:
        return RefusalFinding.UNSIGNED
    replay = Replay(log, games)
    steps = iter(replay)
    if next(steps, None) is None or replay.reader is None:
        return RefusalFinding.SHORT
    reader = replay.reader
    setup = reader.log.setup
    try:
        if not setup.has_table:
            return RefusalFinding.UNSIGNED
        check_refusal(judged.refusal, reader.log.match_id, setup.table.key)
    except RemoteError:
        return RefusalFinding.UNSIGNED
    while reader.log.next_number <= judged.refusal.number and next(steps, None) is not None:
        """One entry further."""
    return _judge(reader, judged)


def _judge(reader: LogReader, kept: SavedRefusal) -> RefusalFinding:
    """Judge the refusal at the end of the entries read so far.

    This is the head that the table judged at, if the log goes that far.
    """
    entry, refusal = kept
    if reader.log.next_number != refusal.number + 1:
        return RefusalFinding.SHORT
    if reader.log.chain_hashes[-1] != refusal.hash:
        return RefusalFinding.FORKED
    if refusal.code in UNDECIDABLE_CODES:
        return RefusalFinding.OUTSIDE
    legal = not reader.over and is_acceptable(reader.log, reader.match, entry)
    return RefusalFinding.FALSE if legal else RefusalFinding.RIGHT


def refusal_lines(
    finding: RefusalFinding,
    log: bytes,
    kept: bytes,
    games: Games = BUILT_IN,
    translate: Translate = english,
) -> list[str]:
    """Describe the finding, with the values that prove it."""
    say = phrase_renderer(translate, ())
    lines = [say(phrase(_FINDING_KEYS[finding]))]
    if finding in (RefusalFinding.UNSIGNED, RefusalFinding.SHORT):
        return lines
    replay = Replay(log, games)
    next(iter(replay))
    assert replay.reader is not None
    refusal = decode_saved_refusal(kept).refusal
    setup = replay.reader.log.setup
    why = code_phrase(Code(refusal.code)) if refusal.code in set(Code) else "?"
    rows = [
        (phrase("label.table"), setup.table.key.hex()),
        (phrase("label.fingerprint"), fingerprint(setup.table.key)),
        (phrase("label.match"), replay.reader.log.match_id.hex()),
        (phrase("label.entry"), refusal.entry_hash.hex()),
        (phrase("label.number"), str(refusal.number)),
        (phrase("label.hash"), refusal.hash.hex()),
        (phrase("label.code"), refusal.code if refusal.code in set(Code) else "?"),
        (phrase("label.signature"), refusal.signature.hex()),
    ]
    return [
        *lines,
        say(phrase("refusal.said", number=refusal.number, why=why)),
        *two_columns(rows, say, "  "),
    ]
