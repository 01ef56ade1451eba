"""Contents of an announcement (docs/protocol/30.6), and checks of announcements by strangers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address

from protocol.identity.keys import FINGERPRINT_LETTERS, JoinLink
from protocol.limits import LINE_PORTS, MAX_LAN_TEXT, MAX_SEATS
from protocol.wire import VERSION

SERVICE = "_fairdeal._tcp.local."
_GAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_SEATS = re.compile("[1-9][0-9]?")
_FINGERPRINT = re.compile(f"[a-z2-7]{{{FINGERPRINT_LETTERS}}}")


class AnnouncementKind(StrEnum):
    """Purpose of an announcement."""

    PLAY = "play"  # waits for one other player, without a table
    TABLE = "table"  # waits for players at a table
    TRADE = "trade"  # waits for a person to trade cards with


@dataclass(frozen=True)
class Announcement:
    """Announcement that a person waits, without any name. For a trade, `game` is empty and `seats`
    is 2.
    """

    want: AnnouncementKind
    fingerprint: str
    game: str
    seats: int

    def texts(self) -> dict[str, str]:
        """Return the key-value pairs of its TXT record (RFC 6763)."""
        return {
            "v": str(VERSION),
            "fingerprint": self.fingerprint,
            "game": self.game,
            "seats": str(self.seats),
            "want": self.want.value,
        }


@dataclass(frozen=True)
class DiscoveredService:
    """An announcement with its claimed address. Only a session proves the identity there."""

    announcement: Announcement
    address: str
    port: int

    @property
    def link(self) -> JoinLink:
        """Link for `fairdeal join`: the program that answers must have the key of this
        fingerprint.
        """
        direct = self.announcement.want is not AnnouncementKind.TABLE
        return JoinLink(self.address, self.port, self.announcement.fingerprint, direct)


def parse_texts(texts: Mapping[bytes, bytes | None]) -> Announcement | None:
    """Read a TXT record; None unless it has exactly the form of `Announcement.texts`, so that
    nothing else is ever shown.
    """
    if sum(len(key) + len(value or b"") for key, value in texts.items()) > MAX_LAN_TEXT:
        return None
    try:
        said = {key.decode("ascii"): (value or b"").decode("ascii") for key, value in texts.items()}
        want = AnnouncementKind(said.get("want", ""))
    except ValueError:
        return None
    game = said.get("game", "")
    seats = said.get("seats", "")
    fingerprint = said.get("fingerprint", "")
    right = (
        said.get("v") == str(VERSION)
        and _FINGERPRINT.fullmatch(fingerprint)
        and _SEATS.fullmatch(seats)
    )
    named = _GAME.fullmatch(game) or (want is AnnouncementKind.TRADE and not game)
    if not (right and named) or int(seats) > MAX_SEATS:
        return None
    return Announcement(want, fingerprint, game, int(seats))


def local_address(addresses: list[str], *, same_machine: bool) -> str | None:
    """Return the first address in a local network, IPv4 before others.

    Addresses of this machine count only with `same_machine`.
    """
    fit = [address for address in addresses if _is_local(address, same_machine)]
    return min(fit, key=lambda address: ip_address(address).version, default=None)


def _is_local(text: str, same_machine: bool) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if address.is_loopback:
        return same_machine
    return address.is_private and not (
        address.is_link_local or address.is_unspecified or address.is_multicast
    )


def is_port_allowed(port: int) -> bool:
    """Check that people's programs may listen at this port."""
    return LINE_PORTS[0] <= port <= LINE_PORTS[1]
