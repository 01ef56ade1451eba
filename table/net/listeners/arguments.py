"""Command line of listeners, proxies, relays and directories."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from net.addresses import parse_address
from protocol.directory.link import ReportLink
from protocol.errors import LocalError
from protocol.i18n.help_parser import HelpText
from protocol.identity.address import HTTP_PORTS, Address, parse_address_text
from protocol.identity.keys import FINGERPRINT_LETTERS, WEB_SCHEME, JoinLink
from protocol.limits import MAX_DIRECTORIES, MAX_RELAYS
from protocol.view.phrase import phrase
from table.config import PAGE_PORT, WEB_PATH, WEB_PORT, Ways
from table.net.listeners.trusted_proxies import parse_networks


def add_listener_options(made: "argparse._ActionsContainer", page: bool = True) -> None:
    """Add the options. `page`: with the one of the page for browsers, which a host who plays has
    elsewhere.
    """
    add = made.add_argument
    if page:
        add_page(made)
    add(
        "--ws",
        nargs="?",
        metavar="[HOST:]PORT",
        const=str(WEB_PORT),
        help=HelpText(phrase("help.host.ws", port=WEB_PORT)),
    )
    add(
        "--ws-link",
        metavar="URL",
        help=HelpText(phrase("help.host.ws_link", path=WEB_PATH)),
    )
    add(
        "--ws-origin",
        metavar="ORIGIN",
        action="append",
        default=[],
        help="help.host.ws_origin",
    )
    add("--page", metavar="URL", help="help.host.page")
    add(
        "--proxy",
        metavar="ADDRESS[/PREFIX]",
        action="append",
        default=[],
        help="help.host.proxy",
    )
    add(
        "--relay",
        metavar="URL",
        action="append",
        default=[],
        help="help.host.relay",
    )
    add(
        "--relay-addresses",
        choices=("believe", "ignore"),
        default="believe",
        help=HelpText(phrase("help.host.relay_addresses", usual="believe")),
    )
    add(
        "--directory",
        metavar="LINK",
        action="append",
        default=[],
        help="help.host.directory",
    )


def add_page(made: "argparse._ActionsContainer") -> None:
    """Add the option of the page for browsers."""
    made.add_argument(
        "--web",
        nargs="?",
        metavar="[HOST:]PORT",
        const=str(PAGE_PORT),
        help=HelpText(phrase("help.host.web", port=PAGE_PORT)),
    )


def ways_of(options: argparse.Namespace, host: str) -> Ways:
    """Return the ways into a table that the options name. `host`: address at which the table listens.
    Raises: LocalError.
    """
    # with `--play`, `--web` is the host's own page, which another program serves
    served = None if getattr(options, "play", False) else options.web
    link = _web_link(options.ws_link) if options.ws_link else None
    page = "" if options.page is None else parse_page(options.page)
    ways = Ways(
        link=link,
        proxies=parse_networks(options.proxy),
        origins=tuple(map(parse_origin, options.ws_origin)),
        page_elsewhere=page,
        relays=parse_relays(options.relay),
        relay_addresses=options.relay_addresses == "believe",
        directories=parse_directories(options.directory),
    )
    has_web = options.ws is not None or link is not None or served is not None
    if page:
        _check_page(ways, has_web, served is not None)
    if not has_web:
        if ways.origins:
            raise LocalError("wrong.web.origin_only")
        return ways
    return replace(
        ways,
        web=parse_own_address(options.ws or str(WEB_PORT), host),
        origins=(*ways.origins, url_origin(page)) if page else ways.origins,
        page=None if served is None else parse_own_address(served, host),
    )


def _check_page(ways: Ways, has_web: bool, is_served: bool) -> None:
    """Check that a page elsewhere can lead to a way into the table. Raises: LocalError."""
    if is_served:
        raise LocalError("wrong.page.two")
    if not has_web and not ways.relays:
        raise LocalError("wrong.page.leads_nowhere")
    schemes = {relay.web_scheme for relay in ways.relays}
    if has_web:
        schemes.add("ws" if ways.link is None else ways.link.web_scheme)
    if "ws" in schemes and ways.page_elsewhere.startswith("https://"):
        raise LocalError("wrong.page.insecure")


def parse_own_address(text: str, host: str) -> tuple[str, int]:
    """Return host and port of `[HOST:]PORT`; `host` if only a port is named. Raises: LocalError."""
    if ":" not in text:
        text = f"[{host}]:{text}" if ":" in host else f"{host}:{text}"
    return parse_address(text)


def parse_relays(texts: Sequence[str], most: int = MAX_RELAYS) -> tuple[Address, ...]:
    """Return the addresses of relays by their URLs. Raises: LocalError, also for a URL that is there
    twice, and for more than `most`.
    """
    found = [parse_address_text(text.strip().rstrip("/")) for text in texts]
    relays = tuple(relay for relay in found if relay is not None and relay.web_scheme)
    if len(relays) < len(texts) or len(set(relays)) < len(relays) or len(relays) > most:
        raise LocalError("wrong.relay.url", most=most)
    return relays


def parse_directories(texts: Sequence[str]) -> tuple[ReportLink, ...]:
    """Return the directories to which a table reports. Raises: LocalError."""
    links = tuple(dict.fromkeys(map(ReportLink.parse, texts)))
    if len(links) > MAX_DIRECTORIES:
        raise LocalError("wrong.directory.many", most=MAX_DIRECTORIES)
    return links


def parse_origin(text: str) -> str:
    """Return the origin of a page as browsers write it: RFC 6454, section 6.2. Raises: LocalError
    unless it is `https://HOST` or `http://HOST`, with a port if that is not the usual one.
    """
    try:
        parts = urlsplit(text.strip().rstrip("/"))
        port = parts.port
    except ValueError:
        raise LocalError("wrong.web.origin") from None
    host = parts.hostname or ""
    known = parts.scheme in HTTP_PORTS and host.isascii() and parts.username is None
    if not known or not host or parts.path or parts.query or parts.fragment:
        raise LocalError("wrong.web.origin")
    shown = f"[{host}]" if ":" in host else host
    usual = port is None or port == HTTP_PORTS[parts.scheme]
    return f"{parts.scheme}://{shown}" if usual else f"{parts.scheme}://{shown}:{port}"


def parse_page(text: str) -> str:
    """Return the address of a page for browsers, to which a link can be added after `#`. Raises:
    LocalError.
    """
    text = text.strip()
    if text.count("/") == len("//"):
        text = f"{text}/"
    try:
        link = JoinLink.parse(
            f"{text}#wss://{'a' * FINGERPRINT_LETTERS}/{'a' * FINGERPRINT_LETTERS}"
        )
    except LocalError:
        raise LocalError("wrong.page.address") from None
    return link.page


def url_origin(url: str) -> str:
    """Return the origin of a page by its URL: RFC 6454, section 6.2."""
    parts = urlsplit(url)
    return parse_origin(f"{parts.scheme}://{parts.netloc}")


def _web_link(url: str) -> JoinLink:
    """Return the link to a URL, without the fingerprint, which is known once the table runs."""
    try:
        link = JoinLink.parse(f"{WEB_SCHEME}{url.strip().rstrip('/')}/{'a' * FINGERPRINT_LETTERS}")
    except LocalError:
        raise LocalError("wrong.web.address") from None
    return replace(link, fingerprint=None)
