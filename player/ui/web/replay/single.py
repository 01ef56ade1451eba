"""A match as one page that needs no server, no network and no installation: for mail and for web
sites.

The page says that its sender made it, and proves nothing. It contains the log itself, which every
reader can save and audit. Its policy allows scripts and styles by their hashes, and nothing else.
All frames are in the page, a hundred in each packed part; the page unpacks a part when it is needed.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from typing import Any
from zlib import compress

from player.presenter.match_data import rules_data
from player.ui.web.bundle import bundle, static
from protocol.audit.history import MatchHistory
from protocol.audit.replay_frames import ALL_SEATS, Viewpoint, replay_data, replay_frame, step_marks
from protocol.games.registry import BUILT_IN, Games
from protocol.i18n import best_language, load_translator
from protocol.match.log_file import as_far_as_read
from protocol.match.match_rules import MatchRules
from protocol.view.phrase import phrase
from protocol.view.text import Translate, phrase_renderer

FIRST = "replay/file.js"
STYLES = (
    "style.css",
    "boards/boards.css",
    "boards/field/field.css",
    "match/match.css",
    "replay/replay.css",
)
# frames of a packed part: they have so much in common that one part takes a tenth of the room
TOGETHER = 100
LABEL = re.compile(r'"(page(?:\.[a-z_]+)+)"')  # in the page's modules
MERGED = ("view", "knowledge")  # parts of frames that differ little from seat to seat


def single_page(
    data: bytes, name: str, languages: Sequence[str] = (), games: Games = BUILT_IN
) -> str:
    """Return the page of a log file called `name`, in the first available one of these languages."""
    translate = load_translator(*languages)
    script = bundle(FIRST, static)
    style = "".join(map(static, STYLES))
    say = phrase_renderer(translate, ())
    shown = _shown(data, translate, games)
    block = shown | {
        "labels": {key: translate(key, None) for key in sorted(set(LABEL.findall(script)))},
        "name": name,
    }
    title = say(phrase("replay.file.title", name=name))
    notice = say(phrase("replay.file.notice", name=name))
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="{best_language(*languages)}">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(script, style)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            f'<section class="note panel" aria-label="{escape(title)}">{escape(notice)}</section>',
            '<div id="root"></div>',
            f'<script type="application/json" id="data">{_embedded(block)}</script>',
            f"<script>{script}</script>",
            "</body>",
            "</html>\n",
        ]
    )


def _policy(script: str, style: str) -> str:
    """Return a policy that allows only the script and the style sheet of the page."""
    return (
        f"default-src 'none'; script-src '{_hashed(script)}'; style-src '{_hashed(style)}'; "
        "base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hashed(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _embedded(block: dict[str, Any]) -> str:
    """Return JSON that cannot end the script element around it."""
    return json.dumps(block, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _shown(data: bytes, translate: Translate, games: Games) -> dict[str, Any]:
    history = MatchHistory(data, games).read()
    marks = [mark for step in history.steps for mark in step_marks(step, translate)]
    frames = [_from_all_sides(history, step.number, translate) for step in history.steps]
    if history.replay.damage is not None:  # a cheat may have put 200 MB behind its fault
        data = as_far_as_read(data, (step.raw for step in history.steps))
    rules = MatchRules.of_match(history.steps[-1].after) if history.steps else None
    return {
        "rules": rules and rules_data(rules, translate),
        "replay": replay_data(history, len(history.steps), marks, translate),
        "frames": [_packed(frames[at : at + TOGETHER]) for at in range(0, len(frames), TOGETHER)],
        "together": TOGETHER,
        "log": b64encode(data).decode(),
    }


def _from_all_sides(history: MatchHistory, number: int, translate: Translate) -> dict[str, Any]:
    """Return the frame for a spectator, and the differences from it of the frames for each seat and
    for all seats together.
    """
    shown = replay_frame(history, number, None, translate)
    sides: Iterable[Viewpoint] = (ALL_SEATS, *range(history.steps[number].after.setup.seats))
    return {"none": shown} | {
        str(side): frame_difference(shown, replay_frame(history, number, side, translate))
        for side in sides
    }


def frame_difference(base: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return the differences that turn one frame into another."""
    found = _differing(base, other)
    return found | {key: _differing(base[key], found[key]) for key in MERGED if key in found}


def _differing(base: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in other.items() if value != base[key]}


def _packed(value: Any) -> str:
    return b64encode(compress(json.dumps(value, separators=(",", ":")).encode(), 9)).decode()
