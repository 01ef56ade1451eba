"""docs/protocol says what the code does: examples, codes, limits, messages, kinds, links and citations."""

import re
from hashlib import sha256

import msgpack
import pytest
from nacl.signing import SigningKey

from protocol import codes, limits, messages
from protocol.dealing.layered.options import DEFAULTS, LOWEST
from protocol.dealing.layered.stages import ENDINGS, STAGES
from protocol.dealing.layered.stages import Stage as DealStage
from protocol.dealing.registry import DEALINGS
from protocol.games.dominoes.rules import OPTIONS
from protocol.games.registry import GAMES
from protocol.match import KINDS, Stage
from tests.support import docs

TEXTS = {path.name: path.read_text() for path in sorted(docs.CHAPTERS.glob("*.md"))}
WHOLE = "\n".join(TEXTS.values())
FOUND = [(chapter, *example) for chapter, text in TEXTS.items() for example in docs.examples(text)]
RENEW = "run `python -m tests.support.docs` and read what changes"


@pytest.mark.parametrize(("chapter", "name", "inputs", "outputs"), FOUND, ids=lambda value: str(value)[:12])
def test_worked_examples(chapter, name, inputs, outputs):
    assert outputs == docs.outputs_of(name, inputs), RENEW


def framed(*fields):
    """Section 1.2, written from its text alone."""
    made = b""
    for field in ("fairdeal/1", *fields):
        kind, content = (b"b", field) if type(field) is bytes else (b"s", str(field).encode())
        if type(field) is int:
            kind, content = b"i", field.to_bytes(8, "big")
        made += kind + len(content).to_bytes(4, "big") + content
    return made


def test_the_text_of_hashing_chaining_and_signing_suffices():
    """Sections 1.2, 1.4, 6.3 and 6.4 without this project's code: a second implementation comes to the same bytes."""
    given = {name: (inputs, docs._values(outputs)) for _, name, inputs, outputs in FOUND}
    inputs, outputs = given["digest"]
    assert outputs["digest"] == [sha256(framed(*inputs["label"], *inputs["fields"])).digest()]
    inputs, outputs = given["entry"]
    (match,), (content,), (entry,) = inputs["match"], outputs["content_bytes"], outputs["entry"]
    signature = SigningKey(*inputs["seed"]).sign(framed("entry", match, content)).signature
    assert msgpack.unpackb(entry) == [content, signature]
    assert msgpack.unpackb(content) == inputs["content"][0]
    assert outputs["hash"] == [sha256(framed("chain", *inputs["previous"], *inputs["number"], entry)).digest()]
    inputs, outputs = given["pseudonym"]
    fields = (inputs[name][0] for name in ("deal", "position", "key", "piece"))
    assert outputs["pseudonym"] == [sha256(framed("pseudonym", *fields)).digest()]


def test_every_example_is_there():
    assert {name for _, name, _, _ in FOUND} == set(docs.EXAMPLES)
    assert WHOLE.count("```example ") == len(FOUND)


def test_a_changed_example_is_noticed():
    """The check of examples, checked."""
    text = '```example digest\nlabel = "deal"\nfields = 0x0102 "Ann" 7\n->\ndigest = 0x00\n```'
    ((name, inputs, outputs),) = docs.examples(text)
    assert inputs == {"label": ["deal"], "fields": [b"\1\2", "Ann", 7]}
    assert outputs != docs.outputs_of(name, inputs)


def test_codes():
    text = TEXTS[docs.CODES.name]
    for code in codes.Code:
        assert f"| `{code}` | {codes.sentence(code)} |" in text, RENEW
    assert text == docs.codes_chapter(), RENEW


def test_limits():
    text = TEXTS[docs.LIMITS.name]
    names = [name for name in vars(limits) if name.isupper()]
    assert names
    for name in names:
        assert f"| `{name}` | {docs._number(getattr(limits, name))} | " in text, RENEW
    assert text.count("| `") == len(names)
    assert text == docs.limits_chapter(), RENEW


