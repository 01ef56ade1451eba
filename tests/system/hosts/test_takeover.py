"""Judgement of `scripts/takeover` on the kill of a host: which moves count, and which figures fail."""

import pytest

from protocol.dealing import TABLE
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import Identity
from protocol.match.log import EntryContent, make_entry
from scripts.benchmarks.takeover import (
    LONG_SECONDS,
    OTHER_SECONDS,
    Death,
    HostLogs,
    kept_bounds,
    next_move,
    recording,
)
from table.match.rules_version import rules_version
from tests.system.hosts.processes import HostProcess
from tests.system.hosts.recorder import Recorder

MATCH = b"m" * 32
KILLED = 7500
HEIR = 7501


def entry(author):
    content = EntryContent(author, 0, (0, b"h" * 32), "move", [])
    return make_entry(Identity(b"i" * 32), MATCH, content)


def recorded(*entries):
    """Return a recorder to which these came: time, port of the host, author."""
    recorder = Recorder()
    for number, (when, port, author) in enumerate(entries):
        recorder.sent[MATCH][number] = entry(author), b"head"
        recorder.came[MATCH][number] = when
        recorder.source[MATCH][number] = port
    return recorder


def test_move_from_killed_host_or_table_does_not_count():
    recorder = recorded((9.0, HEIR, 0), (10.1, KILLED, 0), (11.0, HEIR, TABLE), (12.0, HEIR, 1))
    assert next_move(recorder, MATCH, 10.0, KILLED) == 12.0
    assert next_move(recorder, MATCH, 12.0, KILLED) is None


def death(long=1.0, same=(), elsewhere=(), gone=("north",)):
    return Death("north", long, list(same), list(elsewhere), set(gone))


def test_bounds_are_kept_at_their_limits():
    assert kept_bounds([death(LONG_SECONDS, [OTHER_SECONDS], [OTHER_SECONDS]), death()])


@pytest.mark.parametrize(
    "wrong",
    [
        {"long": LONG_SECONDS + 0.1},
        {"same": [1.0, OTHER_SECONDS + 0.1]},
        {"elsewhere": [float("inf")]},
        {"gone": ["north", "east"]},
        {"gone": []},
    ],
)
def test_bounds_fail_for_any_late_match_or_silent_host(wrong):
    assert not kept_bounds([death(), death(**wrong)])


def test_host_logs_name_each_gone_host_once(tmp_path):
    host = HostProcess("east", tmp_path, (), HEIR)
    host.errors.write_text("host south has not been heard for 3.0 s, and counts as gone\n")
    logs = HostLogs([host])
    with host.errors.open("a") as file:
        file.write("host north has not been heard for 3.0 s, and counts as gone\n")
    assert logs.gone() == {"north"}
    assert logs.gone() == set()


def test_recording_belongs_to_hands_and_rules(tmp_path):
    name = recording(tmp_path, 200).name
    assert rules_version(BUILT_IN).startswith(name.removeprefix("200-hands-"))
    assert name != recording(tmp_path, 100).name
