"""Sending and receiving of announcements by multicast DNS, with `zeroconf` from the extra `lan`."""

import asyncio
from collections.abc import Sequence
from ipaddress import ip_address
from secrets import token_hex
from typing import NoReturn

from zeroconf import Error, InterfaceChoice, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from net.lan.announcement import (
    SERVICE,
    Announcement,
    DiscoveredService,
    is_port_allowed,
    local_address,
    parse_texts,
)
from protocol.errors import LocalError
from protocol.limits import FIND_SECONDS, MAX_FOUND

# milliseconds for the text of an announcement, which usually comes together with it
_ANSWER_MS = 1000


async def announce(announcement: Announcement, addresses: Sequence[str], port: int) -> NoReturn:
    """Announce on the networks of these own addresses until cancelled, then withdraw the
    announcement.

    The announcement contains neither the machine's name nor the person's. Raises: LocalError if the
    network does not permit it.
    """
    name = token_hex(8)  # new each time, so that nobody can take it first
    info = AsyncServiceInfo(
        SERVICE,
        f"{name}.{SERVICE}",
        port=port,
        properties=announcement.texts(),
        parsed_addresses=list(addresses),
        server=f"fairdeal-{name}.local.",
    )
    try:
        mdns = AsyncZeroconf(interfaces=_interfaces(addresses))
    except (OSError, Error):
        raise LocalError("wrong.lan") from None
    try:
        await (await mdns.async_register_service(info))
        await asyncio.get_running_loop().create_future()
    except (OSError, Error):
        raise LocalError("wrong.lan") from None
    finally:
        await mdns.async_unregister_all_services()
        await mdns.async_close()
    raise AssertionError("it is announced until cancelled")


async def discover(
    addresses: Sequence[str], seconds: float = FIND_SECONDS, enough: int = MAX_FOUND
) -> list[DiscoveredService]:
    """Return the announcements on the networks of these own addresses, once each. Stops early after
    `enough` of them.

    Raises: LocalError if the network does not permit to listen.
    """
    try:
        mdns = AsyncZeroconf(interfaces=_interfaces(addresses))
    except (OSError, Error):
        raise LocalError("wrong.lan") from None
    collector = _AnnouncementCollector(
        same_machine=any(ip_address(address).is_loopback for address in addresses), enough=enough
    )
    browser = AsyncServiceBrowser(mdns.zeroconf, SERVICE, handlers=[collector.on_service_change])
    try:
        async with asyncio.timeout(seconds):
            await collector.full.wait()
    except TimeoutError:
        pass
    finally:
        await browser.async_cancel()
        collector.stop()
        await mdns.async_close()
    return list(dict.fromkeys(collector.found))


class _AnnouncementCollector:
    """Collects announcements."""

    def __init__(self, *, same_machine: bool, enough: int) -> None:
        self._same_machine = same_machine
        self._enough = enough
        self._asking: dict[str, asyncio.Task[None]] = {}
        self.found: list[DiscoveredService] = []
        self.full = asyncio.Event()

    def on_service_change(
        self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        """Process a new or ended announcement."""
        if (
            state_change is ServiceStateChange.Added
            and len(self._asking) < self._enough
            and name not in self._asking
        ):
            self._asking[name] = asyncio.create_task(self._ask(zeroconf, name))

    async def _ask(self, zeroconf: Zeroconf, name: str) -> None:
        try:
            # fails for a name that no service can have, as strangers may announce one
            info = AsyncServiceInfo(SERVICE, name)
            known = await info.async_request(zeroconf, _ANSWER_MS)
        except (OSError, Error):
            return
        said = parse_texts(info.properties) if known else None
        address = local_address(info.parsed_addresses(), same_machine=self._same_machine)
        if (
            said is not None
            and address is not None
            and info.port is not None
            and is_port_allowed(info.port)
        ):
            self.found.append(DiscoveredService(said, address, info.port))
        if len(self.found) >= self._enough:
            self.full.set()

    def stop(self) -> None:
        """Stop listening."""
        for task in self._asking.values():
            task.cancel()


def _interfaces(
    addresses: Sequence[str],
) -> list[str | int | tuple[tuple[str, int, int], int]] | InterfaceChoice:
    """Return the networks of the IPv4 addresses, which all local networks have; without these, all
    networks.
    """
    return [
        address for address in addresses if ip_address(address).version == 4
    ] or InterfaceChoice.Default
