"""The files of the page in which a tab is a whole player, without those that npm packages bring.

Addresses in them are relative, so the page can lie in any folder of a web server.
"""

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path

from net.page.policy import POLICY
from player.cards.creator.element_set.cards import FACES
from player.ui.web.bundle import bundle, static
from player.ui.web.http.assets import APP
from protocol.i18n import available_languages, labels

STATIC = Path(__file__).parent / "static"
ENTRY = "tab/main.js"
WEB_MANIFEST = "installed.webmanifest"  # by which a browser installs the page
AREA = "tab"  # of the texts that the page has before its program is there
# the parts lie as they are, so the worker is a file beside them
UNBUILT = POLICY.replace("worker-src blob:", "worker-src 'self'")


def page_files(loaded: int) -> dict[str, bytes]:
    """Return all files of the page, by name. `loaded`: bytes of the files that the worker fetches,
    for the progress bar.
    """
    texts = {
        "index.html": _document(loaded),
        "all.js": bundle(ENTRY, _module),
        "all.css": "".join((*map(static, APP.styles), _own("tab/tab.css"))),
        "icon.svg": static("icon.svg"),
        WEB_MANIFEST: _own(f"tab/{WEB_MANIFEST}"),
        **{path.name: path.read_text("utf-8") for path in sorted(STATIC.glob("*.js"))},
    }
    pictures = {f"elements/{path.name}": path.read_bytes() for path in sorted(FACES.glob("*.svg"))}
    return {name: text.encode() for name, text in texts.items()} | pictures


def _document(loaded: int) -> str:
    words = {language: labels(language, area=AREA) for language in available_languages()}
    # within a script, HTML ends at a tag
    block = json.dumps(words, ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")
    return (
        _own("tab/index.html")
        .replace("POLICY", UNBUILT)
        .replace("WORDS", block)
        .replace("SIZE", str(loaded))
        .replace("NOSCRIPT", _in_all(words, "tab.no_script"))
        .replace("NOTBEGUN", _in_all(words, "tab.not_begun"))
    )


def _in_all(words: Mapping[str, Mapping[str, str]], key: str) -> str:
    """Return a text in all languages, for a page that cannot choose one."""
    return escape(" ".join(texts[key] for texts in words.values()))


def _own(path: str) -> str:
    return (STATIC / path).read_text("utf-8")


def _module(path: str) -> str:
    """Return the text of a module of the page: its own, or one that all pages have."""
    return _own(path) if path.startswith("tab/") else static(path)
