"""Two network namespaces with a cable between them: one for a table, one for a player."""

import subprocess
import sys
from contextlib import ExitStack

import pytest

TABLE, PLAYER, PLAYER_AFTER = "10.77.0.1", "10.77.0.2", "10.77.0.3"
KEPT = ("sh", "-c", "echo here; exec sleep 600")  # keeps a namespace


def require_namespaces() -> None:
    """Fail the test on a system without network namespaces."""
    if sys.platform != "linux":
        pytest.fail("This test needs network namespaces. Run it on Linux.")


class Namespaces:
    """The two, as long as it is open. Nothing outside is touched, and no rights are needed."""

    def __enter__(self) -> "Namespaces":
        require_namespaces()
        self._kept = ExitStack()
        with ExitStack() as begun:
            self._kept = begun
            self._table = self._keep("unshare", "-rn", *KEPT)
            self._player = self._keep(*self.at_table("unshare", "-n", *KEPT))
            self._join()
            self._kept = begun.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.close()

    def at_table(self, *words: str) -> list[str]:
        """Make a command of the table's namespace of this one."""
        return _inside(self._table, words)

    def at_player(self, *words: str) -> list[str]:
        """Make a command of the player's namespace of this one."""
        return _inside(self._player, words)

    def change_address(self) -> None:
        """Take the player's address away, and give it another one, as another network does."""
        _run(self.at_player("ip", "address", "del", f"{PLAYER}/24", "dev", "cable"))
        _run(self.at_player("ip", "address", "add", f"{PLAYER_AFTER}/24", "dev", "cable"))

    def drop_packets(self) -> None:
        """Drop whatever is for the player's address; it gets a second one, for new connections."""
        _run(self.at_player("ip", "address", "add", f"{PLAYER_AFTER}/24", "dev", "cable"))
        route = (f"{TABLE}/32", "dev", "cable", "src", PLAYER_AFTER)
        _run(self.at_player("ip", "route", "replace", *route))
        _run(self.at_table("ip", "route", "add", "blackhole", f"{PLAYER}/32"))

    def _keep(self, *words: str) -> int:
        keeper = subprocess.Popen(words, stdout=subprocess.PIPE)
        self._kept.callback(keeper.communicate)
        self._kept.callback(keeper.kill)
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == b"here\n"
        return keeper.pid

    def _join(self) -> None:
        other = ("peer", "name", "cable", "netns", str(self._player))
        _run(self.at_table("ip", "link", "add", "cable", "type", "veth", *other))
        for inside, address in ((self.at_table, TABLE), (self.at_player, PLAYER)):
            _run(inside("ip", "address", "add", f"{address}/24", "dev", "cable"))
            _run(inside("ip", "link", "set", "cable", "up"))
            _run(inside("ip", "link", "set", "lo", "up"))


def _inside(pid: int, words: tuple[str, ...]) -> list[str]:
    return ["nsenter", "-t", str(pid), "-U", "-n", "--preserve-credentials", "--", *words]


def _run(words: list[str]) -> None:
    subprocess.run(words, check=True)
