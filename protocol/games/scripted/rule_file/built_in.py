"""The rule files that come along, and how any is named: by a digest of its text."""

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
NAMED = 25  # bytes of the digest that name a file: forty letters
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz234567")
BUILT_IN_RULES = ("element-duel", "mau-mau", "mau-mau-shared", "crazy-eights")


def rule_digest(text: str) -> str:
    """How a rule file is named in the options of a match: forty letters."""
    return b32encode(digest("rule file", text.encode())[:NAMED]).decode().lower()


@cache
def built_in_text(name: str) -> str:
    """The text of a file that comes along."""
    return (
        files("protocol.games.scripted")
        .joinpath("rules", name + SUFFIX)
        .read_text(encoding="utf-8")
    )


def text_of_digest(name: str) -> str | None:
    """The text of a file that comes along, by its forty letters."""
    return _named().get(name)


@cache
def _named() -> Mapping[str, str]:
    """All that come along: every word of a view asks whose it is."""
    return MappingProxyType(
        {rule_digest(text): text for text in map(built_in_text, BUILT_IN_RULES)}
    )


def rules_problem(name: str, text: str) -> Phrase | None:
    """What to do for a match by the file of this name, for who has this text (none: what comes
    along); None: play.
    """
    if text and rule_digest(text) != name:
        return phrase("script.other_rules", rules=name, yours=rule_digest(text))
    # it could not be posted, and who has to would be named for being late
    if len(text.encode()) > MAX_RULE_FILE:
        return phrase("rules.long", most=MAX_RULE_FILE)
    return None if text or text_of_digest(name) else phrase("script.no_rules", rules=name)


def _fits(value: Value) -> bool:
    return type(value) is str and len(value) == NAMED * 8 // 5 and LETTERS.issuperset(value)


FORM = TextFormat(_fits, phrase("option.rules.form"))
