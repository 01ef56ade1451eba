"""Comparison of two copies of one match. The table's own signatures convict a table that showed two
logs.

The table signs a head for the number of every entry. Two valid signatures of different heads for
one number are a proof. Anybody with the table's public key can check this proof without the rest of
the log. Without a table the author of an entry signs the head after it, so the proof convicts a
seat.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import NamedTuple

from protocol.audit.report_text import unjudged_phrase
from protocol.codes import Code, code_phrase
from protocol.dealing import TABLE
from protocol.errors import RemoteError
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.i18n import english
from protocol.identity.keys import fingerprint
from protocol.match.log import Log, decode_entry
from protocol.match.log_file import SUFFIX, TruncatedLog, read_records
from protocol.view.phrase import SeatRef, phrase
from protocol.view.text import Say, Translate, phrase_renderer, two_columns


@dataclass(frozen=True)
class SameLog:
    """No contradiction: `shared_entries` entries are the same, and only the copy `longer_copy` has
    more.

    `longer_copy` is 0 or 1, or None for copies of the same length.
    """

    shared_entries: int
    longer_copy: int | None


class SignedHead(NamedTuple):
    """A head with a checked signature."""

    author: int  # signer of the head: `TABLE`, or without a table the seat that wrote the entry
    signer: bytes  # the signer's public key
    match_id: bytes
    number: int
    hash: bytes
    signature: bytes


@dataclass(frozen=True)
class ForkProof:
    """Proof that a signer signed two different entries for one number: two heads that differ only
    in their hash.
    """

    heads: tuple[SignedHead, SignedHead]


@dataclass(frozen=True)
class LogsDiverge:
    """Two logs of a match without a table that differ from `number` on.

    Two different seats signed the first entries that differ, one each. This proves no fork.
    """

    number: int


@dataclass(frozen=True)
class DifferentMatches:
    """Two different matches, which prove nothing: anybody may sign heads of many matches."""


@dataclass(frozen=True)
class DamagedCopy:
    """Damage of one copy: from entry `number` on, the copy (0 or 1) differs from the signed bytes,
    and proves nothing.

    Before this entry both copies are the same. The copy `farther` can be read at least as far as
    the other one. None: not even the first entries can be compared.
    """

    copy: int
    number: int
    reason: Code
    farther: int | None = None


@dataclass(frozen=True)
class RulesMissing:
    """The rules of the match are not installed, so its seats and the signers of its heads are
    unknown.
    """

    unknown: UnknownRules


Comparison = SameLog | ForkProof | LogsDiverge | DifferentMatches | DamagedCopy | RulesMissing


class _DamagedCopyError(Exception):
    """Carries a `DamagedCopy` out of an iterator."""

    def __init__(self, what: DamagedCopy) -> None:
        super().__init__()
        self.what = what


def compare(left: bytes, right: bytes, games: Games = BUILT_IN) -> Comparison:
    """Compare the bytes of two log files. A truncated copy counts as far as it can be read. Never
    raises.
    """
    shared = 0
    longer = None
    try:
        for one, other in zip_longest(
            _signed_heads(left, 0, games), _signed_heads(right, 1, games)
        ):
            if one is None or other is None:
                longer = 0 if other is None else 1
            elif one.match_id != other.match_id:
                return DifferentMatches()
            elif one.hash != other.hash:
                if one.signer == other.signer:
                    return ForkProof((one, other))
                return LogsDiverge(one.number)
            else:
                shared += 1
    except _DamagedCopyError as spoilt:
        what = spoilt.what
        other = 1 - what.copy
        if shared:
            return replace(what, farther=other if longer is None else longer)
        return what
    except UnknownRules as unknown:
        return RulesMissing(unknown)
    return SameLog(shared, longer)


def farther(result: Comparison) -> int | None:
    """Return the copy (0 or 1) that goes at least as far as the other; None if the copies
    contradict each other.
    """
    match result:
        case SameLog(_, longer):
            return longer or 0
        case DamagedCopy(farther=copy):
            return copy
    return None


def _signed_heads(data: bytes, copy: int, games: Games) -> Iterator[SignedHead]:
    """Yield every head of a file after a check of its signature. The fold is not run: this is up to
    the audit.
    """
    number = 0
    try:
        for raw, signature in read_records(data):
            if number == 0:
                log = Log(raw, games)
                log.check_head(signature)
            else:
                log.check_next_head(raw, signature)
                log.append_unchecked(raw)
            if log.setup.has_table:
                author = TABLE
            else:
                author = decode_entry(raw).author
            yield SignedHead(
                author,
                log.head_signer(author),
                log.match_id,
                number,
                log.chain_hashes[-1],
                signature,
            )
            number += 1
    except TruncatedLog:
        pass
    except UnknownRules:
        raise
    except RemoteError as error:
        raise _DamagedCopyError(DamagedCopy(copy, number, error.code)) from error
    if number == 0:
        raise _DamagedCopyError(DamagedCopy(copy, 0, Code.BAD_ENCODING))


def comparison_lines(
    result: Comparison, names: tuple[str, str], translate: Translate = english
) -> list[str]:
    """Describe the result for people; `names` are the names of the two copies."""
    say = phrase_renderer(translate, ())
    match result:
        case SameLog(shared, None):
            return [say(phrase("compare.same", entries=shared))]
        case SameLog(shared, int(longer)):
            return [
                say(
                    phrase(
                        "compare.beginning",
                        entries=shared,
                        shorter=names[1 - longer],
                        longer=names[longer],
                    )
                )
            ]
        case ForkProof((one, other)):
            return _fork_lines(one, other, say)
        case LogsDiverge(number):
            return [say(phrase("compare.apart", number=number))]
        case DamagedCopy(copy, 0, Code.BAD_ENCODING):
            return [say(phrase("compare.no_log", copy=names[copy], suffix=SUFFIX))]
        case DamagedCopy(copy, number, reason):
            return [
                say(
                    phrase(
                        "compare.unreadable",
                        copy=names[copy],
                        entry=number,
                        reason=code_phrase(reason),
                    )
                )
            ]
        case RulesMissing(unknown):
            return [say(unjudged_phrase(unknown))]
    return [say(phrase("compare.unlike"))]


def _fork_lines(one: SignedHead, other: SignedHead, say: Say) -> list[str]:
    label = phrase("label.seat")
    honest = phrase("compare.proof.seat")
    if one.author == TABLE:
        label = phrase("label.table")
        honest = phrase("compare.proof.table")
    rows = [
        (label, one.signer.hex()),
        (phrase("label.fingerprint"), fingerprint(one.signer)),
        (phrase("label.match"), one.match_id.hex()),
        (phrase("label.number"), str(one.number)),
    ]
    for head in (one, other):
        rows += [
            (phrase("label.hash"), head.hash.hex()),
            (phrase("label.signature"), head.signature.hex()),
        ]
    forked = phrase("compare.forked", who=SeatRef(one.author), number=one.number)
    return [say(forked), *two_columns(rows, say, "  "), say(honest)]
