"""What an announcement says (docs/protocol/30.6), and what is taken of one that anybody may have
made.
"""

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
    """What somebody waits for."""

    PLAY = "play"  # one other player, without a table
    TABLE = "table"  # players at a table
    TRADE = "trade"  # somebody to trade cards with


@dataclass(frozen=True)
class Announcement:
    """Somebody waits. Nobody's name is in it. `game` is empty, and `seats` 2, for a trade."""

    want: AnnouncementKind
    fingerprint: str
    game: str
    seats: int

    def texts(self) -> dict[str, str]:
        """The key-value pairs of its TXT record (RFC 6763)."""
        return {
            "v": str(VERSION),
            "fingerprint": self.fingerprint,
            "game": self.game,
            "seats": str(self.seats),
            "want": self.want.value,
        }


@dataclass(frozen=True)
class DiscoveredService:
    """An announcement, and where it says that somebody listens. Who that is, only a session
    shows.
    """

    announcement: Announcement
    address: str
    port: int

    @property
    def link(self) -> JoinLink:
        """What to type after `fairdeal join`: whoever answers there must have the key of this
        fingerprint.
        """
        direct = self.announcement.want is not AnnouncementKind.TABLE
        return JoinLink(self.address, self.port, self.announcement.fingerprint, direct)


def parse_texts(texts: Mapping[bytes, bytes | None]) -> Announcement | None:
    """What a TXT record says; None for one that is not exactly as ours are: nothing of it is shown,
    then.
    """
    if sum(len(key) + len(value or b"") for key, value in texts.items()) > MAX_LAN_TEXT:
        return None
    try:
        said = {key.decode("ascii"): (value or b"").decode("ascii") for key, value in texts.items()}
        want = AnnouncementKind(said.get("want", ""))
    except ValueError:
        return None
    game, seats, fingerprint = (
        said.get("game", ""),
        said.get("seats", ""),
        said.get("fingerprint", ""),
    )
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
    """The first address that is of a local network, IPv4 before others; of this machine only if it
    was looked at.
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
    """Whether programs of people may listen there."""
    return LINE_PORTS[0] <= port <= LINE_PORTS[1]
