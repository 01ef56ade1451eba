"""Where a name from a directory leads is looked at before it is called."""

import pytest

from player.client.public_hosts import ask_system, find_public_host
from protocol.errors import LocalError
from protocol.identity.address import Address
from tests.support.errors import raises_text


def leads_to(*hosts: str):
    """Return what answers that a name leads to these addresses."""

    async def look_up(address: Address) -> list[str]:
        return list(hosts)

    return look_up


async def test_public_address_is_called_as_it_is():
    assert await find_public_host(Address("93.184.216.34", 7500)) == "93.184.216.34"


@pytest.mark.parametrize("host", ["192.168.1.1", "127.0.0.1", "169.254.169.254", "fc00::1"])
async def test_private_address_is_not_called(host):
    with raises_text(LocalError, "no public address"):
        await find_public_host(Address(host, 7500))


async def test_name_is_called_at_the_address_that_was_looked_at():
    where = Address("relay.example.org", 443, "wss", "/t/abc")
    found = await find_public_host(where, leads_to("93.184.216.34", "93.184.216.35"))
    assert found == "93.184.216.34"


@pytest.mark.parametrize(
    "hosts", [("127.0.0.1",), ("93.184.216.34", "10.0.0.1"), ("::ffff:10.0.0.1",), ("fe80::1%lo",)]
)
async def test_name_that_leads_into_a_network_is_not_called(hosts):
    with raises_text(LocalError, f"leads to {hosts[-1]}, which is no public address"):
        await find_public_host(Address("relay.example.org", 443, "wss"), leads_to(*hosts))


async def test_answer_of_the_system_is_looked_at():
    found = await ask_system(Address("localhost", 7500))
    assert set(found) <= {"127.0.0.1", "::1"} and found
