"""Remarks of people in matches, for a page that comes back to one. They are never stored."""

from collections import deque

from protocol.limits import MAX_PAGE_NEWS, MAX_TALK_MATCHES


class MatchTalk:
    """The talk of the newest matches of a program, by match id."""

    def __init__(self) -> None:
        self._said: dict[bytes, deque[tuple[int, str]]] = {}

    def add(self, match_id: bytes, seat: int, remark: str) -> None:
        """Add a remark of a seat, and drop the oldest ones."""
        said = self._said.pop(match_id, deque(maxlen=MAX_PAGE_NEWS))
        said.append((seat, remark))
        self._said[match_id] = said
        while len(self._said) > MAX_TALK_MATCHES:
            del self._said[next(iter(self._said))]

    def of(self, match_id: bytes) -> tuple[tuple[int, str], ...]:
        """Return the seats and remarks of a match, in their order."""
        return tuple(self._said.get(match_id, ()))
