"""Context managers around imports of optional packages. If a package is missing, the error says
what to install.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from protocol.errors import LocalError
from protocol.installation import install_command

CODES = "segno"
WEB = ("starlette", "uvicorn", "h11", CODES, "anyio")  # packages of the extra `web`
TELEMETRY = ("opentelemetry", "google", "requests")  # packages of the extra `telemetry`
LAN = ("zeroconf", "ifaddr")  # packages of the extra `lan`
WEBSOCKET = ("websockets",)  # packages of the extra `ws`
NATS = ("nats",)  # packages of the extra `cluster`
POSTGRES = ("psycopg",)  # packages of the extra `postgres`


@contextmanager
def require_web() -> Iterator[None]:
    """Wrap imports for the web page. Raises: LocalError that says what to install if a package is
    missing.
    """
    with _require_packages(WEB, "web.install", "web"):
        if find_spec(CODES) is None:  # a page imports it late, when somebody asks for a code
            raise ModuleNotFoundError(name=CODES)
        yield


@contextmanager
def require_lan() -> Iterator[None]:
    """Wrap imports for announcements on the local network. Raises: LocalError, as `require_web`."""
    with _require_packages(LAN, "lan.install", "lan"):
        yield


@contextmanager
def require_telemetry() -> Iterator[None]:
    """Wrap imports for OpenTelemetry. Raises: LocalError, as `require_web`."""
    with _require_packages(TELEMETRY, "telemetry.install", "telemetry"):
        yield


@contextmanager
def require_websocket() -> Iterator[None]:
    """Wrap imports for WebSockets. Raises: LocalError, as `require_web`."""
    with _require_packages(WEBSOCKET, "wrong.web.install", "ws"):
        yield


@contextmanager
def require_nats() -> Iterator[None]:
    """Wrap imports for NATS. Raises: LocalError, as `require_web`."""
    with _require_packages(NATS, "cluster.install", "cluster"):
        yield


@contextmanager
def require_postgres() -> Iterator[None]:
    """Wrap imports for PostgreSQL. Raises: LocalError, as `require_web`."""
    with _require_packages(POSTGRES, "postgres.install", "postgres"):
        yield


@contextmanager
def _require_packages(packages: tuple[str, ...], key: str, extra: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in packages:
            raise
        raise LocalError(key, install=install_command(extra)) from None
