"""Names in right-to-left script: numbers next to them stay in their usual places."""

import pytest

from protocol.i18n import english
from protocol.view.phrase import Pieces, SeatRef, phrase
from protocol.view.text import phrase_renderer
from tests.page.snapshots import shot
from tests.page.stage import show, staged
from tests.page.visits import Visits

DANIELA, SEVEN = "\u05d3\u05e0\u05d9\u05d0\u05dc\u05d4", "7 of 9"
LINES = {
    phrase(
        "dominoes.left.tiles",
        who=SeatRef(0),
        tiles=Pieces(((6, 4),)),
        pips=phrase("dominoes.pips", count=10),
    ): "6-4",
    phrase("match.points", who=SeatRef(0), points=3): "3",
}
BESIDE = """([name, number]) => {
  const lines = [...document.querySelectorAll(".log p, .status")];
  const walker = document.createTreeWalker(lines.find((one) => one.textContent.includes(name)), NodeFilter.SHOW_TEXT);
  const text = walker.nextNode();
  const [one, other] = [name, number].map((part) => {
    const range = new Range();
    range.setStart(text, text.data.indexOf(part));
    range.setEnd(text, text.data.indexOf(part) + part.length);
    return range.getBoundingClientRect();
  });
  return one.width > 0 && other.width > 0 && one.right <= other.left + 1;
}"""


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.key)
async def test_number_after_right_to_left_name_stays_behind(visits: Visits, line):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    text = phrase_renderer(english, [DANIELA])(line)
    await page.evaluate("text => shown.notice({entry: 1, text, style: 'plain'})", text)
    assert await page.evaluate(BESIDE, [DANIELA, LINES[line]]), text


async def test_number_after_next_right_to_left_name_stays_behind(visits: Visits):
    page, snapshot = await staged(visits), shot("waiting")
    view = snapshot["view"]
    names = {1: DANIELA, 2: SEVEN}
    seats = [seat | {"name": names.get(seat["seat"], seat["name"])} for seat in view["seats"]]
    turns = [view["turns"][0] | {"seat": seat} for seat in names]
    await show(page, snapshot | {"view": view | {"seats": seats, "turns": turns, "you": 0}})
    assert await page.evaluate(BESIDE, [DANIELA, "7"])
