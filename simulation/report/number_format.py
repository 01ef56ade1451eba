"""Numbers as people read them, and a report as data for programs."""

import json
from dataclasses import asdict
from typing import Any

from simulation.report import Report
from simulation.report.statistics import Estimate
from simulation.task.task_parser import as_json

NOTHING = "–"


def figure(number: float | None) -> str:
    """Four digits, or as many as there are before the point."""
    if number is None:
        return NOTHING
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def percent(part: float | None) -> str:
    """A share."""
    return NOTHING if part is None else f"{100 * part:.1f} %"


def bounds(estimate: Estimate, *, is_share: bool = False) -> str:
    """Between which numbers it is."""
    if estimate.low is None or estimate.high is None:
        return NOTHING
    say = percent if is_share else figure
    return f"{say(estimate.low).removesuffix(' %')} – {say(estimate.high)}"


def with_bounds(estimate: Estimate, *, is_share: bool = False) -> str:
    """The number, and those."""
    said = percent(estimate.value) if is_share else figure(estimate.value)
    return said if estimate.low is None else f"{said} ({bounds(estimate, is_share=is_share)})"


def chance(p: float | None) -> str:
    """A p-value."""
    if p is None:
        return NOTHING
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def as_data(report: Report) -> dict[str, Any]:
    """A report, as JSON has it."""
    found = {name: value for name, value in asdict(report).items() if name != "task"}
    return {"task": as_json(report.task), **found}


def json_of(value: Any) -> str:
    """One line, the same for the same value."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"
