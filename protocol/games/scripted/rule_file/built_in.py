"""Built-in rule files, and the names of rule files in general: digests of their texts."""

from base64 import b32encode
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from protocol.crypto.hashing import digest
from protocol.limits import MAX_RULE_FILE
from protocol.options import TextFormat, Value
from protocol.view.phrase import Phrase, phrase

SUFFIX = ".rules"
DIGEST_BYTES = 25  # bytes of the digest in the name of a file; they make forty letters
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz234567")
BUILT_IN_RULES = ("element-duel", "mau-mau", "mau-mau-shared", "crazy-eights")
# texts of earlier editions: the digest in a match names its text, so matches under them go on
EARLIER_RULES = (
    "element-duel-1",
    "mau-mau-1",
    "mau-mau-shared-1",
    "mau-mau-shared-2",
    "crazy-eights-1",
)


def rule_digest(text: str) -> str:
    """Name of a rule file in the options of a match: forty letters from the digest of its text."""
    return b32encode(digest("rule file", text.encode())[:DIGEST_BYTES]).decode().lower()


@cache
def built_in_text(name: str) -> str:
    """Read the text of a built-in file."""
    return (
        files("protocol.games.scripted")
        .joinpath("rules", name + SUFFIX)
        .read_text(encoding="utf-8")
    )


def text_of_digest(name: str) -> str | None:
    """Return the text of a built-in file by its digest (forty letters); None for other digests."""
    return _texts_by_digest().get(name)


@cache
def _texts_by_digest() -> Mapping[str, str]:
    """Texts of all built-in files, by digest. Cached, because views ask for every word they
    show.
    """
    return MappingProxyType(
        {rule_digest(text): text for text in map(built_in_text, (*BUILT_IN_RULES, *EARLIER_RULES))}
    )


def rules_problem(name: str, text: str) -> Phrase | None:
    """Explain what a player with the rule text `text` (empty: none) has to do before a match by the
    file with digest `name`; None if the player can play.
    """
    if text and rule_digest(text) != name:
        return phrase("script.other_rules", rules=name, yours=rule_digest(text))
    # a longer text could not be posted, and the seat that has to post it would be named as late
    if len(text.encode()) > MAX_RULE_FILE:
        return phrase("rules.long", most=MAX_RULE_FILE)
    return None if text or text_of_digest(name) else phrase("script.no_rules", rules=name)


def _is_digest(value: Value) -> bool:
    return type(value) is str and len(value) == DIGEST_BYTES * 8 // 5 and LETTERS.issuperset(value)


DIGEST_FORMAT = TextFormat(_is_digest, phrase("option.rules.form"))
