"""Hostile rule files: each is read and run within its bounds, or refused with line and column."""

import re
import tracemalloc
from random import Random

import pytest

from protocol.i18n import english_text
from protocol.limits import RULE_LOAD_STEPS
from protocol.rules import RuleError, load, parse
from protocol.rules.syntax.tokens import KEYWORDS
from tests.support.hostile_rules import HOSTILE, hostile_end
from tests.support.starlark import Programs

MOST = 32 << 20  # bytes
FILE = """\
RULES = {"name": "all of it", "seats": 2}
def best(hand, least = 1):
    found, n = [], -1
    for at, c in enumerate(hand[1:]):
        if not c or c == 3 and n in [1, 2]: continue
        elif c > 9: break
        else:
            pass
        found.append((at, c if c else "none: %d" % c))
        n += len(found) // 2 - 1 * 3 % 2
    return [x for x, y in found if x >= least]
TEN = best([1, 2, 3])
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_gives_error_within_memory_bound(name):
    assert hostile_end("X = 1\n") == ""
    tracemalloc.start()
    try:
        assert hostile_end(HOSTILE[name]).startswith("rules.")
        assert tracemalloc.get_traced_memory()[1] < MOST
    finally:
        tracemalloc.stop()


def test_rule_file_stays_within_step_limit():
    assert load(parse(FILE)).steps < RULE_LOAD_STEPS


def _ended(text: str) -> RuleError | None:
    """Return the error of a file, which names a place within it; any other exception is raised."""
    try:
        load(parse(text))
    except RuleError as error:
        assert 1 <= error.line <= text.count("\n") + 1
        assert 1 <= error.column <= max(map(len, text.split("\n"))) + 1
        assert english_text(error.phrase).count(" ") > 4
        return error
    return None


@pytest.mark.slow
def test_truncated_file_is_refused_or_runs():
    for at in range(len(FILE)):
        _ended(FILE[:at])


@pytest.mark.parametrize("word", sorted(KEYWORDS | {"True", "None"}))
def test_misspelt_keyword_is_reported(word):
    text = FILE + "\ndef other(): return [True, None]\n"
    for wrong in (word + "e", word[0] + word, word[:-1] + "q"):
        assert re.search(rf"\b{word}\b", text)
        assert _ended(re.sub(rf"\b{word}\b", wrong, text, count=1))


@pytest.mark.slow
def test_damaged_file_is_refused_or_runs():
    rng = Random(1)
    for _ in range(400):
        text = rng.choice((FILE, Programs(rng.randint(0, 99)).program()))
        at, char = rng.randrange(len(text)), rng.choice("()[]{},:.=+-*%'\"#\\\n 0aA_\x00\xe9")
        _ended(text[:at] + char + text[at + rng.randint(0, 2) :])
