"""Whole logs among the test vectors: together they have every game, every kind of entry, every
verdict, every effect of rule files, and every action of programs in games by rule files.
"""

import json
import re
from collections import defaultdict
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import pytest

from protocol.audit.verdict import AuditReport, Verdict, audit
from protocol.dealing import TABLE
from protocol.dealing.registry import DEALINGS
from protocol.errors import RemoteError
from protocol.games.decks import match_decks
from protocol.games.registry import BUILT_IN
from protocol.games.scripted.engine.effects import EFFECTS
from protocol.match.log import decode_entry
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.log_reader import LogReader
from protocol.match.state import MatchStage
from tests.conformance.effect_recorder import recorded
from tests.vectors.make.files import OPERATIONS
from tests.vectors.make.forms import FOLDER, from_json

README = FOLDER.parent / "README.md"
SCRIPTED = 33  # number of the chapter on rule files
OPTIONAL_FUNCTIONS = ("turn_begins", "turn_ends", "to_act", "judge", "lapsed", "left", "fits")


class Log(NamedTuple):
    """One log of the vectors."""

    description: str
    records: list[tuple[bytes, bytes]]
    report: AuditReport

    @property
    def entries(self) -> list[Any]:
        """Return all entries that can be decoded."""
        assert self.report.reader is not None
        return [decode_entry(entry) for entry, _ in self.records[: self._readable()]]

    def _readable(self) -> int:
        assert self.report.reader is not None
        return self.report.reader.log.next_number

    @property
    def actions(self) -> set[str]:
        """Return the names of all actions."""
        moves = [entry.body[0] for entry in self.entries if entry.kind == "move"]
        return {str(move[0]) for move in moves if isinstance(move, list) and move}


@cache
def logs() -> tuple[Log, ...]:
    """Return all logs with rules that are known."""
    found = []
    for path in sorted(FOLDER.glob("*.json")):
        for vector in json.loads(path.read_text())["vectors"]:
            if vector["operation"] in ("audit match", "judge match"):
                records = [tuple(one) for one in from_json(vector["input"]["records"])]
                file = MAGIC + b"".join(encode_record(*record) for record in records)
                found.append(Log(vector["description"], records, audit(file)))
    return tuple(found)


def known() -> list[Log]:
    return [log for log in logs() if log.report.reader is not None]


def terms(log: Log) -> Any:
    assert log.report.reader is not None
    return log.report.reader.match.setup.terms


@pytest.mark.slow
def test_whole_logs_have_every_game():
    assert {terms(log).game.name for log in known()} == set(BUILT_IN.specs)


@pytest.mark.slow
def test_whole_logs_have_every_kind_of_every_dealing():
    for name, dealing in DEALINGS.items():
        kinds = {
            entry.kind
            for log in known()
            if terms(log).dealing.name == name
            for entry in log.entries
        }
        assert dealing.entry_shapes.keys() <= kinds, name


@pytest.mark.slow
def test_whole_logs_have_every_kind_of_the_match():
    text = (FOLDER.parents[2] / "docs" / "protocol" / "06-match.md").read_text()
    kinds = set(re.findall(r"^\| `(\w+)` \| (?:seat|table) \|", text, re.MULTILINE))
    assert kinds >= {"sit", "doubt", "ended"}
    assert kinds <= {entry.kind for log in known() for entry in log.entries}


@pytest.mark.slow
def test_whole_logs_pass_every_stage():
    """A closed deal is gone with the entry that closes it."""
    stages = set()
    passed = defaultdict(set)
    for log in known():
        reader = LogReader(*log.records[0])
        for record in log.records[1:]:
            try:
                reader.feed(*record)
            except RemoteError:  # unreadable from here on
                break
            stages.add(reader.match.stage)
            if reader.match.deal is not None:
                passed[terms(log).dealing.name].add(reader.match.deal.stage)
    assert stages == set(MatchStage)
    for name in passed:
        every = import_module(f"protocol.dealing.{name}.stages").STAGES
        assert set(every) - passed[name] <= {"closed"}, name


@pytest.mark.slow
def test_whole_logs_have_every_verdict():
    verdicts = {
        vector["output"].get("verdict")
        for path in FOLDER.glob("*.json")
        for vector in json.loads(path.read_text())["vectors"]
    }
    assert set(map(str, Verdict)) <= verdicts


@pytest.mark.slow
def test_logs_by_rule_files_have_every_effect_and_function():
    scripted = [log for log in known() if terms(log).game.name in ("script", "crazy-eights")]
    effects, calls = set(), set()
    for log in scripted:
        found = recorded(log.records)
        effects |= found[0]
        calls |= found[1]
    assert effects >= EFFECTS.keys()
    assert calls >= set(OPTIONAL_FUNCTIONS)


@pytest.mark.slow
def test_logs_by_rule_files_have_every_action_of_programs():
    actions = set().union(*(log.actions for log in known()))
    programs = {"rules", "toss", "toss_open", "take", "leave", *match_decks.ACTIONS}
    assert programs <= actions


def test_effects_of_specification_are_those_of_the_code():
    text = (FOLDER.parents[2] / "docs" / "protocol" / "33-script-games.md").read_text()
    table = text.split("## 33.3")[1].split("## 33.4")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    names = {
        name for row in rows for name in re.findall(r"`(\w+)|, `?(\w+)\(", row) for name in name
    }
    assert EFFECTS.keys() <= names


def test_log_in_the_specification_is_that_of_the_vectors():
    text = (FOLDER.parents[2] / "docs" / "protocol" / "README.md").read_text()
    rows = re.findall(r"^\| (\d+) \| (table|seat \d) \| `(\w+)` \|", text, re.MULTILINE)
    vector = json.loads((FOLDER / "whole-logs.json").read_text())["vectors"][0]
    entries = [decode_entry(entry) for entry, _ in from_json(vector["input"]["records"])]
    assert [(int(n), author, kind) for n, author, kind in rows] == [
        (n, "table" if entry.author == TABLE else f"seat {entry.author}", entry.kind)
        for n, entry in enumerate(entries)
    ]
    assert vector["output"]["faults"] == [[0, 10, "lapsed"]]


def test_every_operation_is_explained_in_words():
    """The explanation is enough, so nobody has to read the program that made the vectors."""
    text = README.read_text()
    explained = set(re.findall(r"^\| `([^`]+)` \| \d", text, re.MULTILINE))
    assert set(OPERATIONS) == explained


def test_every_file_of_vectors_has_its_row():
    text = README.read_text()
    assert {path.name for path in FOLDER.glob("*.json")} == set(
        re.findall(r"^\| `?([a-z-]+\.json)`? \|", text, re.MULTILINE)
    ) - {path.name for path in FOLDER.parent.glob("*.json")}
