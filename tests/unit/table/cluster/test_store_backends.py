"""Stores of other distributions are loaded only by the scheme of an address."""

import sys

import pytest

from protocol.errors import LocalError
from protocol.i18n import english_text
from table.cluster.store_backends import GROUP, backend_of
from table.storage.shared.store import SharedStore
from tests.support.table_stores.memory import in_no_time
from tests.support.table_stores.owners import KEY, Owner

MODULE = """
from protocol.errors import LocalError
from tests.support.table_stores.memory import MemoryEngine, Shared

SHELVES = {}

def engine(address, host):
    return MemoryEngine(SHELVES.setdefault(address, Shared()))

def refuses(address, host):
    raise LocalError("wrong.store.database")

class Lame(MemoryEngine):
    async def open(self):
        raise ValueError("lame://secret")

def lame(address, host):
    return Lame(Shared())

def broken(address, host):
    raise ValueError(address)
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that installs a distribution with given entry points."""
    (tmp_path / "shelf_of_a_plugin.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "shelf_of_a_plugin", raising=False)

    def install(distribution: str = "some", **points: str) -> None:
        folder = tmp_path / f"{distribution}-1.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1\n"
        )
        lines = [f"{name} = shelf_of_a_plugin:{where}" for name, where in points.items()]
        (folder / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines]))

    return install


def refused(address: str) -> str:
    with pytest.raises(LocalError) as caught:
        backend_of(address, "a")
    return english_text(caught.value.phrase)


def test_host_uses_the_store_of_its_address_scheme(installed, tmp_path):
    installed(shelf="engine", broken="broken")

    async def played():
        stores = [
            SharedStore(backend_of("shelf://here", name), name, KEY, tmp_path) for name in "ab"
        ]
        for store in stores:
            await store.start()
        owner, heir = Owner(stores[0], b"m" * 32, "a"), Owner(stores[1], b"m" * 32, "b")
        assert await owner.append() and await heir.take() and heir.told == owner.told
        assert await heir.append() and not await owner.append()
        for store in stores:
            store.close()
            await store.closed()

    in_no_time(played())


def test_store_without_matching_address_is_not_loaded(installed):
    installed(shelf="engine", nats="broken", postgresql="broken")
    backend_of("nats://a", "a")
    backend_of("postgresql://a/b", "a")
    assert "shelf_of_a_plugin" not in sys.modules


def test_unknown_store_scheme_error_lists_schemes(installed):
    for address in ("shelf://here", "shelf", "", "://", "shelf.engine://x"):
        assert "A store looks like" in refused(address)
    installed("one", shelf="engine")
    installed("two", shelf="engine")
    assert refused("shelf://here").startswith("2 distributions")


def test_broken_store_error_repeats_no_address(installed):
    installed(broken="broken", refuses="refuses")
    assert refused("broken://secret") == (
        "The store plug-in broken does not work (ValueError). Update it, or use another store."
    )
    assert "does not answer, or refuses" in refused("refuses://secret")


def test_store_opening_error_repeats_no_address(installed, tmp_path):
    installed(lame="lame")

    async def tried():
        with pytest.raises(LocalError) as caught:
            await SharedStore(backend_of("lame://secret", "a"), "a", KEY, tmp_path).start()
        return caught.value

    error = in_no_time(tried())
    assert english_text(error.phrase) == (
        "The store plug-in Lame does not work (ValueError). Update it, or use another store."
    )
    assert error.__cause__ is None and error.__suppress_context__
