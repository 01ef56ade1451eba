"""Discovery on the local network with real multicast DNS on the loopback interface, and forged
announcements.
"""

import asyncio
import re
import sys
from random import Random

import pytest

from net.lan.announcement import (
    Announcement,
    AnnouncementKind,
    DiscoveredService,
    local_address,
    parse_texts,
)
from net.lan.mdns import announce, discover
from player.direct.saved_match import read_all_saved
from player.storage.contacts import Contact
from protocol.identity.keys import Identity, fingerprint
from protocol.limits import MAX_LAN_TEXT
from tests.support.collectors import STATE, Collectors
from tests.system.test_peers import ROOT, SECONDS, Program, hosting

HERE = ("127.0.0.1",)
ONE = Announcement(AnnouncementKind.PLAY, "a" * 40, "draw-dominoes", 2)
TEXTS = {key.encode(): value.encode() for key, value in ONE.texts().items()}


def with_text(**texts: bytes | None) -> dict[bytes, bytes | None]:
    return {**TEXTS, **{key.encode(): value for key, value in texts.items()}}


def test_announcement_round_trip_is_equal():
    assert parse_texts(TEXTS) == ONE
    assert parse_texts(with_text(want=b"trade", game=b"")) == Announcement(
        AnnouncementKind.TRADE, "a" * 40, "", 2
    )


@pytest.mark.parametrize(
    "texts",
    [
        {},
        with_text(v=b"1"),
        with_text(fingerprint=b"a" * 39),
        with_text(fingerprint=b"A" * 40),
        with_text(game=b"\x1b[2Jdraw"),
        with_text(game="dominö".encode()),
        with_text(game=b""),
        with_text(game=b"x" * 41),
        with_text(seats=b"0"),
        with_text(seats=b"99"),
        with_text(seats="²".encode()),
        with_text(want=b"money"),
        with_text(want=None),
        with_text(more=b"x" * MAX_LAN_TEXT),
    ],
)
def test_malformed_announcement_is_not_shown(texts):
    assert parse_texts(texts) is None


def test_only_addresses_of_local_networks_are_listed():
    assert local_address(["fd00::7", "192.168.1.7"], same_machine=False) == "192.168.1.7"
    for address in ("8.8.8.8", "127.0.0.1", "169.254.1.1", "0.0.0.0", "224.0.0.251", "x"):
        assert local_address([address], same_machine=False) is None
    assert local_address(["127.0.0.1"], same_machine=True) == "127.0.0.1"


async def found(wanted: str, at_least: int = 1) -> list[DiscoveredService]:
    """Return the announcements with this fingerprint, once there are `at_least` of them."""
    async with asyncio.timeout(SECONDS):
        while True:
            rows = [
                one for one in await discover(HERE, 2) if one.announcement.fingerprint == wanted
            ]
            if len(rows) >= at_least:
                return rows


@pytest.mark.process
async def test_lan_invitation_is_found_and_its_link_works(tmp_path):
    host, link = await hosting(tmp_path, "--lan", "--game", "draw-dominoes", "--target", "1")
    whose = link.rsplit("/", 1)[1]
    (one,) = await found(whose)
    assert str(one.link) == link and one.announcement == Announcement(
        AnnouncementKind.PLAY, whose, "draw-dominoes", 2
    )
    guest = await Program(tmp_path / "bob", "join", "Bob", str(one.link)).start()
    assert (
        "Verdict: no cheating found" in await guest.end()
        and "Verdict: no cheating found" in await host.end()
    )


@pytest.mark.process
async def test_waiting_trader_is_found(tmp_path):
    people = Collectors(tmp_path)
    command = [
        sys.executable,
        "-um",
        "fairdeal",
        "cards",
        "trade",
        "--listen",
        "127.0.0.1:0",
        "--lan",
        "--yes",
    ]
    waiting = await asyncio.create_subprocess_exec(
        *command,
        "--name",
        "ann",
        "--data",
        str(tmp_path / "ann"),
        cwd=ROOT,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={"PATH": "/usr/bin:/bin", STATE: str(tmp_path / "computer home")},
    )
    whose = fingerprint(people.people["ann"].public)
    (one,) = await found(whose)
    assert (
        one.announcement == Announcement(AnnouncementKind.TRADE, whose, "", 2) and one.link.direct
    )
    waiting.terminate()
    async with asyncio.timeout(SECONDS):
        await waiting.communicate()


@pytest.mark.process
async def test_program_announces_only_on_request(tmp_path):
    host, link = await hosting(tmp_path, "--game", "draw-dominoes")
    whose = link.rsplit("/", 1)[1]
    # shows that the network works, even if the tested announcement is not found
    witness = asyncio.create_task(announce(ONE, HERE, 7501))
    seen: set[str] = set()
    async with asyncio.timeout(SECONDS):
        while ONE.fingerprint not in seen:
            seen |= {one.announcement.fingerprint for one in await discover(HERE, 2)}
    assert whose not in seen
    witness.cancel()
    await asyncio.wait({witness})
    await host.kill()


@pytest.mark.process
async def test_forged_announcement_is_rejected(tmp_path):
    """Eve announces herself with Ann's fingerprint. Bob's program finds another key there, and
    disconnects.
    """
    eve, _ = await hosting(tmp_path / "eve", "--game", "draw-dominoes")
    port = int(re.search(r":(\d+)/", _)[1])
    ann = fingerprint(Identity(Random(1).randbytes(32)).public)
    forgery = asyncio.create_task(
        announce(Announcement(AnnouncementKind.PLAY, ann, "draw-dominoes", 2), HERE, port)
    )
    (one,) = await found(ann)
    assert one.port == port
    guest = await Program(tmp_path / "bob", "join", "Bob", str(one.link)).start()
    said = await guest.end()
    assert guest.process.returncode != 0 and "not the one" in said
    assert not read_all_saved(tmp_path / "bob")
    forgery.cancel()
    await asyncio.wait({forgery})
    eve.process.terminate()
    await eve.end()


@pytest.mark.process
async def test_lan_list_is_printed_for_a_person(tmp_path):
    waiting = asyncio.create_task(
        announce(Announcement(AnnouncementKind.TABLE, "b" * 40, "texas-holdem", 6), HERE, 7500)
    )
    command = [
        sys.executable,
        "-m",
        "fairdeal",
        "lan",
        "--on",
        "127.0.0.1",
        "--data",
        str(tmp_path),
    ]
    said = ""
    async with asyncio.timeout(SECONDS):
        while "texas-holdem" not in said:  # on a busy machine it may not be announced yet
            listing = await asyncio.create_subprocess_exec(
                *command,
                cwd=ROOT,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            said = (await listing.communicate())[0].decode()
    assert "texas-holdem for 6, says bbbb-bbbb-bbbb-bbbb" in said
    assert (
        f"fairdeal join fairdeal://127.0.0.1:7500/{'b' * 40}" in said
        and "Anybody can announce anything" in said
    )
    waiting.cancel()
    await asyncio.wait({waiting})


def test_known_people_come_first():
    from fairdeal.lan import listing
    from player.cli.screen_choice import own_language

    rows = [
        DiscoveredService(
            Announcement(AnnouncementKind.PLAY, letter * 40, "nim", 2), "10.0.0.1", 7501
        )
        for letter in "abc"
    ]
    known = {"c" * 40: Contact("c" * 40, ("Cleo",), 1, 0, "")}
    lines = listing(rows, known, own_language()).splitlines()
    assert "Cleo" in lines[1] and "c" * 40 in lines[2] and len(lines) == 7
