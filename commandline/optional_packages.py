"""What not everybody has installed: around what imports it, so that a person is told what to
install.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from protocol.errors import LocalError

WEB = ("starlette", "uvicorn", "h11", "segno", "anyio")  # what the extra `web` brings
TELEMETRY = ("opentelemetry", "google", "requests")  # what the extra `telemetry` brings
LAN = ("zeroconf", "ifaddr")  # what the extra `lan` brings
WEBSOCKET = ("websockets",)  # what the extra `ws` brings
NATS = ("nats",)  # what the extra `cluster` brings
POSTGRES = ("psycopg",)  # what the extra `postgres` brings


@contextmanager
def require_web() -> Iterator[None]:
    """Around what imports a page. Raises: LocalError that says what to install, where that is
    missing.
    """
    with _needing(WEB, "web.install"):
        yield


@contextmanager
def require_lan() -> Iterator[None]:
    """Around what imports announcements on the local network. Raises: LocalError, as
    `require_web`.
    """
    with _needing(LAN, "lan.install"):
        yield


@contextmanager
def require_telemetry() -> Iterator[None]:
    """Around what imports OpenTelemetry. Raises: LocalError, as `require_web`."""
    with _needing(TELEMETRY, "telemetry.install"):
        yield


@contextmanager
def require_websocket() -> Iterator[None]:
    """Around what imports WebSockets. Raises: LocalError, as `require_web`."""
    with _needing(WEBSOCKET, "wrong.web.install"):
        yield


@contextmanager
def require_nats() -> Iterator[None]:
    """Around what imports NATS. Raises: LocalError, as `require_web`."""
    with _needing(NATS, "cluster.install"):
        yield


@contextmanager
def require_postgres() -> Iterator[None]:
    """Around what imports PostgreSQL. Raises: LocalError, as `require_web`."""
    with _needing(POSTGRES, "postgres.install"):
        yield


@contextmanager
def _needing(packages: tuple[str, ...], key: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in packages:
            raise
        raise LocalError(key) from None
