"""Where a store in a PostgreSQL database is: one line, as libpq has it, with one server or several.

postgresql://user@one,two:5433/table?passfile=FILE&sslmode=verify-full&sslrootcert=FILE

Several servers are one primary and its standbys. Which of them is the primary is found out by
asking all of them, so `target_session_attrs` says nothing here. No password stands in it: everybody
on the machine can see command lines.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Conninfo

from protocol.errors import LocalError
from table.storage.disk.keys import forbidden

_KEYS = "scram_"  # so begin those that are worth a password, which libpq does not mark as secret
_WHICH = ("target_session_attrs", "load_balance_hosts")


@dataclass(frozen=True)
class PostgresAddress:
    """One server."""

    name: str  # as sentences name it
    conninfo: str


def parse_address(text: str) -> tuple[PostgresAddress, ...]:
    """The servers. Raises: LocalError if it is none, has a password in it, or its password file
    will not do.
    """
    try:
        given = {
            name: str(value)
            for name, value in conninfo_to_dict(text).items()
            if value not in (None, "")
        }
    except psycopg.Error:  # whose text may have what was typed
        raise LocalError("wrong.store.database.address") from None
    if any(map(_is_secret, given)):
        raise LocalError("wrong.store.password")
    if "passfile" in given:
        _check_passfile(Path(given["passfile"]))
    return _places({name: value for name, value in given.items() if name not in _WHICH})


def _places(given: Mapping[str, str]) -> tuple[PostgresAddress, ...]:
    """One for each server. Raises: LocalError."""
    lists = {name: given[name].split(",") for name in ("host", "hostaddr", "port") if name in given}
    count = max((len(lists[name]) for name in lists if name != "port"), default=1)
    lists = {name: values * count if len(values) == 1 else values for name, values in lists.items()}
    ports = [port for port in lists.get("port", ()) if port]
    if any(len(values) != count for values in lists.values()) or not all(map(str.isdecimal, ports)):
        raise LocalError("wrong.store.database.address")
    found = []
    for place in range(count):
        own = {name: values[place] for name, values in lists.items()}
        shown = (
            ":".join(filter(None, (own.get("host") or own.get("hostaddr"), own.get("port"))))
            or "localhost"
        )
        found.append(PostgresAddress(shown, make_conninfo(**{**given, **own})))
    return tuple(found)


def _is_secret(name: str) -> bool:
    """Whether nobody may read this parameter over somebody's shoulder."""
    hidden = {
        option.keyword.decode() for option in Conninfo.get_defaults() if option.dispchar == b"*"
    }
    return name in hidden or name.startswith(_KEYS)


def _check_passfile(path: Path) -> None:
    """Raises: LocalError if it is not there, or others may read it: then it would be passed over
    without a word.
    """
    try:
        found = path.stat()
    except OSError:
        raise LocalError("wrong.store.passfile", path=str(path)) from None
    if os.name == "posix" and found.st_mode & forbidden(found, os.geteuid()):
        raise LocalError("wrong.store.login.others", path=str(path))
