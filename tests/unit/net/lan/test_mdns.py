"""Names of services that strangers on the local network choose."""

import asyncio
from types import SimpleNamespace

import pytest
from zeroconf import ServiceStateChange

from net.lan.announcement import SERVICE
from net.lan.mdns import _AnnouncementCollector


@pytest.mark.parametrize("name", ["\x1b[31mred", "a" * 80, ""], ids=["control", "long", "empty"])
async def test_impossible_service_name_raises_nothing(name):
    """The library's error quotes the name, and asyncio would write that to the terminal."""
    collector = _AnnouncementCollector(same_machine=True, enough=1)
    collector.on_service_change(
        SimpleNamespace(), SERVICE, f"{name}.{SERVICE}", ServiceStateChange.Added
    )
    tasks = list(collector._asking.values())
    assert await asyncio.gather(*tasks, return_exceptions=True) == [None]
    assert collector.found == []
