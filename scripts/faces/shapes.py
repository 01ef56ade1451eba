"""Strokes and shapes of SVG as short text, because a face has at most 4 kB."""

from itertools import pairwise
from math import cos, pi, sin


def n(value: float) -> str:
    """Format a number with at most one decimal."""
    return f"{value:.1f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"


def path(d: str, fill: str, more: str = "") -> str:
    """A filled path."""
    return f'<path d="{d}" fill="{fill}"{more}/>'


def line(d: str, colour: str, width: float) -> str:
    """Draw a stroke with round ends."""
    return f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{n(width)}"/>'


def disc(x: float, y: float, r: float, fill: str, more: str = "") -> str:
    """A circle."""
    return f'<circle cx="{n(x)}" cy="{n(y)}" r="{n(r)}" fill="{fill}"{more}/>'


def oval(x: float, y: float, rx: float, ry: float, fill: str, more: str = "") -> str:
    """An ellipse."""
    return f'<ellipse cx="{n(x)}" cy="{n(y)}" rx="{n(rx)}" ry="{n(ry)}" fill="{fill}"{more}/>'


def box(x: float, y: float, w: float, h: float, fill: str, r: float = 0) -> str:
    """A rectangle, with round corners if `r`."""
    return f'<rect x="{n(x)}" y="{n(y)}" width="{n(w)}" height="{n(h)}" fill="{fill}"' + (f' rx="{n(r)}"/>' if r else "/>")


def moved(what: str, x: float, y: float, scale: float = 1, turn: float = 0) -> str:
    """Move, scale and turn (in degrees) a drawing."""
    turned = f" rotate({n(turn)})" if turn else ""
    larger = f" scale({scale:g})" if scale != 1 else ""
    return f'<g transform="translate({n(x)} {n(y)}){turned}{larger}">{what}</g>'


def faint(what: str, opacity: float) -> str:
    """Make a drawing translucent."""
    return f'<g opacity="{opacity:g}">{what}</g>'


def many(shape: str, places: list[tuple[float, ...]], name: str) -> str:
    """Draw a shape at many places: x, y, scale, turn."""
    uses = "".join(f'<use href="#{name}"{_place(*place)}/>' for place in places)
    return f'<defs><g id="{name}">{shape}</g></defs>{uses}'


def _place(x: float, y: float, scale: float = 1, turn: float = 0) -> str:
    if scale == 1 and not turn:
        return f' x="{n(x)}" y="{n(y)}"'
    moves = [f"translate({n(x)} {n(y)})" if x or y else "", f"rotate({n(turn)})" if turn else "", f"scale({scale:g})" if scale != 1 else ""]
    return f' transform="{"".join(moves)}"'


def ring(shape: str, x: float, y: float, count: int, name: str) -> str:
    """Draw `count` copies of a shape around a centre. The shape is given as it looks above the
    centre.
    """
    uses = "".join(f'<use href="#{name}" transform="rotate({n(360 * k / count)})"/>' for k in range(1, count))
    return moved(f'<g id="{name}">{shape}</g>{uses}', x, y)


def star(x: float, y: float, outer: float, inner: float, points: int) -> str:
    """The outline of a star."""
    corners = []
    for k in range(2 * points):
        r, a = (inner if k % 2 else outer), pi * k / points
        corners.append(f"{n(x + r * sin(a))} {n(y - r * cos(a))}")
    return "M" + "L".join(corners) + "z"


def spiral(x: float, y: float, r: float, turns: float, flat: float = 1) -> str:
    """A spiral from the middle outwards, as a smooth line."""
    steps = int(turns * 8)
    places = [(k / steps * r, k * pi / 4) for k in range(steps + 1)]
    points = [(x + q * cos(a), y + q * sin(a) * flat) for q, a in places]
    d = f"M{n(points[0][0])} {n(points[0][1])}"
    for before, here in pairwise(points[1:]):
        d += (f"Q{n(before[0])} {n(before[1])} {n((before[0] + here[0]) / 2)} " f"{n((before[1] + here[1]) / 2)}")
    return d


def waves(y: float, height: float, length: float, width: float = 214) -> str:
    """The outline of water from the left edge to the right one, down to the bottom."""
    d, x = f"M0 {n(y)}", 0.0
    while x < width:
        d += f"q{n(length / 4)} {n(-height)} {n(length / 2)} 0t{n(length / 2)} 0"
        x += length
    return f"{d}V244H0z"


def flame(x: float, y: float, w: float, h: float) -> str:
    """The outline of a flame that stands on (x, y)."""
    a = [n(v) for v in (w / 2, h * 0.35, h * 0.6, w * 0.15, h, w * 0.1)]
    return (
        f"M{n(x)} {n(y)}c-{a[0]} 0-{a[0]}-{a[1]}-{n(w * 0.36)}-{n(h * 0.5)}c{n(w * 0.02)} " f"{n(h * 0.1)} {n(w * 0.1)} {n(h * 0.14)} {n(w * 0.16)} {n(h * 0.12)}"
        f"c-{n(w * 0.06)}-{n(h * 0.25)} {n(w * 0.08)}-{n(h * 0.45)} " f"{n(w * 0.26)}-{n(h * 0.62)}c-{n(w * 0.02)} {n(h * 0.22)} {n(w * 0.2)} {n(h * 0.34)} " f"{n(w * 0.26)} {n(h * 0.5)}"
        f"c{n(w * 0.06)}-{n(h * 0.02)} {n(w * 0.08)}-{n(h * 0.06)} " f"{n(w * 0.1)}-{n(h * 0.1)}c{n(w * 0.14)} {n(h * 0.3)} {n(w * 0.06)} " f"{n(h * 0.6)}-{n(w * 0.42)} {n(h * 0.6)}z"
    )
