"""The page's own modules with no program behind them: they draw what a test has, and it hears what they ask."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.async_api import Page, Route

from player.page.http.assets import MATCH
from protocol.errors import LocalError
from protocol.locale import ENGLISH, labels
from tests.page.visits import Visits

ADDRESS = "http://127.0.0.1:9"  # where nobody is: all requests are answered here
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
INDEX = """<!doctype html>
<html lang="en"><head><title>fairdeal</title><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/static/none.svg">
{sheets}
<script type="module" src="/stage.js"></script></head><body><div id="root"></div></body></html>"""
SCRIPT = """import { learn } from "/static/words.js";
import { drawLobby } from "/static/lobby/screen.js";
import { drawMatch } from "/static/match/screen.js";
learn(await (await fetch("/labels")).json());
const asked = [];
const asks = (name) => async (...what) => {
  asked.push([name, ...what.map((one) => one?.kind ?? one)]);
  await globalThis.answering;
  if (globalThis.refusal) throw new Error(globalThis.refusal);
  return { lines: ["It takes note."] };
};
const names = ["choose", "sit", "say", "leave", "again", "hint", "command", "compare", "log"];
const actions = Object.fromEntries(names.map((name) => [name, asks(name)]));
const answered = (name) => async (body) => {
  const answer = await fetch(`/answers/${name}`, { method: "POST", body: JSON.stringify(body ?? {}) });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
};
for (const name of ["lobby", "invitation"]) actions[name] = answered(name);
const root = document.getElementById("root");
const draw = (snapshot) => (snapshot.view ? drawMatch : drawLobby)(root, snapshot, actions);
Object.assign(globalThis, { asked, show: (snapshot) => { globalThis.shown = draw(snapshot); } });
document.documentElement.dataset.ready = "";
"""
STATIC = Path(__file__).parents[2] / "player/page/static"
TYPES = {"js": "text/javascript", "css": "text/css", "html": "text/html", "svg": "image/svg+xml"}
Answers = Callable[[str, dict[str, Any]], Any]


def nothing(name: str, body: dict[str, Any]) -> Any:
    """No answers."""
    raise LocalError(f"nobody answers {name} {body}")


def words(language: str, stretched: bool) -> dict[str, str]:
    """The page's own words; each 40 % longer, if they are to be."""
    return {
        key: text + "~" * (2 * len(text) // 5 if stretched else 0)
        for key, text in labels(language, area="page").items()
    }


async def staged(
    visits: Visits, *, stretched: bool = False, language: str = ENGLISH, answers: Answers = nothing, **how: Any
) -> Page:
    """A page that waits for `show`. `answers`: what the program says to what a lobby asks of it."""
    page = await visits.open(**how)

    async def answer(route: Route) -> None:
        path = route.request.url.removeprefix(ADDRESS)
        if path == "/labels":
            await route.fulfill(json=words(language, stretched))
            return
        if path.startswith("/answers/"):
            try:
                await route.fulfill(json=answers(path.removeprefix("/answers/"), route.request.post_data_json))
            except LocalError as error:
                await route.fulfill(status=422, json={"error": str(error)})
            return
        found = STATIC.joinpath(path.removeprefix("/static/"))
        sheets = "".join(f'<link rel="stylesheet" href="/static/{sheet}">' for sheet in MATCH.styles)
        own = {"/": INDEX.format(sheets=sheets), "/stage.js": SCRIPT, "/static/none.svg": "<svg/>"}
        body = own.get(path) or found.read_text()
        kind = TYPES.get(path.rpartition(".")[2], "text/html")
        await route.fulfill(body=body, content_type=kind, headers={"Content-Security-Policy": POLICY})

    await page.route("**/*", answer)
    await page.goto(ADDRESS + "/")
    await page.wait_for_selector("html[data-ready]")
    return page


async def show(page: Page, snapshot: dict[str, Any]) -> None:
    """Draw it."""
    await page.evaluate("snapshot => show(snapshot)", snapshot)


async def tell(page: Page, deeds: list[dict[str, Any]]) -> None:
    """Tell it what has happened."""
    await page.evaluate("deeds => { for (const deed of deeds) shown.deed(deed); }", deeds)


async def asked(page: Page) -> list[list[Any]]:
    """What the page has asked of the program, once it has drawn: a dialog says how it was closed a little later."""
    drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
    found: list[list[Any]] = await page.evaluate(f"{drawn}.then(() => asked)")
    return found
