"""Reports of outcomes: a table for people, JUnit XML and JSON for machines, and the exit code."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple
from xml.etree import ElementTree

from conformance.case import SANITY_GROUP, Case
from conformance.runner import CaseOutcome, CaseState

# exit codes
PASSED = 0
FAILED = 1
UNREACHABLE = 2
_MARKS = {
    CaseState.PASSED: "ok",
    CaseState.FAILED: "FAILED",
    CaseState.SKIPPED: "skipped",
    CaseState.LEFT_OUT: "left out",
}
_NOT_RUN = ((CaseState.SKIPPED, "skipped"), (CaseState.LEFT_OUT, "left out"))
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, 2.2


def line(outcome: CaseOutcome) -> str:
    """Return one outcome as a line for people."""
    case = outcome.case
    text = (
        f"{_MARKS[outcome.state]:8}{case.group}/{case.name}  [{case.section}, {case.expects}] "
        f"{outcome.seconds:.2f} s"
    )
    rows = [text, *([f"        {outcome.why}"] if outcome.why else [])]
    if outcome.last_words:
        rows.append("        last output of the program:")
        rows += [f"          {words}" for words in outcome.last_words]
    if outcome.trace:
        rows.append(f"        trace: {outcome.trace}")
    return "\n".join(rows)


class Tested(NamedTuple):
    """Everything that a run was to test: the scope in words, and matches that it leaves out from
    the beginning.
    """

    scope: str = ""  # empty: everything
    left_out: tuple[str, ...] = ()


EVERYTHING = Tested()


def to_text(outcomes: Sequence[CaseOutcome], tested: Tested = EVERYTHING) -> str:
    """Return the report for people: the passed cases of each group, every other case with the
    reason, what was left out, and the total.
    """
    width = max((len(outcome.case.group) for outcome in outcomes), default=0)
    rows = [f"{'group':{width}}  cases  passed  failed  skipped  left out"]
    for group, members in groupby(sorted(outcomes, key=_group), key=_group):
        rows.append(_row(group, list(members), width))
    rows.append(_row("", list(outcomes), width))
    told = (CaseState.FAILED, CaseState.SKIPPED)
    rest = [line(outcome) for outcome in outcomes if outcome.state in told]
    left = _left_out_rows(outcomes, tested)
    parts = ([*rows], rest, left, [verdict(outcomes, tested)])
    return "\n\n".join("\n".join(part) for part in parts if part)


def _left_out_rows(outcomes: Sequence[CaseOutcome], tested: Tested) -> list[str]:
    """Return the part of the report about cases that were left out, by reason."""
    reasons = Counter(each.why for each in outcomes if each.state is CaseState.LEFT_OUT)
    if not tested.scope and not reasons:
        return []
    rows = [f"left out, since only these were to be tested: {tested.scope or 'all'}"]
    rows += [f"  {count:4} cases  {why}" for why, count in sorted(reasons.items())]
    return [*rows, *(f"  all cases  {name}" for name in tested.left_out)]


def verdict(outcomes: Sequence[CaseOutcome], tested: Tested = EVERYTHING) -> str:
    """Return the total in one line."""
    failed = _count(outcomes, CaseState.FAILED)
    if exit_code(outcomes) == UNREACHABLE:
        return "does not conform: an honest match cannot be played"
    if failed:
        return f"does not conform: {failed} of {len(outcomes)} cases failed"
    counts = [(_count(outcomes, state), word) for state, word in _NOT_RUN]
    more = "".join(f", {count} {word}" for count, word in counts if count)
    scope = f" as far as it was tested ({tested.scope})" if tested.scope else ""
    return f"conforms{scope}: {_count(outcomes, CaseState.PASSED)} cases passed{more}"


def exit_code(outcomes: Sequence[CaseOutcome]) -> int:
    """Return 0 if no case failed, 2 if the first honest match could not be played, 1 otherwise."""
    honest = [outcome for outcome in outcomes if outcome.case.group == SANITY_GROUP]
    if not honest or honest[0].state is CaseState.FAILED:
        return UNREACHABLE
    return FAILED if _count(outcomes, CaseState.FAILED) else PASSED


def to_json(outcomes: Sequence[CaseOutcome]) -> str:
    """Return the outcomes as one JSON object; see docs/conformance.md."""
    return json.dumps(
        {
            "conforms": exit_code(outcomes) == PASSED,
            "passed": _count(outcomes, CaseState.PASSED),
            "failed": _count(outcomes, CaseState.FAILED),
            "skipped": _count(outcomes, CaseState.SKIPPED),
            "left_out": _count(outcomes, CaseState.LEFT_OUT),
            "cases": [_as_object(outcome) for outcome in outcomes],
        },
        indent=1,
    )


def to_junit(outcomes: Sequence[CaseOutcome], suite: str) -> str:
    """Return the outcomes as JUnit XML for continuous integration: one test suite."""
    root = ElementTree.Element(
        "testsuite",
        name=suite,
        tests=str(len(outcomes)),
        failures=str(_count(outcomes, CaseState.FAILED)),
        skipped=str(sum(_count(outcomes, state) for state, _ in _NOT_RUN)),
        errors="0",
        time=f"{sum(outcome.seconds for outcome in outcomes):.3f}",
    )
    for outcome in outcomes:
        case = outcome.case
        element = ElementTree.SubElement(
            root,
            "testcase",
            classname=f"{suite}.{case.group}",
            name=case.name,
            time=f"{outcome.seconds:.3f}",
        )
        if outcome.state is not CaseState.PASSED:
            if outcome.state is CaseState.FAILED:
                tag = "failure"
            else:
                tag = "skipped"
            expected = f"section {case.section}, expected: {case.expects}; "
            text = _NOT_XML.sub("?", expected + outcome.why)
            told = ElementTree.SubElement(element, tag, message=text)
            if outcome.trace or outcome.last_words:
                told.text = _NOT_XML.sub("?", "\n".join([*outcome.last_words, outcome.trace]))
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def list_of(cases: Sequence[Case]) -> str:
    """Return all cases, one a line: group and name, section, required reaction."""
    width = max((len(f"{case.group}/{case.name}") for case in cases), default=0)
    return "\n".join(
        f"{case.group + '/' + case.name:{width}}  {case.section:7} {case.expects}" for case in cases
    )


def _group(outcome: CaseOutcome) -> str:
    return outcome.case.group


def _count(outcomes: Sequence[CaseOutcome], state: CaseState) -> int:
    return sum(outcome.state is state for outcome in outcomes)


def _row(group: str, outcomes: Sequence[CaseOutcome], width: int) -> str:
    counts = [
        _count(outcomes, state)
        for state in (CaseState.PASSED, CaseState.FAILED, CaseState.SKIPPED, CaseState.LEFT_OUT)
    ]
    return (
        f"{group:{width}}  {len(outcomes):5}  {counts[0]:6}  {counts[1]:6}  {counts[2]:7}  "
        f"{counts[3]:8}"
    )


def _as_object(outcome: CaseOutcome) -> dict[str, object]:
    case = outcome.case
    return {
        "group": case.group,
        "name": case.name,
        "section": case.section,
        "expects": case.expects,
        "state": str(outcome.state),
        "seconds": round(outcome.seconds, 3),
        "why": outcome.why,
        "last_words": list(outcome.last_words),
        "trace": outcome.trace,
    }
