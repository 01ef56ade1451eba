"""Firefox, driven by Playwright: `python -P -m tests.page.firefox FIREFOX ARGUMENT…`.

Playwright drives an installed Firefox by WebDriver BiDi, and asks for two things that Firefox 153 has
not. It sets a colour scheme in every context, and it tells downloads apart by an identifier. This
program starts Firefox and passes all messages on. It confirms the unknown command in the browser's
place, so pages have the colour scheme of the machine, and names downloads by their address.
"""

import asyncio
import json
import re
import shlex
import signal
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.async_api import Browser, Playwright
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

ROOT = Path(__file__).parents[2]
LISTENING = re.compile(r"WebDriver BiDi listening on ws://127\.0\.0\.1:(\d+)")
UNKNOWN = "emulation.setMediaFeaturesOverride"
DOWNLOADS = ("browsingContext.downloadWillBegin", "browsingContext.downloadEnd")


async def launch_firefox(playwright: Playwright, path: str, names: tuple[str, ...]) -> Browser:
    """Start a Firefox. `names`: host names that lead to this machine."""
    command = shlex.join((sys.executable, "-P", "-m", "tests.page.firefox", path))
    with TemporaryDirectory() as folder:
        script = Path(folder) / "firefox"
        script.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {command} "$@"\n')
        script.chmod(0o700)
        return await playwright.firefox.launch(
            channel="moz-firefox",  # by WebDriver BiDi
            executable_path=script,
            firefox_user_prefs={"network.dns.localDomains": ",".join(names)},
        )


async def pass_on(port: int, driver: ServerConnection) -> None:
    """Pass messages between a driver and the browser at a port."""
    async with connect(f"ws://127.0.0.1:{port}/session", max_size=None, compression=None) as line:

        async def back() -> None:
            async for message in line:
                told = json.loads(message)
                if told.get("method") in DOWNLOADS:
                    told["params"].setdefault("download", told["params"]["url"])
                    message = json.dumps(told)
                await driver.send(message)

        answers = asyncio.create_task(back())
        with suppress(ConnectionClosed):
            async for message in driver:
                command = json.loads(message)
                if command["method"] == UNKNOWN:
                    done = {"type": "success", "id": command["id"], "result": {}}
                    await driver.send(json.dumps(done))
                else:
                    await line.send(message)
        answers.cancel()


async def main(command: list[str]) -> int:
    """Run a Firefox. Write its messages, with this program's port in the place of its own."""
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    for how in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(how, process.terminate)
    assert process.stderr is not None
    while line := (await process.stderr.readline()).decode():
        if found := LISTENING.match(line):
            answer = partial(pass_on, int(found[1]))
            server = await serve(answer, "127.0.0.1", 0, max_size=None, compression=None)
            (port,) = (socket.getsockname()[1] for socket in server.sockets)
            line = line.replace(found[1], str(port))
        sys.stderr.write(line)
        sys.stderr.flush()
    return await process.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
