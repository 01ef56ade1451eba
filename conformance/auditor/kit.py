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

from conformance.auditor.changes import ChangedLog, LogSource, changed_logs, honest, make_source
from conformance.auditor.matches import MATCHES, AuditedMatch
from conformance.auditor.program import ANSWER_SECONDS, AuditorProgram
from conformance.case import SANITY_GROUP, Case, CaseFailed, CaseSkipped
from conformance.runner import ConformanceKit
from protocol.audit.verdict import Verdict, audit, report_data

MINIMAL = ("none-nim",)  # groups of the profile `minimal`: no deal, no secrets
PROFILES = ("minimal", "whole")
# members of the verdict that are compared; of seats the scores, of faults what code it is
COMPARED = ("verdict", "game", "dealing", "entries", "ended", "scores", "faults", "doubts", "after")


class AuditorEnvironment:
    """The auditor of one run, and a folder for the logs that it reads."""

    def __init__(self, program: AuditorProgram, folder: Path, traces: Path | None) -> None:
        """`traces`: folder for the logs and answers of failed cases; None: they are not kept."""
        self._program = program
        self._folder = folder
        self._traces = traces
        self._unjudged: dict[str, bool] = {}  # by match: the auditor does not have its game
        self._asking = asyncio.Lock()
        self._numbers = count()  # of the files; cases run side by side

    async def expect(self, source: LogSource, changed: ChangedLog) -> None:
        """Have a changed log judged. Raises: CaseFailed if the verdict is another one;
        CaseSkipped if the auditor does not have the game.
        """
        if changed.name != "honest" and await self._lacks(source):
            raise CaseSkipped("the auditor judges no match of this game and dealing")
        await self._compare(source.wanted, changed)

    async def _lacks(self, source: LogSource) -> bool:
        name = source.wanted.name
        async with self._asking:
            if name not in self._unjudged:
                said = await self._judge(source.wanted, honest(source), honest(source).make())
                self._unjudged[name] = said.get("verdict") == Verdict.UNJUDGED
        return self._unjudged[name] and source.wanted.group not in MINIMAL

    async def _compare(self, wanted: AuditedMatch, changed: ChangedLog) -> None:
        data = changed.make()
        expected = expected_verdict(data)
        said = await self._judge(wanted, changed, data)
        found = compared(said)
        for member in COMPARED:
            if found[member] != expected[member]:
                self._keep(wanted, changed, data, said)
                raise CaseFailed(f"{changed.name}: {member} must be {json.dumps(expected[member])}")

    async def _judge(
        self, wanted: AuditedMatch, changed: ChangedLog, data: bytes
    ) -> dict[str, Any]:
        path = self._folder / f"{next(self._numbers)}.fairdeal"
        path.write_bytes(data)
        try:
            return await self._program.judge(path)
        except CaseFailed as failed:
            self._keep(wanted, changed, data, {})
            raise CaseFailed(f"{changed.name}: {failed}") from None
        finally:
            path.unlink()

    def _keep(
        self, wanted: AuditedMatch, changed: ChangedLog, data: bytes, said: dict[str, Any]
    ) -> None:
        """Write the log of a failed case, what was expected and what was said into a folder."""
        if self._traces is None:
            return
        folder = self._traces / wanted.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{changed.name}.fairdeal").write_bytes(data)
        told = {
            "section": changed.section,
            "expected": expected_verdict(data),
            "said": said,
            "last words": self._program.last_words.decode(errors="replace"),
        }
        (folder / f"{changed.name}.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")


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
    ]


async def _run(source: LogSource, members: Sequence[ChangedLog], arena: AuditorEnvironment) -> None:
    for changed in members:
        await arena.expect(source, changed)


def auditor_cases(profile: str = "whole") -> list[Case]:
    """Return the cases of a profile; the first is an honest log of Nim."""
    return [
        case
        for wanted in MATCHES
        if profile == "whole" or wanted.group in MINIMAL
        for case in cases_of(wanted)
    ]


def make_auditor_kit(
    command: str,
    profile: str = "whole",
    seconds: float = ANSWER_SECONDS,
    traces: Path | None = None,
) -> ConformanceKit:
    """Return the kit for the auditor that this command starts; `close` ends the auditor."""
    program = AuditorProgram(command, seconds)
    folder = tempfile.TemporaryDirectory(prefix="fairdeal-auditor-")
    environment = AuditorEnvironment(program, Path(folder.name), traces)

    @contextlib.asynccontextmanager
    async def arena() -> AsyncIterator[AuditorEnvironment]:
        yield environment

    async def close() -> None:
        await program.close()
        folder.cleanup()

    cases = auditor_cases(profile)
    sanity = replace(cases[0], group=SANITY_GROUP)
    return ConformanceKit(arena, sanity, cases, close=close)
