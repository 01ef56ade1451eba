"""`mail.toml` in the data folder: the own address, and where mail comes from and goes to.

    address = "ann@example.org"

    [incoming]                      # or: maildir = "~/Maildir", or: mbox = "/var/mail/ann"
    imap = "imap.example.org"
    user = "ann@example.org"
    password_file = "~/.mail-password"

    [outgoing]                      # or: maildir, or mbox
    smtp = "smtp.example.org"
    security = "starttls"           # or "tls", which is the default; nothing goes in the clear
    user = "ann@example.org"
    password_env = "MAIL_PASSWORD"

Further: port, folder (of IMAP; default INBOX), ca_file (who vouches for the server, if not the
system's list).
"""

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from player.mail.letter import check_address
from protocol.errors import LocalError
from protocol.identity.address import MAX_PORT

FILE = "mail.toml"
PORTS = {
    ("imap", "tls"): 993,
    ("imap", "starttls"): 143,
    ("smtp", "tls"): 465,
    ("smtp", "starttls"): 587,
}
_SERVER_KEYS = {"port", "security", "user", "password_file", "password_env", "ca_file", "folder"}


@dataclass(frozen=True)
class Server:
    """A mail server and the account there."""

    host: str
    port: int
    security: str  # "tls": from the first byte; "starttls": before anything else is said
    user: str
    password: str = field(repr=False)
    ca_file: str | None
    folder: str


@dataclass(frozen=True)
class Config:
    """The source and the destination of mail: a path (a Maildir or mbox), a server, or none."""

    address: str = ""
    incoming: str | Server | None = None
    outgoing: str | Server | None = None


def read_config(data: Path) -> Config:
    """The configuration in a data folder; an empty one if there is none. Raises: LocalError."""
    path = data / FILE
    try:
        value = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return Config()
    except (OSError, ValueError) as error:
        raise LocalError("wrong.mail.config.read", path=str(path), why=str(error)) from None
    try:
        if set(value) - {"address", "incoming", "outgoing"}:
            raise LocalError("wrong.mail.config.keys")
        if "address" in value:
            address = check_address(str(value["address"]))
        else:
            address = ""
        return Config(
            address, _end(value.get("incoming"), "imap"), _end(value.get("outgoing"), "smtp")
        )
    except LocalError as error:
        raise LocalError("wrong.mail.config", path=str(path), why=error.phrase) from None
    except (ValueError, TypeError, RuntimeError) as error:  # RuntimeError: ~ of nobody
        raise LocalError("wrong.mail.config", path=str(path), why=str(error)) from None


def _end(section: Any, protocol: str) -> str | Server | None:
    """One end of the mail: a section of the file."""
    if section is None:
        return None
    if not isinstance(section, dict):
        raise LocalError("wrong.mail.config.sections")
    kinds = [kind for kind in ("maildir", "mbox", protocol) if kind in section]
    if len(kinds) != 1 or set(section) - {*kinds} - (
        _SERVER_KEYS if kinds == [protocol] else set()
    ):
        raise LocalError("wrong.mail.config.section", protocol=protocol)
    if kinds != [protocol]:
        return str(Path(str(section[kinds[0]])).expanduser())
    security = section.get("security", "tls")
    if (protocol, security) not in PORTS:
        raise LocalError("wrong.mail.config.security")
    port = int(section.get("port", PORTS[protocol, security]))
    if not 1 <= port <= MAX_PORT:
        raise LocalError("wrong.mail.config.port", most=MAX_PORT)
    return Server(
        host=str(section[protocol]),
        port=port,
        security=security,
        user=str(section.get("user", "")),
        password=_password(section),
        ca_file=str(Path(section["ca_file"]).expanduser()) if "ca_file" in section else None,
        folder=str(section.get("folder", "INBOX")),
    )


def _password(section: dict[str, Any]) -> str:
    """From a file or from the environment; never from the command line, where every process sees
    it.
    """
    if "password_env" in section:
        name = str(section["password_env"])
        if name not in os.environ:
            raise LocalError("wrong.mail.environment", name=name)
        return os.environ[name]
    if "password_file" in section:
        path = Path(str(section["password_file"])).expanduser()
        try:
            return path.read_text(encoding="utf-8-sig").partition("\n")[0]
        except (OSError, ValueError, RuntimeError):
            raise LocalError("wrong.mail.password", path=str(path)) from None
    return ""