def rows(text, heading):
    """The first cells of the table rows under a heading, and the second cells."""
    section = text.split(heading, 1)[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", section, re.MULTILINE))


@pytest.mark.parametrize(("heading", "sender"), [("## 4.3", "player"), ("## 4.4", "table")])
def test_messages_and_their_phases(heading, sender):
    described = rows(TEXTS["04-messages.md"], heading)
    assert set(described) == docs.messages_by_sender()[sender]
    groups = {
        "any": frozenset(messages.Phase),
        "greeted": messages.GREETED,
        "in match": messages.IN_MATCH,
    }
    for name, phases in described.items():
        parts = [groups.get(part) or {messages.Phase(part)} for part in phases.split(", ")]
        assert frozenset().union(*parts) == messages.MESSAGES[name].phases, name


def test_kinds_of_entries():
    assert set(rows(TEXTS["06-match.md"], "## 6.6")) == set(KINDS)
    described = set(re.findall(r"`([a-z_]+)`", TEXTS["08-layered.md"].split("## 8.3")[0]))
    for dealing in DEALINGS.values():
        assert set(dealing.kinds) <= described


def test_stages():
    section = TEXTS["06-match.md"].split("## 6.5")[1].split("## 6.6")[0]
    assert set(re.findall(r"^\| (\w+) \|", section, re.MULTILINE)) - {"stage"} == {str(stage) for stage in Stage}
    section = TEXTS["08-layered.md"].split("## 8.2")[1].split("## 8.3")[0]
    described = re.findall(r"^\| ([a-z ]+) \| [^|]* \| ([^|]*) \|", section, re.MULTILINE)
    stages = {stage: set(re.findall(r"`(\w+)`", kinds)) for stage, kinds in described if stage != "stage"}
    assert {stage: kinds for stage, kinds in stages.items() if kinds} == {
        str(stage): set(STAGES[stage].kinds) for stage in DealStage if STAGES[stage].kinds
    }


def test_games_dealings_and_options():
    for name in (*GAMES, *DEALINGS, *OPTIONS, *DEFAULTS):
        assert f"`{name}`" in WHOLE, name


def test_defaults_of_layered_dealing():
    for name, default in DEFAULTS.items():
        assert f"`{name}` {LOWEST[name]} to 100, default {default}" in TEXTS["08-layered.md"]


def test_who_alone_may_end_a_round_trip():
    found = re.findall(r"or only for seat (\d) `(\w+)`", TEXTS["08-layered.md"])
    assert {kind: int(seat) for seat, kind in found} == ENDINGS


def test_codes_that_chapters_name_exist():
    known = {str(code) for code in codes.Code}
    found = set(re.findall(r"`((?:bad|not|took|false|wrong|table)_[a-z_]+)`", WHOLE))
    assert found
    assert found <= known


def test_limits_that_chapters_name_exist():
    found = set(re.findall(r"`([A-Z]+_[A-Z_]+)`", WHOLE))
    assert found <= set(vars(limits))


def test_sections_that_are_cited_exist():
    headings = set(re.findall(r"^##? (\d+(?:\.\d+)?) ", WHOLE, re.MULTILINE))
    for text in TEXTS.values():
        prose = re.sub(r"^#.*$|```.*?```", "", text, flags=re.MULTILINE | re.DOTALL)
        for cited in re.findall(r"(?<![\d./–])\b([1-9]|1[0-2])\.(\d{1,2})(?:\.\d+)?\b(?! ?%)", prose):
            assert ".".join(cited) in headings, cited


def test_code_cites_chapters_that_exist():
    chapters = {int(name[:2]) for name in TEXTS if name[:2].isdigit()}
    cited = []
    for folder in ("protocol", "table", "player", "scripts"):
        for path in (docs.ROOT / folder).rglob("*.py"):
            cited += re.findall(r"docs/protocol,? (?:chapter |section )?(\d+)", path.read_text())
    assert cited
    assert {int(number) for number in cited} <= chapters


def test_links_between_chapters():
    for text in TEXTS.values():
        for target in re.findall(r"\]\(([^)#]+\.md)\)", text):
            assert (docs.CHAPTERS / target).is_file(), target


def test_decisions_are_numbered_without_gaps():
    numbers = sorted(int(path.name[:4]) for path in (docs.ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert numbers == list(range(1, len(numbers) + 1))
