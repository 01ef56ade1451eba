"""Checks of every match of a game by a rule file."""

from protocol.audit.verdict import Verdict, audit
from tests.properties.script_games.oracle import CALLS, ORACLE
from tests.properties.script_games.play import Course, again, in_the_clear
from tests.properties.script_games.tell import told


class Wrong(Exception):
    """A check failed. The text says which one."""


def check(course: Course, over: str | None = None) -> int:
    """Compare all calls of the rules and return their number. `over` names a dealing for a second
    run. Raises: Wrong.
    """
    assert course.played is not None
    match, before = course.played.live.match, CALLS.total()
    if not match.over or match.faults or course.played.refused or match.game.error is not None:
        raise Wrong(
            f"{match.stage}, {match.faults}, {course.played.refused}, "
            f"{match.game and match.game.error}"
        )
    report = audit(course.file, ORACLE)
    if (
        report.verdict is not Verdict.CLEAN
        or report.reader is None
        or report.reader.match.game != match.game
    ):
        raise Wrong(
            f"the audit with the oracle's rules says {report.verdict}: {report.damage_code}"
        )
    if told(in_the_clear(course)) != told(course):
        raise Wrong("another course where everything lies open")
    if over is not None and told(again(course, over)) != told(course):
        raise Wrong(f"another course over {over}")
    return CALLS.total() - before
