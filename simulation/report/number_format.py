"""Numbers as text, and a report as JSON."""

import json
from dataclasses import asdict
from typing import Any

from simulation.report import Report
from simulation.report.statistics import Estimate
from simulation.task.task_parser import as_json

NOTHING = "–"


def figure(number: float | None) -> str:
    """Write a number with four digits, or more if there are more before the point."""
    if number is None:
        return NOTHING
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    return f"{number:.4g}"


def percent(part: float | None) -> str:
    """Write a share in percent."""
    return NOTHING if part is None else f"{100 * part:.1f} %"


def bounds(estimate: Estimate, *, is_share: bool = False) -> str:
    """Write the bounds of an estimate."""
    if estimate.low is None or estimate.high is None:
        return NOTHING
    say = percent if is_share else figure
    return f"{say(estimate.low).removesuffix(' %')} – {say(estimate.high)}"


def with_bounds(estimate: Estimate, *, is_share: bool = False) -> str:
    """Write an estimate and its bounds."""
    if is_share:
        said = percent(estimate.value)
    else:
        said = figure(estimate.value)
    if estimate.low is None:
        return said
    return f"{said} ({bounds(estimate, is_share=is_share)})"


def chance(p: float | None) -> str:
    """Write a p-value."""
    if p is None:
        return NOTHING
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def as_data(report: Report) -> dict[str, Any]:
    """Convert a report into plain data for JSON."""
    found = {name: value for name, value in asdict(report).items() if name != "task"}
    return {"task": as_json(report.task), **found}


def json_of(value: Any) -> str:
    """Encode JSON in one line; equal values give equal texts."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"
