"""The addresses of a table: those of its link, those that it names, and the one to which it sends
its players.

A table must not send players to other people's servers. An address that it names counts only where
its link leads anyway (docs/protocol, 4.8).
"""

from collections import deque
from random import Random

from protocol.identity.address import Address, may_redirect, parse_address_text
from protocol.identity.keys import JoinLink
from protocol.limits import HOPS_SECONDS, MAX_HOPS, MAX_HOSTS, MAX_SILENCE_SECONDS, SILENCE_SECONDS

# since an address did not answer, in which nobody is sent there: a takeover takes as long
SILENT_SECONDS = 5.0


class Endpoints:
    """Selection of the next address to call: rounds over all known addresses, in random order."""

    def __init__(self, link: JoinLink, rng: Random) -> None:
        self._rng = rng
        self._link = link.addresses
        self._named: tuple[Address, ...] = ()
        self._hop: Address | None = None
        self.hopping = False  # the address that is called now is where the table has sent us
        # when an address of ours last did not answer, seconds
        self._silent: dict[Address, float] = {}
        self._now: Address | None = None
        self._without: set[Address] = set()  # where nobody knows our match, since it went on last
        self._fell_silent: dict[Address, int] = {}  # silences of an address, one soon after another
        self._hops: deque[float] = deque(maxlen=MAX_HOPS)  # when, seconds
        self.rounds = -1  # over all addresses, since the table was lost
        self._left: list[Address] = []
        self.new_round()

    @property
    def known(self) -> tuple[Address, ...]:
        """Return all addresses that are called in a round."""
        return tuple(dict.fromkeys((*self._link, *self._named)))

    @property
    def several(self) -> bool:
        """Return True if there is another address to call when one is dead."""
        return len(self.known) > 1

    @property
    def over(self) -> bool:
        """Return True when all addresses of this round have been called."""
        return self._hop is None and not self._left

    def name(self, texts: list[str]) -> None:
        """Take the addresses of a `welcome`. An address to which the link does not lead is ignored.
        It is no fault: a table does not know by which link a player came.
        """
        named = (
            address for text in texts[:MAX_HOSTS] if (address := self._led_to(text)) is not None
        )
        self._named = tuple(address for address in named if address not in self._link)

    def send_on(self, text: str, now: float) -> bool:
        """Return True if a `moved` counts at this time. Its address then comes before the rest of
        the round.
        """
        address = self._led_to(text)
        if (
            address is not None
            and now - self._silent.get(address, -SILENT_SECONDS) < SILENT_SECONDS
        ):
            return True  # but not now: whoever sends us there does not know yet that it is gone
        if address is None or (len(self._hops) == MAX_HOPS and now - self._hops[0] < HOPS_SECONDS):
            return False
        self._hops.append(now)
        self._hop = address
        return True

    def new_round(self) -> None:
        """Begin again with all addresses."""
        self._left = list(self.known)
        self.rounds = self.rounds + 1
        if len(self._left) > 1:
            self._rng.shuffle(self._left)

    def next(self) -> Address:
        """The address to call now."""
        hop = self._hop
        self._hop = None
        self.hopping = hop is not None
        self._now = hop if hop is not None else self._left.pop()
        return self._now

    def unanswered(self, now: float) -> None:
        """Note that nobody answered at the called address."""
        if self._now in self.known:
            self._silent[self._now] = now

    @property
    def unasked(self) -> bool:
        """Return True if the match may be at another host: one host may have an older state than
        the others.
        """
        return bool(set(self.known) - self._without - {self._now})

    def without(self) -> None:
        """Note that the present host does not know the match."""
        if self._now is not None:
            self._without.add(self._now)

    def found(self) -> None:
        """Our match goes on."""
        self._without.clear()

    @property
    def silence(self) -> float:
        """Seconds without a byte after which the line to this address counts as dead.

        They are doubled after each silence. A table that is only slow is so left less and less
        often.
        """
        if self._now is None:
            times = 0
        else:
            times = self._fell_silent.get(self._now, 0)
        return float(min(SILENCE_SECONDS * 2**times, MAX_SILENCE_SECONDS))

    def fell_silent(self, again: bool) -> None:
        """Note a silence of this address; `again`: soon after the one before."""
        if self._now is not None:
            before = self._fell_silent.get(self._now, 0) if again else 0
            self._fell_silent[self._now] = before + 1

    def _led_to(self, text: str) -> Address | None:
        address = parse_address_text(text)
        if address is None or not any(may_redirect(own, address) for own in self._link):
            return None
        return address
