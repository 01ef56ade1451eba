"""What a command line says of doors and proxies."""

import argparse
from dataclasses import replace

from net.addresses import parse_address
from protocol.errors import LocalError
from protocol.identity.keys import FINGERPRINT_LETTERS, WEB_SCHEME, JoinLink
from table.config import WEB_PATH, WEB_PORT, Ways
from table.doors.named import parse_networks


def add_doors(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add(
        "--ws",
        nargs="?",
        metavar="[HOST:]PORT",
        const=str(WEB_PORT),
        help="open a WebSocket door too, for networks that let nothing but the web through: behind "
        "a web server with "
        f"TLS (docs/host.md; needs fairdeal[ws]); by default on port {WEB_PORT} of the host "
        "of --listen",
    )
    add(
        "--ws-link",
        metavar="URL",
        help="where players find that door, as wss://play.example.org/table: it is in their link, "
        "and its path is the "
        f"door's (default: {WEB_PATH} at this machine, without TLS)",
    )
    add(
        "--proxy",
        metavar="ADDRESS[/PREFIX]",
        action="append",
        default=[],
        help="believe this proxy whom it speaks for, so that bounds are for their addresses: by "
        "PROXY protocol 1 or 2 "
        "on the TCP port, by X-Forwarded-For at the WebSocket door; what comes from it "
        "without is refused",
    )


def ways_of(options: argparse.Namespace, host: str) -> Ways:
    """What is asked for; `host`: where the table listens. Raises: LocalError."""
    proxies = parse_networks(options.proxy)
    if options.ws is None and options.ws_link is None:
        return Ways(proxies=proxies)
    address = options.ws or str(WEB_PORT)
    if ":" not in address:
        address = f"[{host}]:{address}" if ":" in host else f"{host}:{address}"
    return Ways(
        parse_address(address), _web_link(options.ws_link) if options.ws_link else None, proxies
    )


def _web_link(url: str) -> JoinLink:
    """A link to a URL: whose fingerprint it has, is known once the table runs."""
    try:
        link = JoinLink.parse(f"{WEB_SCHEME}{url.strip().rstrip('/')}/{'a' * FINGERPRINT_LETTERS}")
    except LocalError:
        raise LocalError("wrong.web.address") from None
    return replace(link, fingerprint=None)
