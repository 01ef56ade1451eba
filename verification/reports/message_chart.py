"""Chart of an attack: a line for each role, the intruder's in the middle, and an arrow for each
message.
"""

from collections.abc import Iterator
from html import escape

from protocol.view.phrase import phrase
from protocol.view.text import Say
from verification.engine.attack_trace import AttackTrace
from verification.reports.message_sequence import SequenceMessage, message_sequence
from verification.reports.verdict_text import role_phrase
from verification.strands.scenario import INTRUDER
from verification.terms import text

# Pixels: width of a letter, height of a message, height of the heads, margin.
LETTER = 7.2
ROW = 34
TOP = 56
EDGE = 24
STYLE = """\
text { font: 12px ui-monospace, monospace; fill: #1f2328 } .head { font-weight: bold }
line { stroke: #59636e } .life { stroke-dasharray: 3 4 } .intruder { stroke: #b42318 } text.intruder { fill: #b42318 }
rect { fill: #ffffff }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } line { stroke: #9198a1 } .intruder { stroke: #ff8a80 } text.intruder { fill: #ff8a80 }
  rect { fill: #0d1117 }
}
text.intruder { stroke: none }
"""


def draw_message_chart(trace: AttackTrace, say: Say) -> str:
    """Draw the chart as SVG. The first half of the runs stands left of the intruder, the others
    right.
    """
    lines = message_sequence(trace)
    heads = [say(role_phrase(text(run.agent), text(run.role))) for run in trace.runs]
    heads.insert((len(heads) + 1) // 2, text(INTRUDER))
    labels = [_label(line, say) for line in lines]
    places = _places(heads, lines, labels)
    width = places[-1] + len(heads[-1]) * LETTER / 2 + EDGE
    height = TOP + (len(lines) + 1) * ROW
    body = list(_lives(heads, places, height))
    for at, (line, label) in enumerate(zip(lines, labels, strict=True), 1):
        middle = places[_intruder(heads)]
        own = places[_column(line, heads)]
        body += _arrow(
            line, label, TOP + at * ROW, (middle, own) if line.from_intruder else (own, middle)
        )
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img"',
            f' width="{width:.0f}" height="{height}">',
            f"<style>{STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto">'
            '<path d="M0 0L8 4L0 8z" fill="#59636e"/></marker></defs>',
            f'<rect width="{width:.0f}" height="{height}"/>',
            *body,
            "</svg>",
            "",
        )
    )


def _column(line: SequenceMessage, heads: list[str]) -> int:
    """Return the index of a run's column; the intruder's column lies between the runs."""
    return line.run + (line.run >= _intruder(heads))


def _intruder(heads: list[str]) -> int:
    return heads.index(text(INTRUDER))


def _places(heads: list[str], lines: tuple[SequenceMessage, ...], labels: list[str]) -> list[float]:
    """Calculate the middle of each column, so far apart that every message fits between."""
    wide = [max(len(head) for head in heads) * LETTER] * (len(heads) - 1)
    middle = _intruder(heads)
    for line, label in zip(lines, labels, strict=True):
        column = _column(line, heads)
        low = min(column, middle)
        high = max(column, middle)
        needed = (len(label) + 2) * LETTER / (high - low)
        wide[low:high] = [max(needed, old) for old in wide[low:high]]
    first = EDGE + len(heads[0]) * LETTER / 2
    return [first + sum(wide[:number]) for number in range(len(heads))]


def _lives(heads: list[str], places: list[float], height: int) -> Iterator[str]:
    for head, place in zip(heads, places, strict=True):
        mark = " intruder" if head == text(INTRUDER) else ""
        yield (
            f'<text class="head{mark}" x="{place:.1f}" y="28" '
            f'text-anchor="middle">{escape(head)}</text>'
        )
        yield (
            f'<line class="life{mark}" x1="{place:.1f}" x2="{place:.1f}" y1="38" '
            f'y2="{height - 10}"/>'
        )


def _label(line: SequenceMessage, say: Say) -> str:
    """Build the label of an arrow: the message, and the other agent unless this agent is the
    intruder.
    """
    if line.other == text(INTRUDER):
        return line.message
    if line.from_intruder:
        key = "verify.under_name"
    else:
        key = "verify.meant_for"
    return say(phrase(key, agent=line.other, message=line.message))


def _arrow(line: SequenceMessage, label: str, y: int, ends: tuple[float, float]) -> Iterator[str]:
    mark = ' class="intruder"' if line.from_intruder else ""
    yield (
        f'<text{mark} x="{sum(ends) / 2:.1f}" y="{y - 6}" '
        f'text-anchor="middle">{escape(label)}</text>'
    )
    yield (
        f'<line{mark} x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="{y}" y2="{y}" '
        'marker-end="url(#tip)"/>'
    )
