"""All cases for auditors: every change of every match, and the verdict that it must get.

The verdict that is expected is that of the fold of this project. An auditor that does not have a
game answers `not to be judged here` to its honest log; then the cases of that match are skipped.
"""

import asyncio
import contextlib
import json
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

from conformance.auditor.changes import (
    ChangedLog,
    LogSource,
    changed_logs,
    files_of_no_match,
    honest,
    make_source,
)
from conformance.auditor.matches import MATCHES, AuditedMatch
from conformance.auditor.program import ANSWER_SECONDS, AuditorProgram
from conformance.case import SANITY_GROUP, Case, CaseFailed, CaseSkipped
from conformance.runner import ConformanceKit
from conformance.scope import MINIMAL, WHOLE, Scope
from conformance.trace import MOST_BYTES, Trace
from protocol.audit.verdict import Verdict, audit, report_data
from protocol.errors import LocalError

FILES = "files"  # group of the files in which there is nothing of a match
# members of the verdict that are compared; of seats the scores, of faults what code it is
COMPARED = ("verdict", "game", "dealing", "entries", "ended", "scores", "faults", "doubts", "after")


class AuditorUnderTest:
    """The auditor of one run, and a folder for the logs that it reads."""

    def __init__(self, program: AuditorProgram, folder: Path, traces: Path | None) -> None:
        """`traces`: folder for the logs and answers of failed cases; None: they are not kept."""
        self.program = program
        self.folder = folder
        self.traces = traces
        self.unjudged: dict[str, bool] = {}  # by match: the auditor does not have its game
        self.asking = asyncio.Lock()
        self.numbers = count()  # of the files; cases run side by side


class AuditorEnvironment:
    """The context of a case."""

    def __init__(self, site: AuditorUnderTest) -> None:
        self._site = site
        self.trace = Trace()

    async def expect(self, source: LogSource | None, changed: ChangedLog) -> None:
        """Have a changed log judged. Raises: CaseFailed if the verdict is another one;
        CaseSkipped if the auditor does not have the game.
        """
        if source is not None and changed.name != "honest" and await self._lacks(source):
            raise CaseSkipped("the auditor judges no match of this game and dealing")
        await self._compare(FILES if source is None else source.wanted.name, changed)

    async def _lacks(self, source: LogSource) -> bool:
        name = source.wanted.name
        unjudged = self._site.unjudged
        async with self._site.asking:
            if name not in unjudged:
                said = await self._judge(name, honest(source), honest(source).make())
                unjudged[name] = said.get("verdict") == Verdict.UNJUDGED
        return unjudged[name] and source.wanted.game not in (MINIMAL.games or ())

    async def _compare(self, match: str, changed: ChangedLog) -> None:
        data = changed.make()
        expected = expected_verdict(data)
        said = await self._judge(match, changed, data)
        found = compared(said)
        for member in COMPARED:
            if found[member] != expected[member]:
                self._keep(match, changed, data, said)
                raise CaseFailed(f"{changed.name}: {member} must be {json.dumps(expected[member])}")

    async def _judge(self, match: str, changed: ChangedLog, data: bytes) -> dict[str, Any]:
        path = self._site.folder / f"{next(self._site.numbers)}.fairdeal"
        path.write_bytes(data)
        self.trace.note("the kit", f"gives the log {match}/{changed.name}", data)
        self.trace.shared = self._site.program.output
        try:
            said = await self._site.program.judge(path)
            self.trace.note("the auditor", f"says {shown_json(said)}")
            return said
        except CaseFailed as failed:
            self.trace.shared = self._site.program.output
            self._keep(match, changed, data, {})
            raise CaseFailed(f"{changed.name}: {failed}") from None
        finally:
            path.unlink()

    def _keep(self, match: str, changed: ChangedLog, data: bytes, said: dict[str, Any]) -> None:
        """Write the log of a failed case, what was expected and what was said into a folder."""
        if self._site.traces is None:
            return
        folder = self._site.traces / match
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{changed.name}.fairdeal").write_bytes(data)
        told = {
            "section": changed.section,
            "expected": expected_verdict(data),
            "said": said,
            "last words": list(self.trace.last_words()),
        }
        (folder / f"{changed.name}.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")


