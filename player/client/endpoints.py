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

# seconds in which redirects to an address without an answer are ignored: a takeover takes as long
SILENT_SECONDS = 5.0


class Endpoints:
    """Selection of the next address to call: rounds over all known addresses, in random order. An
    address to which the table redirects comes first.
    """

    def __init__(self, link: JoinLink, rng: Random) -> None:
        self._rng = rng
        self._link = link.addresses
        self._named: tuple[Address, ...] = ()
        self._redirect: Address | None = None
        self.redirected = False  # the table has redirected us to the present address
        # by known address: the time of the last call without an answer, in seconds
        self._unanswered_at: dict[Address, float] = {}
        self._current: Address | None = None
        # hosts that do not know our match, since it went on last
        self._match_unknown_at: set[Address] = set()
        # by address: silences, each soon after the one before
        self._silence_counts: dict[Address, int] = {}
        self._redirect_times: deque[float] = deque(maxlen=MAX_HOPS)  # in seconds
        self.rounds = -1  # completed rounds since the table was lost
        self._remaining: list[Address] = []
        self.new_round()

    @property
    def known(self) -> tuple[Address, ...]:
        """Return all addresses of a round."""
        return tuple(dict.fromkeys((*self._link, *self._named)))

    @property
    def has_several(self) -> bool:
        """Return True if there is another address to call when one is dead."""
        return len(self.known) > 1

    @property
    def is_round_over(self) -> bool:
        """Return True when all addresses of this round have been called."""
        return self._redirect is None and not self._remaining

    def set_named(self, texts: list[str]) -> None:
        """Replace the named addresses by those of a `welcome`. An address to which the link may not
        lead is ignored. It is no fault: a table does not know by which link a player came.
        """
        named = (
            address for text in texts[:MAX_HOSTS] if (address := self._permitted(text)) is not None
        )
        self._named = tuple(address for address in named if address not in self._link)

    def redirect(self, text: str, now: float) -> bool:
        """Take the address of a `moved` at this time. Return False if the link may not lead there, or
        after too many redirects. Otherwise the address comes before the rest of the round.
        """
        address = self._permitted(text)
        if (
            address is not None
            and now - self._unanswered_at.get(address, -SILENT_SECONDS) < SILENT_SECONDS
        ):
            return True  # but it is not called: the table does not know yet that this host is gone
        if address is None or (
            len(self._redirect_times) == MAX_HOPS and now - self._redirect_times[0] < HOPS_SECONDS
        ):
            return False
        self._redirect_times.append(now)
        self._redirect = address
        return True

    def new_round(self) -> None:
        """Begin again with all addresses."""
        self._remaining = list(self.known)
        self.rounds = self.rounds + 1
        if len(self._remaining) > 1:
            self._rng.shuffle(self._remaining)

    def next(self) -> Address:
        """Choose the address to call now, and return it."""
        hop = self._redirect
        self._redirect = None
        self.redirected = hop is not None
        self._current = hop if hop is not None else self._remaining.pop()
        return self._current

    def note_no_answer(self, now: float) -> None:
        """Note that nobody answered at the present address."""
        if self._current in self.known:
            self._unanswered_at[self._current] = now

    @property
    def match_may_be_elsewhere(self) -> bool:
        """Return True if there is another host that may know the match: a host that was restored
        from a backup may have an older state than the others.
        """
        return bool(set(self.known) - self._match_unknown_at - {self._current})

    def note_match_unknown(self) -> None:
        """Note that the present host does not know the match."""
        if self._current is not None:
            self._match_unknown_at.add(self._current)

    def note_match_found(self) -> None:
        """Note that the match goes on at the present host."""
        self._match_unknown_at.clear()

    @property
    def silence_limit(self) -> float:
        """Return the seconds without a byte after which the connection to the present address counts
        as dead.

        They double with each silence, so a table that is only slow is left less and less often.
        """
        count = 0 if self._current is None else self._silence_counts.get(self._current, 0)
        return float(min(SILENCE_SECONDS * 2**count, MAX_SILENCE_SECONDS))

    def note_silence(self, again: bool) -> None:
        """Note a silence of the present address. `again`: it came soon after the one before."""
        if self._current is not None:
            before = self._silence_counts.get(self._current, 0) if again else 0
            self._silence_counts[self._current] = before + 1

    def _permitted(self, text: str) -> Address | None:
        address = parse_address_text(text)
        if address is None or not any(may_redirect(own, address) for own in self._link):
            return None
        return address
