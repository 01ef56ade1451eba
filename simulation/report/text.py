"""A report as text for a terminal."""

from collections.abc import Iterator
from textwrap import wrap

from protocol.view.text import Say, display_width, pad_to_width, two_columns
from simulation.report import Report
from simulation.report.sections import Section, Text, sections_of, title_of

# space between columns; width of a sentence
GAP = "  "
WIDE = 100


def report_lines(report: Report, say: Say) -> list[str]:
    """Write all sections of a report."""
    lines = [say(title_of(report.task))]
    for section in sections_of(report):
        lines += ["", say(section.title), *_section(section, say)]
    return lines


def _section(section: Section, say: Say) -> Iterator[str]:
    if section.facts:
        yield from two_columns(section.facts, say, indent=GAP)
    if section.rows:
        yield from _table([section.head, *section.rows], say)
    for sentence in section.says:
        yield from wrap(say(sentence), WIDE, initial_indent=GAP, subsequent_indent=GAP)


def _table(rows: list[tuple[Text, ...]], say: Say) -> Iterator[str]:
    """Align the first column to the left, numbers to the right."""
    texts = [[cell if isinstance(cell, str) else say(cell) for cell in row] for row in rows]
    wide = [max(map(display_width, column)) for column in zip(*texts, strict=True)]
    for first, *others in texts:
        right = [
            " " * (width - display_width(text)) + text
            for text, width in zip(others, wide[1:], strict=True)
        ]
        yield GAP + GAP.join([pad_to_width(first, wide[0]), *right])
