"""A report as a page."""

from xml.etree.ElementTree import Element  # only built, never parsed

from protocol.view.phrase import phrase
from protocol.view.text import Say
from simulation.pages.charts import histogram, shares
from simulation.pages.markup import made, page, sentence
from simulation.report import Report
from simulation.report.sections import Section, Text, sections_of, title_of, unit_of, who

# most characters of a name below a bar, and most names; else the bars have numbers
DRAWN_NAME = 8
DRAWN_NAMES = 6


def report_page(report: Report, language: str, say: Say, style: Element | None = None) -> bytes:
    """Make the page of a report; `style` makes a page that stands alone."""
    title = title_of(report.task)
    drawings = {
        phrase("simulate.seats"): _shares(report, say),
        unit_of(report.task): _length(report, say),
    }
    body = [_section(section, drawings.get(section.title), say) for section in sections_of(report)]
    return page(title, language, say, *body, style=style)


def _shares(report: Report, say: Say) -> Element:
    names = [_cell(who(group, report.task), say) for group in report.groups]
    fit = len(names) <= DRAWN_NAMES and max(map(len, names)) <= DRAWN_NAME
    if fit:
        short = names
    else:
        short = [f"{group.first + 1:,}" for group in report.groups]
    return shares(report.groups, short, say(phrase("simulate.drawn.shares")))


def _length(report: Report, say: Say) -> Element:
    return histogram(report.length, say(phrase("simulate.drawn.length")))


def _section(section: Section, drawing: Element | None, say: Say) -> Element:
    said = [sentence(say, one) for one in section.says]
    return made(
        "section",
        made("h2", say(section.title)),
        _facts(section, say),
        _table(section, say),
        drawing,
        *said,
    )


def _facts(section: Section, say: Say) -> Element | None:
    if not section.facts:
        return None
    rows = [
        made("div", made("dt", say(label)), made("dd", value)) for label, value in section.facts
    ]
    return made("dl", *rows)


def _table(section: Section, say: Say) -> Element | None:
    """Make a table in a box that scrolls by itself, also by keys."""
    if not section.rows:
        return None
    head = made("tr", *(made("th", say(cell), scope="col") for cell in section.head))
    rows = [
        made(
            "tr",
            made("th", _cell(first, say), scope="row"),
            *(made("td", _cell(cell, say)) for cell in others),
        )
        for first, *others in section.rows
    ]
    table = made("table", made("thead", head), made("tbody", *rows))
    return made(
        "div", table, class_="wide", tabindex="0", role="region", aria_label=say(section.title)
    )


def _cell(cell: Text, say: Say) -> str:
    return cell if isinstance(cell, str) else say(cell)