def shown_json(said: dict[str, Any]) -> str:
    """Return a verdict as a line without anything that steers a terminal."""
    return json.dumps(said)[:MOST_BYTES]


def expected_verdict(data: bytes) -> dict[str, Any]:
    """Return what is compared of our own verdict on a log."""
    return compared(report_data(audit(data)))


def compared(report: dict[str, Any]) -> dict[str, Any]:
    """Return what is compared of a verdict; a member of another shape is itself."""
    seats = report.get("seats")
    faults = report.get("faults")
    doubts = report.get("doubts")
    rest = report.get("rest")
    return {
        "verdict": report.get("verdict"),
        "game": report.get("game"),
        "dealing": report.get("dealing"),
        "entries": report.get("entries"),
        "ended": report.get("ended"),
        "scores": _members(seats, ("score",)),
        "faults": _members(faults, ("seat", "entry", "code")),
        "doubts": _members(doubts, ("entry", "about", "waited", "seat", "most")),
        "after": rest.get("after") if isinstance(rest, dict) else "all was read",
    }


def _members(items: object, names: Sequence[str]) -> object:
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return items
    return [[item.get(name) for name in names] for item in items]


@cache
def source_of(wanted_name: str) -> LogSource:
    """Return the match of this name; it is played once."""
    return make_source(next(wanted for wanted in MATCHES if wanted.name == wanted_name))


def cases_of(wanted: AuditedMatch) -> list[Case]:
    """Return the cases of one match: its honest log, and one for each kind of change."""
    source = source_of(wanted.name)
    logs: dict[str, list[ChangedLog]] = {}
    for changed in (honest(source), *changed_logs(source)):
        logs.setdefault(changed.case, []).append(changed)
    return [
        Case(
            f"{wanted.name}-{name}",
            members[0].section,
            "the same verdict",
            partial(_run, source, members),
            wanted.group,
        )
        for name, members in logs.items()
        if not wanted.changes or name.startswith(wanted.changes)
    ]


async def _run(
    source: LogSource | None, members: Sequence[ChangedLog], arena: AuditorEnvironment
) -> None:
    for changed in members:
        await arena.expect(source, changed)


def file_cases() -> list[Case]:
    """Return the cases of files in which there is nothing of a match."""
    return [
        Case(
            changed.name, changed.section, "the same verdict", partial(_run, None, [changed]), FILES
        )
        for changed in files_of_no_match()
    ]


def auditor_cases(scope: Scope = WHOLE) -> list[Case]:
    """Return the cases of the games and dealings in the scope, and before them those that need no
    match.
    """
    return file_cases() + [
        case
        for wanted in MATCHES
        if scope.admits(wanted.game, wanted.dealing)
        for case in cases_of(wanted)
    ]


def make_auditor_kit(
    command: str,
    scope: Scope = WHOLE,
    seconds: float = ANSWER_SECONDS,
    traces: Path | None = None,
) -> ConformanceKit:
    """Return the kit for the auditor that this command starts; `close` ends the auditor."""
    program = AuditorProgram(command, seconds)
    folder = tempfile.TemporaryDirectory(prefix="fairdeal-auditor-")
    site = AuditorUnderTest(program, Path(folder.name), traces)

    @contextlib.asynccontextmanager
    async def arena() -> AsyncIterator[AuditorEnvironment]:
        yield AuditorEnvironment(site)

    async def close() -> None:
        await program.close()
        folder.cleanup()

    cases = auditor_cases(scope)
    if len(cases) == len(file_cases()):
        raise LocalError("conformance.wrong.no_case")
    left = {each.group for each in MATCHES if not scope.admits(each.game, each.dealing)}
    first = next(case for case in cases if case.group != FILES)
    return ConformanceKit(
        arena,
        replace(first, group=SANITY_GROUP),
        cases,
        close=close,
        before_match=frozenset({FILES}),
        left_out=tuple(sorted(left)),
    )
