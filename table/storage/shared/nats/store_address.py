"""Where a store of NATS servers is, and how it lets us in: one line, as an operator writes it.

nats://a:4222,b:4222,c:4222?monitor=8222          tls://… for TLS, to the monitors, too
monitor=PORT of all, or one for each server: monitor=8222,8223,8224
shards=N     streams of matches that a store is made with; later no other number is taken
login=FILE   user and password         ca=FILE  cert=FILE  key=FILE   for TLS
"""

import os
import re
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from protocol.errors import LocalError
from table.storage.disk.keys import forbidden
from table.storage.shared.nats.streams import CHOICES

PORT, MONITOR = 4222, 8222
_HOST = re.compile(r"([a-zA-Z0-9.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(?::([0-9]{1,5}))?")
_FILES = ("login", "ca", "cert", "key")


@dataclass(frozen=True)
class NatsAddress:
    """A store of NATS servers."""

    hosts: tuple[tuple[str, int], ...]
    monitors: tuple[int, ...]  # the port of each host's monitor
    tls: bool = False
    login: Path | None = None
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    shards: int | None = None  # streams of matches; None: what the store has

    @property
    def urls(self) -> list[str]:
        """For the client."""
        return [f"{'tls' if self.tls else 'nats'}://{host}:{port}" for host, port in self.hosts]

    def credentials(self) -> tuple[str | None, str | None]:
        """User and password. Raises: LocalError if the file cannot be used, or others may read
        it.
        """
        if self.login is None:
            return None, None
        try:
            found = self.login.stat()
            if os.name == "posix" and found.st_mode & forbidden(found, os.geteuid()):
                raise LocalError("wrong.store.login.others", path=str(self.login))
            user, colon, password = self.login.read_text("utf-8").strip().partition(":")
        except (OSError, ValueError):
            colon = ""
        if not colon:
            raise LocalError("wrong.store.login", path=str(self.login))
        return user, password

    def context(self) -> ssl.SSLContext | None:
        """For TLS. Raises: LocalError if a file cannot be used."""
        if not self.tls:
            return None
        try:
            context = ssl.create_default_context(cafile=self.ca)
            if self.cert is not None:
                context.load_cert_chain(self.cert, self.key)
        except (OSError, ssl.SSLError):
            raise LocalError("wrong.store.tls") from None
        return context


def parse_address(text: str) -> NatsAddress:
    """Raises: LocalError saying how it looks."""
    parts = urlsplit(text)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    hosts = [_HOST.fullmatch(host) for host in parts.netloc.split(",")]
    monitors = options.pop("monitor", str(MONITOR)).split(",")
    shards = options.pop("shards", None)
    wrong = (
        parts.scheme not in ("nats", "tls")
        or parts.path not in ("", "/")
        or not all(hosts)
        or set(options) - {*_FILES}
        or shards not in (None, *map(str, CHOICES))
    )
    if (
        wrong
        or len(monitors) not in (1, len(hosts))
        or not all(re.fullmatch("[0-9]{1,5}", port) for port in monitors)
    ):
        raise LocalError("wrong.store.address")
    found = tuple((host[1], int(host[2] or PORT)) for host in hosts if host is not None)
    ports = tuple(map(int, monitors)) if len(monitors) > 1 else (int(monitors[0]),) * len(found)
    files = {name: Path(path) for name, path in options.items()}
    chosen = None if shards is None else int(shards)
    return NatsAddress(found, ports, parts.scheme == "tls", **files, shards=chosen)
