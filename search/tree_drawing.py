"""Drawing of a search tree as SVG, from left to right.

Each node is a line of text. A double stroke marks a cut branch. Rows are as high as the text, and
columns as wide as their longest label, so no labels overlap.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape

from protocol.games import Action
from protocol.limits import MAX_DRAWN_LABEL, MAX_DRAWN_ROWS
from protocol.view.phrase import phrase
from protocol.view.text import Say, display_width
from search import LOSS, WIN
from search.search_game import State
from search.search_tree import TreeNode

# Pixels: height of a row, width of a letter at most, space beside text, width of a branch, space
# above the tree.
ROW = 22
LETTER = 8.5
GAP = 14
EDGE = 26
TOP = 58
NAMED = 3  # cut moves that the drawing names
STYLE = """
svg { background: #fff; color: #1b1f24; font: 13px ui-monospace, "DejaVu Sans Mono", monospace }
text { fill: currentColor } path { fill: none; stroke: currentColor; stroke-width: 1.2 }
.title { font-weight: bold } .cut { fill: #b3261e } path.cut { fill: none; stroke: #b3261e; stroke-width: 1.6 }
.more { fill: #5b6470 } .best { font-weight: bold } path.best { stroke-width: 2.6 }
@media (prefers-color-scheme: dark) {
  svg { background: #14171b; color: #e6e9ed } .more { fill: #9aa4b0 }
  .cut { fill: #ff8a80 } path.cut { stroke: #ff8a80 }
}
"""

Label = Callable[[State, Action], str]  # text of a move in a state, a few words


@dataclass
class _Text:
    """A line of text in the drawing: a node, the cut branches of a node, or a note about a subtree
    that is not drawn.
    """

    text: str
    depth: int
    kind: str = ""  # class in `STYLE`: "cut", "more" or "best"
    row: float = 0.0  # from the top
    parent: "_Text | None" = None


def draw_tree(root: TreeNode, label: Label, say: Say, title: str) -> str:
    """Draw a tree as an SVG file."""
    deepest = _deepest(root)
    lines = list(_Writer(label, say, deepest).lines(root))
    _place(lines)
    most = max(line.depth for line in lines)
    widths = [
        max((_width(line.text) for line in lines if line.depth == depth), default=0)
        for depth in range(most + 1)
    ]
    starts = [GAP + sum(widths[:depth]) + depth * (EDGE + GAP) for depth in range(most + 1)]
    notes = [
        title,
        say(phrase("solve.drawn.legend.values")),
        say(phrase("solve.drawn.legend.marks")),
    ]
    if any(line.kind == "more" for line in lines):
        notes.append(say(phrase("solve.drawn.truncated", nodes=root.size(), depth=deepest)))
    width = max(starts[-1] + widths[-1] + GAP, *(GAP * 2 + _width(note) for note in notes))
    height = TOP + ROW * (len(notes) - 1) + ROW * (1 + max(line.row for line in lines))
    body = "".join(_drawn(line, starts, widths, TOP + ROW * (len(notes) - 2)) for line in lines)
    head = "".join(
        f'<text x="{GAP}" y="{ROW + ROW * number}" '
        f'class="{"note" if number else "title"}">{escape(note)}</text>\n'
        for number, note in enumerate(notes)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(title, quote=True)}">\n'
        f"<style>{STYLE}</style>\n{head}{body}</svg>\n"
    )


def _deepest(root: TreeNode) -> int:
    """Depth to which the tree fits into `MAX_DRAWN_ROWS`."""
    depth = 0
    level = [root]
    rows = 0
    while level:
        rows += sum(1 for node in level if node.cut)
        level = [child for node in level for child in node.children]
        if rows + len(level) > MAX_DRAWN_ROWS:
            break
        depth += bool(level)
        rows += sum(1 for node in level if not node.children)
    return max(depth, 1)


@dataclass(frozen=True)
class _Writer:
    """Writer of the lines of a tree."""

    label: Label
    say: Say
    deepest: int  # most moves from the root to a drawn node

    def lines(
        self, node: TreeNode, before: State = None, parent: _Text | None = None
    ) -> Iterator[_Text]:
        """Yield all lines of a subtree, each node before its children."""
        if node.move is None:
            move = ""
        else:
            move = _short(self.label(before, node.move)) + ": "
        own = _Text(
            f"{move}{value_text(node)}{_mark(node)}",
            0 if parent is None else parent.depth + 1,
            parent=parent,
        )
        yield own
        if own.depth == self.deepest and node.children:
            own.text += f" {self.say(phrase('solve.drawn.more', count=node.size() - 1))}"
            own.kind = "more"
            return
        for child in node.children:
            yield from self.lines(child, node.state, own)
        if node.cut:
            names = [_short(self.label(node.state, move)) for move in node.cut[:NAMED]] + [
                "…"
            ] * bool(node.cut[NAMED:])
            yield _Text(", ".join(names), own.depth + 1, "cut", parent=own)


def _short(text: str) -> str:
    if len(text) <= MAX_DRAWN_LABEL:
        return text
    return text[: MAX_DRAWN_LABEL - 1] + "…"


def _mark(node: TreeNode) -> str:
    """Mark of a node without children: end of the game, value from the table, or guess."""
    if node.over:
        return " ■"
    if node.from_table:
        return " ▤"
    return " ?" if node.guess is not None else ""


def value_text(node: TreeNode) -> str:
    """Write bounds as `+1`, `≥ 0` or `0.25`; `·` if they say nothing."""
    if node.low == node.high:
        return number_text(node.low)
    if node.high >= WIN:
        if node.low <= LOSS:
            return "·"
        return f"≥ {number_text(node.low)}"
    if node.low <= LOSS:
        return f"≤ {number_text(node.high)}"
    return f"{number_text(node.low)}…{number_text(node.high)}"


def number_text(value: float) -> str:
    """Write a value with its sign."""
    if value == int(value):
        return f"{value:+.0f}".replace("+0", "0").replace("-0", "0").replace("-", "−")
    return f"{value:+.2f}".replace("-", "−")


def _place(lines: list[_Text]) -> None:
    """Give each leaf a row of its own, and put each inner node in the middle of its children."""
    below: dict[int, list[_Text]] = {}
    for line in lines:
        if line.parent is not None:
            below.setdefault(id(line.parent), []).append(line)
    row = 0
    for line in lines:
        if id(line) not in below:
            line.row = row
            row = row + 1
    for line in reversed(lines):
        if hanging := below.get(id(line)):
            line.row = (hanging[0].row + hanging[-1].row) / 2


def _width(text: str) -> float:
    return LETTER * display_width(text)


def _drawn(line: _Text, starts: list[float], widths: list[float], top: float) -> str:
    x = starts[line.depth]
    y = top + ROW * (line.row + 1)
    kind = f' class="{line.kind}"' if line.kind else ""
    text = f'<text x="{x:.0f}" y="{y + 4:.0f}"{kind}>{escape(line.text)}</text>\n'
    if line.parent is None:
        return text
    from_x = starts[line.parent.depth] + _width(line.parent.text) + 4
    from_y = top + ROW * (line.parent.row + 1)
    to_x = x - 5
    bend = starts[line.depth] - EDGE
    # a visited child has drawn the stem already
    if line.kind == "cut":
        stem = ""
    else:
        stem = f"M{from_x:.0f} {from_y:.0f}H{bend:.0f}"
    branch = f'<path{kind} d="{stem or f"M{bend:.0f} {from_y:.0f}"}L{to_x:.0f} {y:.0f}"/>\n'
    if line.kind == "cut":
        middle_x = (bend + to_x) / 2
        middle_y = (from_y + y) / 2
        branch += "".join(
            f'<path class="cut" d="M{middle_x + shift:.1f} {middle_y - 6:.1f}l4 12"/>\n'
            for shift in (-4, 0)
        )
    return text + branch
