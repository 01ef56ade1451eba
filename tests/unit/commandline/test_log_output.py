"""Lines of the log: form, levels for journald, addresses, and how many there may be."""

import io
import json
import logging
import os

import pytest

from commandline.log_output import LogFormat, LogOutput, LogSettings, is_journal
from protocol.limits import LOG_LINES, LOG_LINES_SECONDS, REFUSED_LOG_SECONDS
from table.net.admission import Refusal
from table.net.refusal_log import RefusalLog

SECRET = "said by a peer"


class Lines:
    """A log of its own, with a clock of its own."""

    def __init__(self, *settings, environment=None, stream=None):
        self.now = 0.0
        self.stream = stream or io.StringIO()
        self.output = LogOutput(
            self.stream, LogSettings(*settings), environment or {}, lambda: self.now
        )

    def say(self, message, *args, level=logging.INFO, name="table.test", **more):
        extra = more.pop("extra", {})
        made = logging.getLogger("x").makeRecord(
            name, level, "f", 1, message, args, more.get("exc_info"), extra=extra
        )
        self.output.handle(made)

    @property
    def lines(self):
        return self.stream.getvalue().splitlines()


def test_text_has_time_and_level():
    log = Lines()
    log.say("match %s begins", "ab")
    assert log.lines[0].endswith(" INFO match ab begins") and log.lines[0].startswith("20")


@pytest.mark.parametrize(
    ("level", "prefix"), [("debug", 7), ("info", 6), ("warning", 4), ("error", 3), ("critical", 2)]
)
def test_levels_stand_before_each_line_for_journald(tmp_path, level, prefix):
    with (tmp_path / "log").open("w+") as stream:
        found = os.fstat(stream.fileno())
        environment = {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"}
        assert is_journal(stream, environment)
        assert not is_journal(stream, {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino + 1}"})
        assert not is_journal(io.StringIO(), environment)
        log = Lines("debug", environment=environment, stream=stream)
        log.say("one\ntwo", level=getattr(logging, level.upper()))
        stream.seek(0)
        least = max(prefix, 3)
        assert stream.read() == f"<{least}>one\n<{least}>two\n"


def test_json_has_one_object_a_line():
    log = Lines("info", LogFormat.JSON)
    log.say("one\n%s", "two", level=logging.WARNING)
    (line,) = log.lines
    found = json.loads(line)
    assert (found["level"], found["logger"], found["message"]) == (
        "warning",
        "table.test",
        "one\ntwo",
    )
    assert found["time"].endswith("+00:00")


@pytest.mark.parametrize("form", LogFormat)
def test_addresses_are_written_only_if_asked_for(form):
    more = {"address": "192.0.2.1", "often": "192.0.2.2", "times": 7}
    silent, told = Lines("info", form), Lines("info", form, True)
    for log in (silent, told):
        log.say("dropped", extra=more)
    assert "192.0.2" not in silent.stream.getvalue()
    assert "192.0.2.1" in told.stream.getvalue() and "192.0.2.2" in told.stream.getvalue()


def test_lines_of_one_message_are_bounded_and_counted():
    log = Lines()
    for number in range(LOG_LINES + 40):
        log.say("%d is here", number)
    log.say("another")
    assert len(log.lines) == LOG_LINES + 1
    log.now = LOG_LINES_SECONDS
    log.say("%d is here", 0)
    assert "40 more" in log.lines[-1]
    log.say("%d is here", 0)
    assert "more" not in log.lines[-1]


def test_text_of_exceptions_and_of_libraries_is_not_written():
    log = Lines("debug")
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        log.say("failed", exc_info=(ValueError, error, error.__traceback__), level=logging.ERROR)
    log.say("handshake %s failed", SECRET, name="websockets.server", level=logging.ERROR)
    log.say("< %s", SECRET, name="websockets.server", level=logging.DEBUG)
    text = log.stream.getvalue()
    assert SECRET not in text and "ValueError" in text and "test_log_output.py" in text
    assert "websockets.server: handshake %s failed" in text and "<" not in text


def test_settings_change_while_it_runs():
    log = Lines("warning")
    log.say("one")
    log.output.apply(LogSettings("info", LogFormat.JSON))
    log.say("two")
    assert [json.loads(line)["message"] for line in log.lines] == ["two"]


def test_class_of_refusal_has_one_line_a_minute_with_its_count(caplog):
    refusals = RefusalLog()
    with caplog.at_level(logging.INFO):
        for number in range(10):
            refusals.add("dropped: bad_message", f"192.0.2.{number % 3}", 1.0)
        refusals.turned_away(Refusal.FULL, "192.0.2.9", 1.0)
        refusals.add("dropped: bad_message", "192.0.2.1", 1.0 + REFUSED_LOG_SECONDS)
    assert caplog.messages == [
        "dropped: bad_message (1 since the last such line)",
        "turned away: too many connections in all (1 since the last such line)",
        "dropped: bad_message (10 since the last such line)",
    ]
    assert (caplog.records[-1].often, caplog.records[-1].times) == ("192.0.2.1", 4)


def test_refusals_that_have_ended_are_told_too(caplog):
    refusals = RefusalLog()
    with caplog.at_level(logging.INFO):
        for _ in range(5):
            refusals.turned_away(Refusal.HASTY, "192.0.2.1", 1.0)
        refusals.tell(REFUSED_LOG_SECONDS)
        assert len(caplog.messages) == 1
        refusals.tell(1.0 + REFUSED_LOG_SECONDS)
        assert caplog.messages[-1].endswith("(4 since the last such line)")
        refusals.tell(1000.0)
        refusals.turned_away(Refusal.HASTY, "192.0.2.1", 1000.0)
        refusals.turned_away(Refusal.HASTY, "192.0.2.1", 1001.0)
        refusals.tell(1002.0, ends=True)
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 4
