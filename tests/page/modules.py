"""Modules of the page, served without a program, for tests that draw their own data."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from net.http.server import ServerBounds, open_listener, serve
from player.ui.web.bundle import bundle, static
from player.ui.web.http.assets import KINDS, MATCH, pictures
from protocol.errors import LocalError
from protocol.i18n import english_text

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src "
    "'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
INDEX = """<!doctype html>
<html lang="en" data-axe="/axe.js"><head><title>fairdeal</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/all.css"><script src="/all.js" defer></script>
<script type="application/json" id="labels">{labels}</script></head><body><div id="root"></div></body></html>"""
SCRIPT = """import { learn } from "./words.js";
import { drawLobby } from "./lobby/screen.js";
import { drawMatch } from "./match/screen.js";
import { paintFrom } from "./boards/field/art.js";
paintFrom("/elements/");
const labels = document.getElementById("labels");
learn(JSON.parse(labels.textContent));
labels.remove();
const asked = [];
const sentOffers = []; // offers, as they were sent
const asks = (name) => async (...what) => {
  if (name === "choose") sentOffers.push(what[0]);
  asked.push([name, ...what.map((one) => one?.kind ?? one)]);
  await globalThis.answering;
  if (globalThis.refusal) throw new Error(globalThis.refusal);
  return { lines: ["It takes note."], ...globalThis.answer };
};
const names = "choose sit say leave again replay hint command compare log mute report".split(" ");
const actions = Object.fromEntries(names.map((name) => [name, asks(name)]));
const answered = (name) => async (body) => {
  const answer = await fetch(`answers/${name}`, { method: "POST", body: JSON.stringify(body ?? {}) });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
};
for (const name of ["lobby", "invitation", "rules"]) actions[name] = answered(name);
const root = document.getElementById("root");
const draw = (snapshot) => (snapshot.view ? drawMatch : drawLobby)(root, snapshot, actions);
Object.assign(globalThis, { asked, sentOffers, show: (snapshot) => { globalThis.shown = draw(snapshot); } });
document.documentElement.dataset.ready = "";
"""
PARTS = (  # modules for tests: `modules["boards/index.js"]`
    *(f"boards/{name}.js" for name in ("index", "layout", "pieces", "wager")),
    *(f"match/{name}.js" for name in ("changes", "log", "offers", "seats", "sound", "tones")),
    "boards/field/art.js",
    "replay/screen.js",
)
AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
KEPT = "max-age=86400, immutable"  # cached by the browser for all tests
Answers = Callable[[str, dict[str, Any]], Any]


class Shown(NamedTuple):
    """A page of a test."""

    labels: dict[str, str]
    answers: Answers


class Modules:
    """Server of the modules."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._shown: list[Shown] = []

    def add(self, labels: dict[str, str], answers: Answers) -> str:
        """Add a page with these texts. `answers` answers the requests of its lobby. Return its
        address.
        """
        self._shown.append(Shown(labels, answers))
        return f"{self._address}{len(self._shown) - 1}/"

    async def document(self, request: Request) -> Response:
        """Serve a page that waits for `show`."""
        labels = self._shown[request.path_params["number"]].labels
        return Response(
            INDEX.format(labels=json.dumps(labels).replace("<", r"\u003c")), media_type="text/html"
        )

    async def answer(self, request: Request) -> Response:
        """Answer a request of a lobby."""
        shown = self._shown[request.path_params["number"]]
        try:
            return JSONResponse(shown.answers(request.path_params["name"], await request.json()))
        except LocalError as error:
            return JSONResponse({"error": english_text(error.phrase)}, 422)


@cache
def parts() -> dict[str, str]:
    """Return the script and the style sheet, assembled as in the product, and axe for tests of
    accessibility.
    """
    named = {path: f"part{at}" for at, path in enumerate(PARTS)}
    imports = "".join(f'import * as {name} from "./{path}";\n' for path, name in named.items())
    shown = ", ".join(f'"{path}": {name}' for path, name in named.items())
    first = f"{imports}{SCRIPT}globalThis.modules = {{ {shown} }};\n"
    script = bundle("stage.js", lambda path: first if path == "stage.js" else static(path))
    styles = "".join(map(static, MATCH.styles))
    return {"all.js": script, "all.css": styles, "icon.svg": static("icon.svg"), "axe.js": AXE}


async def part(request: Request) -> Response:
    """Serve one of the parts, for the browser's cache."""
    name = request.path_params["name"]
    kind = KINDS[name.rpartition(".")[2]]
    return Response(parts()[name], media_type=kind, headers={"Cache-Control": KEPT})


async def element(request: Request) -> Response:
    """Serve a picture of the element set."""
    found = pictures()[f"elements/{request.path_params['name']}"]
    return Response(found.data, media_type=found.kind, headers={"Cache-Control": KEPT})


@asynccontextmanager
async def served_modules() -> AsyncIterator[Modules]:
    """Serve the modules during the block."""
    listener = open_listener()
    made = Modules(f"http://127.0.0.1:{listener.getsockname()[1]}/")
    routes = [
        Route("/{number:int}/", made.document),
        Route("/{number:int}/answers/{name}", made.answer, methods=["POST"]),
        Route("/elements/{name}", element),
        Route("/{name}", part),
    ]
    headers = (("Content-Security-Policy", POLICY),)
    async with serve(Starlette(routes=routes), listener, headers, ServerBounds(goodbye=0)):
        yield made
