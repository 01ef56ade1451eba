"""A table from its command line on: open, with what was asked for around it, until it is told to
stop.
"""

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

from commandline.optional_packages import require_telemetry
from commandline.sd_notify import READY, STOPPING, tell
from commandline.service import prepare_loop
from commandline.terminal_qr import terminal_code
from net.addresses import is_loopback, own_addresses, reach_phrase
from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.i18n.language_choice import environment_translator
from protocol.installation import install_command
from protocol.match.terms import dealing_phrase
from protocol.view.phrase import Phrase, phrase
from protocol.view.terminal_output import wrap_for
from protocol.view.text import phrase_renderer
from table.config import Config
from table.control.service import command_socket
from table.lobby.tables import DEFAULT_TABLE
from table.manager.server import TableServer
from table.ops.garbage import Collector
from table.ops.reload import Reload
from table.storage.disk.keys import keep_link

log = logging.getLogger("table")


async def serve(
    config: Config,
    once: bool,
    metrics_port: int | None = None,
    lan: bool = False,
    telemetry: bool = False,
    reload: Reload | None = None,
    readable: bool = True,
) -> None:
    """Host until a signal, or with `once` until the first match is over. `reload` reads the
    configuration again. `readable`: a person reads standard error. Raises: LocalError.
    """
    stop, hangup = prepare_loop(), asyncio.Event()
    _at_hangup(asyncio.get_running_loop(), stop, hangup if reload is not None else stop)
    async with AsyncExitStack() as stack:
        made = (
            await stack.enter_async_context(telemetered()(config))
            if telemetry
            else TableServer(config)
        )
        table = await _opened(stack, made, stop)
        if table is None:
            return
        if metrics_port is not None:
            port = await stack.enter_async_context(exporter()(table, metrics_port))
            log.info("metrics are at http://127.0.0.1:%d/metrics", port)
        again = None if reload is None else partial(reload, table)
        await stack.enter_async_context(command_socket(table.manager, config.data, reload=again))
        stack.callback(Collector(lambda: _is_idle(table), table.metrics.collection).close)
        keep_link(config.data, str(table.link))
        _print_at_once(_welcome(table))
        if readable:
            _say_reach(table)
        log.info("%s", _beginning(table))
        tell(READY, os.environ)
        found = [asyncio.create_task(_announce(table))] if lan else []
        if again is not None:
            found.append(asyncio.create_task(_reload_at_hangup(hangup, again)))
        ends = [
            asyncio.ensure_future(stop.wait()),
            asyncio.ensure_future(table.manager.drain.done.wait()),
        ]
        if table.manager.cluster is not None:
            ends.append(asyncio.ensure_future(table.manager.cluster.drained.wait()))
        if once:
            ends.append(asyncio.ensure_future(table.matches.first_settled.wait()))
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in (*ends, *found):
            end.cancel()
        await asyncio.gather(*found, return_exceptions=True)
        log.info("closing")
        tell(STOPPING, os.environ)


def _at_hangup(loop: asyncio.AbstractEventLoop, stop: asyncio.Event, hangup: asyncio.Event) -> None:
    """Set `hangup` for each SIGHUP; `stop` instead if it says that the table's terminal is gone."""
    in_terminal = _is_terminal()

    def hung_up() -> None:
        (stop if in_terminal and not _is_terminal() else hangup).set()

    if (number := getattr(signal, "SIGHUP", None)) is not None:
        loop.add_signal_handler(number, hung_up)


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


async def _reload_at_hangup(hangup: asyncio.Event, again: Callable[[], list[str]]) -> None:
    """Read the configuration again for each SIGHUP; the log says how it went."""
    while True:
        await hangup.wait()
        hangup.clear()
        with contextlib.suppress(LocalError):
            again()


def _beginning(table: TableServer) -> str:
    """Return the first line of the log: what runs here. No invitation is in it."""
    return (
        f"fairdeal {version('fairdeal')} listens at {table.address} port {table.link.port}; "
        f"key {table.link.fingerprint}; folder {table.config.data}; "
        f"matches kept: {table.matches.kept}"
    )


def _is_idle(table: TableServer) -> bool:
    """Nobody with a seat in a running match is connected."""
    rooms = [each.room for each in table.lobby.tables.values() if each.room is not None]
    return not any(room.seated for room in rooms)


