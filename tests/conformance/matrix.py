"""Which cases of the kits find which planted defects.

`scripts/run tests.conformance.matrix` lists, for each kit, defects that no case finds and cases that
find nothing by themselves: those that no defect fails, or only defects that other cases find as
well. For tables, players, peers and traders it goes by the cases that the defects name, which tests
hold. With `--auditors` it judges the logs of all cases by each broken auditor, in forked processes:
hours of one processor; `--every N` takes one case in N.
"""

import argparse
import json
import multiprocessing
import sys
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from multiprocessing.connection import Connection

from conformance.auditor.kit import auditor_cases, compared
from conformance.case import Case
from conformance.direct.kit import GUEST_CASES, HOST_CASES
from conformance.player.kit import CASES as PLAYER_CASES
from conformance.table.kit import CASES as TABLE_CASES
from conformance.trade.kit import SESSION_CASES
from conformance.trade.letters import GROUP as LETTERS
from protocol.audit import verdict
from tests.conformance.broken import DEFECTS as TABLES
from tests.support import broken_auditor, broken_peer, broken_player, broken_trader

Found = Mapping[str, frozenset[str]]  # the cases that find a defect, by defect


def full_name(case: Case) -> str:
    """Return the name by which a case is selected."""
    return f"{case.group}/{case.name}"


def named(
    patterns: Mapping[str, Iterable[str]], cases: Iterable[Case]
) -> dict[str, frozenset[str]]:
    """Return the cases that defects name, by their names or with their groups."""
    cases = list(cases)
    return {
        defect: frozenset(
            full_name(case)
            for case in cases
            if any(
                fnmatchcase(text, wanted)
                for text in (case.name, full_name(case))
                for wanted in each
            )
        )
        for defect, each in patterns.items()
    }


def of_programs() -> dict[str, tuple[Found, list[str]]]:
    """Return the defects of tables, players, peers and traders, and all cases, by kit."""
    kits = {
        "tables": ({one.name: one.fails for one in TABLES.values()}, TABLE_CASES),
        "players": (_fails(broken_player.DEFECTS), PLAYER_CASES),
        "peers": (_fails(broken_peer.DEFECTS), [*GUEST_CASES, *HOST_CASES]),
        "traders": (_fails(broken_trader.DEFECTS), [*SESSION_CASES, *LETTERS.cases]),
    }
    return {
        kit: (named(patterns, cases), list(dict.fromkeys(map(full_name, cases))))
        for kit, (patterns, cases) in kits.items()
    }


def _fails(defects: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    return {name: defect.fails for name, defect in defects.items()}  # type: ignore[attr-defined]


def unique(found: Found) -> frozenset[str]:
    """Return the cases without which some defect would not be found."""
    return frozenset(next(iter(cases)) for cases in found.values() if len(cases) == 1)


def report_rows(kit: str, found: Found, cases: Iterable[str]) -> list[str]:
    """Return the report of one kit as lines."""
    missed = [defect for defect, by in found.items() if not by]
    finding = frozenset().union(*found.values())
    cases = list(cases)
    nothing = [case for case in cases if case not in finding]
    rows = [
        f"{kit}: {len(found)} defects, {len(cases)} cases; {len(unique(found))} cases are the only "
        f"one to find some defect, {len(nothing)} find no planted defect"
    ]
    rows += [f"  not found: {defect}" for defect in missed]
    return [*rows, *(f"  finds nothing: {case}" for case in nothing)]


# --- auditors ---


def verdicts(cases: Iterable[Case], defect: str) -> dict[str, list[str]]:
    """Return the verdicts of an auditor with this defect on all logs of cases, in a process of its
    own.
    """
    ours, theirs = multiprocessing.get_context("fork").Pipe()
    process = multiprocessing.get_context("fork").Process(
        target=_judge, args=(list(cases), defect, theirs), daemon=True
    )
    process.start()
    theirs.close()
    try:
        return dict(ours.recv())
    finally:
        process.join()
        ours.close()


def _judge(cases: list[Case], defect: str, pipe: Connection) -> None:
    broken_auditor.DEFECTS[defect].breaks()
    found = {}
    for case in cases:
        changed_logs = case.run.args[1]  # type: ignore[attr-defined]
        found[full_name(case)] = [_verdict(each.make()) for each in changed_logs]
    pipe.send(found)


def _verdict(data: bytes) -> str:
    """Return a verdict, or the error of an auditor that falls over."""
    try:
        return json.dumps(compared(verdict.report_data(verdict.audit(data))))
    except Exception as error:
        return type(error).__name__


def of_auditors(cases: list[Case], defects: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the cases by which each broken auditor is found."""
    right = verdicts(cases, "none")
    found = {}
    for defect in defects:
        wrong = verdicts(cases, defect)
        found[defect] = frozenset(name for name in right if wrong[name] != right[name])
    return found


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser("scripts/run tests.conformance.matrix", description=__doc__)
    parser.add_argument("--auditors", action="store_true", help="judge logs by broken auditors")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one case in N")
    options = parser.parse_args()
    if options.auditors:
        cases = auditor_cases()[:: options.every]
        defects = [name for name in broken_auditor.DEFECTS if name != "none"]
        rows = report_rows("auditors", of_auditors(cases, defects), map(full_name, cases))
    else:
        rows = [
            row
            for kit, (found, cases) in of_programs().items()
            for row in report_rows(kit, found, cases)
        ]
    print("\n".join(rows))


if __name__ == "__main__":
    sys.exit(main())
