"""The person's way to the page: a browser opened on it, and links to open by hand."""

import asyncio
import os
import sys
import tempfile
import time
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from html import escape
from pathlib import Path

from commandline.children import absolute_places
from net.http.policy import HOST
from player.ui.web.http.access import Access

# one of these variables is set where a browser can be opened
WINDOWS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
REDIRECT = (
    '<!doctype html><meta charset="utf-8"><title>fairdeal</title><meta http-equiv="refresh" '
    'content="0;url={}">'
)
Opener = Callable[[str], bool]  # opens a URL, or says that it cannot


def open_browser(url: str) -> bool:
    """Open the person's own browser, where there is one that has a window.

    Python tries many names of browsers. None of them may be a file of the working directory,
    so relative and empty entries leave this program's PATH.
    """
    windows = sys.platform in ("darwin", "win32") or any(name in os.environ for name in WINDOWS)
    places = absolute_places(os.environ.get("PATH", os.defpath))
    os.environ["PATH"] = os.pathsep.join(places) or os.defpath
    try:
        return windows and webbrowser.open(url)
    except (webbrowser.Error, OSError):
        return False


class Links:
    """The links to one page. `name`: the host name under which the person's own proxy serves it."""

    def __init__(
        self, access: Access, port: int, name: str | None, opener: Opener = open_browser
    ) -> None:
        self._access = access
        self._opener = opener
        if name:
            self._base = f"https://{name}"
        else:
            self._base = f"http://{HOST}:{port}"
        self._file: Path | None = None

    def new(self) -> str:
        """Return a new link, which works once and for a short time."""
        return f"{self._base}/#t={self._access.ticket(time.monotonic())}"

    async def open(self) -> bool:
        """Open the page in the browser. Return False if there is none.

        Everybody on this machine can read command lines. The browser therefore gets a file that
        only this person can read, and the file leads to the link.
        """
        handle, name = tempfile.mkstemp(suffix=".html", prefix="fairdeal-")  # made with mode 0600
        self._file = Path(name)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(REDIRECT.format(escape(self.new())))
        opened = await asyncio.to_thread(self._opener, self._file.as_uri())
        if not opened:
            self.remove_file()
        return opened

    def remove_file(self) -> None:
        """Delete the file, once its link has been used or is not needed any more."""
        if self._file is not None:
            with suppress(OSError):
                self._file.unlink(missing_ok=True)
            self._file = None
