"""Bar charts as SVG in a page. The tables beside them have the same numbers."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element  # only built, never parsed

from simulation.pages.markup import SVG, made
from simulation.report import SeatGroup
from simulation.report.number_format import figure
from simulation.report.statistics import Spread

# size in units of the drawing; space for labels below the axis
WIDE = 640
HIGH = 160
FOOT = 26
GAP = 0.2  # part of a bar's width that stays empty


def shares(groups: Sequence[SeatGroup], names: Sequence[str], label: str) -> Element:
    """Draw each group's share of the stops with its interval, and a line at the share of equal
    groups.
    """
    tops = [max(group.stops.high or 0.0, group.fair) for group in groups]
    scale = (HIGH - 8) / max(*tops, 1e-9)
    room = WIDE / len(groups)
    drawn: list[Element] = []
    for place, (group, name) in enumerate(zip(groups, names, strict=True)):
        left = room * (place + GAP / 2)
        middle = room * (place + 0.5)
        drawn.append(_bar(left, room * (1 - GAP), (group.stops.value or 0.0) * scale))
        if group.stops.low is not None and group.stops.high is not None:
            drawn.append(
                _line(middle, group.stops.low * scale, middle, group.stops.high * scale, "sure")
            )
        drawn.append(
            _line(room * place, group.fair * scale, room * (place + 1), group.fair * scale, "fair")
        )
        drawn.append(_text(middle, name, "middle"))
    return _drawing(label, drawn)


def histogram(spread: Spread, label: str) -> Element:
    """Draw a histogram."""
    most = max(spread.bars, default=1)
    room = WIDE / max(1, len(spread.bars))
    bars = [
        _bar(room * place, room * (1 - GAP / 2), count * (HIGH - 8) / most)
        for place, count in enumerate(spread.bars)
    ]
    ends = [_text(0, figure(spread.least), "start"), _text(WIDE, figure(spread.most), "end")]
    return _drawing(label, [*bars, *ends])


def _drawing(label: str, drawn: Sequence[Element]) -> Element:
    ground = _line(0, 0, WIDE, 0, "ground")
    return made(
        "svg",
        ground,
        *drawn,
        xmlns=SVG,
        role="img",
        aria_label=label,
        viewBox=f"0 0 {WIDE} {HIGH + FOOT}",
        class_="bars",
    )


def _bar(left: float, wide: float, high: float) -> Element:
    return made(
        "rect",
        x=_unit(left),
        y=_unit(HIGH - high),
        width=_unit(wide),
        height=_unit(high),
        class_="bar",
    )


def _line(left: float, low: float, right: float, high: float, kind: str) -> Element:
    return made(
        "line",
        x1=_unit(left),
        y1=_unit(HIGH - low),
        x2=_unit(right),
        y2=_unit(HIGH - high),
        class_=kind,
    )


def _text(at: float, text: str, anchor: str) -> Element:
    made_ = made("text", text, x=_unit(at), y=_unit(HIGH + FOOT - 6), class_="name")
    made_.set("text-anchor", anchor)
    return made_


def _unit(number: float) -> str:
    return f"{number:.1f}"
