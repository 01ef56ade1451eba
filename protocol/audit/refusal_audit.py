"""Whether a table refused an entry rightly: the log up to the head that it judged at, the entry,
and its own word.
"""

from enum import StrEnum

from protocol.audit.replay import Replay
from protocol.codes import Code, meaning
from protocol.errors import RemoteError
from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import fingerprint
from protocol.i18n import english
from protocol.match.log_reader import Reader
from protocol.match.refusal import OUTSIDE, Kept, acceptable, check_refusal, decode_kept
from protocol.view.phrase import phrase
from protocol.view.text import (Translate, columns, speaker)


class Finding(StrEnum):
    """What a signed refusal and a log come to. Only the two of `NAMES_TABLE` say something about
    anybody.
    """

    FALSE = "false"  # the entry could stand: the table refused a legal one
    FORKED = "forked"  # judged at a head that is not this log's: the table signed two logs
    RIGHT = "right"  # the entry could not stand
    OUTSIDE = "outside"  # for a reason that is not of the log
    UNSIGNED = "unsigned"  # not a refusal, or not signed by this match's table
    SHORT = "short"  # the log does not go as far as the head, or is not to be read here


NAMES_TABLE = {Finding.FALSE: Code.TABLE_REFUSED, Finding.FORKED: Code.TABLE_FORKED}
_WORDS = {
    Finding.FALSE: "refusal.false",
    Finding.FORKED: "refusal.forked",
    Finding.RIGHT: "refusal.right",
    Finding.OUTSIDE: "refusal.outside",
    Finding.UNSIGNED: "refusal.unsigned",
    Finding.SHORT: "refusal.short",
}


def judge_refusal(log: bytes, kept: bytes, games: Games = BUILT_IN) -> Finding:
    """Judge the bytes of a `*.refusal` file by those of a log file. Never raises for what is in
    them.
    """
    try:
        judged = decode_kept(kept)
    except RemoteError:
        return Finding.UNSIGNED
    replay = Replay(log, games)
    steps = iter(replay)
    if next(steps, None) is None or replay.reader is None:
        return Finding.SHORT
    reader = replay.reader
    setup = reader.log.setup
    try:
        if not setup.has_table:
            return Finding.UNSIGNED
        check_refusal(judged.refusal, reader.log.match_id, setup.table.key)
    except RemoteError:
        return Finding.UNSIGNED
    while reader.log.number <= judged.refusal.number and next(steps, None) is not None:
        """One entry further."""
    return _judge(reader, judged)


def _judge(reader: Reader, kept: Kept) -> Finding:
    """Judge at the end of what has been read, which is the head that the table judged at if the log
    goes so far.
    """
    entry, refusal = kept
    if reader.log.number != refusal.number + 1:
        return Finding.SHORT
    if reader.log.hashes[-1] != refusal.hash:
        return Finding.FORKED
    if refusal.code in OUTSIDE:
        return Finding.OUTSIDE
    legal = not reader.over and acceptable(reader.log, reader.match, entry)
    return Finding.FALSE if legal else Finding.RIGHT


def refusal_lines(
    finding: Finding,
    log: bytes,
    kept: bytes,
    games: Games = BUILT_IN,
    translate: Translate = english,
) -> list[str]:
    """The finding in words, and what proves it."""
    say = speaker(translate, ())
    lines = [say(phrase(_WORDS[finding]))]
    if finding in (Finding.UNSIGNED, Finding.SHORT):
        return lines
    replay = Replay(log, games)
    next(iter(replay))
    assert replay.reader is not None
    refusal = decode_kept(kept).refusal
    setup = replay.reader.log.setup
    why = meaning(Code(refusal.code)) if refusal.code in set(Code) else "?"
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
        *columns(rows, say, "  "),
    ]