async def _opened(
    stack: AsyncExitStack, made: AbstractAsyncContextManager[TableServer], stop: asyncio.Event
) -> TableServer | None:
    """The table; None if it is to stop before it is open: while its disk refuses it waits, for as
    long as that takes.

    Raises: LocalError if it cannot be opened.
    """
    entering = asyncio.create_task(stack.enter_async_context(made))
    ending = asyncio.create_task(stop.wait())
    await asyncio.wait({entering, ending}, return_when=asyncio.FIRST_COMPLETED)
    ending.cancel()
    if entering.done():
        return entering.result()
    entering.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await entering
    return None


async def _announce(table: TableServer) -> None:
    """Let this table be found on the local network. If it cannot be, it is a table all the same."""
    from net.lan.announcement import Announcement, AnnouncementKind
    from net.lan.mdns import announce

    terms, link = table.config.terms, table.link
    assert link.fingerprint is not None
    announcement = Announcement(
        AnnouncementKind.TABLE, link.fingerprint, terms.game.name, terms.seats
    )
    try:
        await announce(announcement, own_addresses(table.address), link.port)
    except LocalError as error:
        log.warning("%s", english_text(error.phrase))


def _welcome(table: TableServer) -> str:
    """The link, and what happens next."""
    terms, say = table.config.terms, phrase_renderer(environment_translator(os.environ), ())
    if table.lobby.tables[DEFAULT_TABLE].room is not None:
        return f"{table.link}\n{say(phrase('host.running'))}\n{_page_lines(table)}"
    waiting = phrase(
        "host.waiting", seats=terms.seats, game=terms.game.name, dealt=dealing_phrase(terms)
    )
    named = (
        f"{say(phrase('host.witness', key=table.identity.public.hex()))}\n"
        if table.config.witness
        else ""
    )
    web = (
        f"{say(phrase('host.web'))}\n  fairdeal join {table.web_link}\n"
        if table.web_link is not None
        else ""
    )
    relayed = "".join(
        f"{say(phrase('host.relay', relay=str(relay)))}\n  fairdeal join {link}\n"
        for relay, link in zip(table.config.ways.relays, table.relay_links, strict=True)
    )
    page = _page_lines(table)
    return (
        f"{table.link}\n{say(waiting)}\n  fairdeal join {table.link}\n{web}{page}{relayed}{named}"
    )


def _page_lines(table: TableServer) -> str:
    """Return the links to the page for browsers, the QR code of the first, and who could change the
    page; nothing without a page.
    """
    links = table.page_links
    if not links:
        return ""
    say = phrase_renderer(environment_translator(os.environ), ())
    code = terminal_code(str(links[0]), sys.stdout) if sys.stdout is not None else ""
    lines = "".join(f"  {link}\n" for link in links)
    if table.config.ways.page_elsewhere:
        trust = phrase("host.page.elsewhere", server=urlsplit(links[0].page).netloc)
    else:
        trust = phrase("host.page.trust")
    return f"{say(phrase('host.page'))}\n{lines}{code}{say(trust)}\n"


def _say_reach(table: TableServer) -> None:
    """Say who can reach the link. A table behind a web server has another link for players."""
    if table.config.ways.link is None and not table.config.ways.relays:
        say = phrase_renderer(environment_translator(os.environ), ())
        reach = say(reach_phrase(table.link.host, table.link.port))
        print(wrap_for(sys.stderr, reach), file=sys.stderr, flush=True)
        _say_page_reach(table, say)


def _say_page_reach(table: TableServer, say: Callable[[Phrase], str]) -> None:
    """Say which ports the page needs beside that of the link."""
    web = table.web_link
    if not table.page_port or web is None or is_loopback(table.link.host):
        return
    ports = phrase("host.page.ports", web=web.port, page=table.page_port)
    print(wrap_for(sys.stderr, say(ports)), file=sys.stderr, flush=True)


def _print_at_once(text: str) -> None:
    """Who reads the first line may close the pipe after it, or before: the link is in a file, and
    the table runs.
    """
    if sys.stdout is None:  # closed when we were started
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        log.warning("nobody reads the join link on standard output (%s)", type(error).__name__)
        # or Python tries again at its end, and says that it cannot
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


def exporter() -> Callable[[TableServer, int], AbstractAsyncContextManager[int]]:
    """What serves metrics. Raises: LocalError if the library for it is not installed."""
    try:
        from table.ops.prometheus import exported
    except ImportError:
        raise LocalError("wrong.table.metrics", install=install_command("metrics")) from None
    return exported


def telemetered() -> Callable[[Config], AbstractAsyncContextManager[TableServer]]:
    """What makes a table that is watched. Raises: LocalError if the library for it is not
    installed.
    """
    with require_telemetry():
        from table.ops.telemetry import observed
    return observed
