"""Depth of calls: no recursion, and never deeper than any Python permits."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from protocol.limits import MAX_RULE_CALLS, MAX_RULE_HEIGHT
from protocol.rules.errors import RuleFault
from protocol.rules.syntax.signatures import Signature


@dataclass(frozen=True)
class CallSite:
    """A call in the text: caller, called function, and offset."""

    caller: str
    callee: str
    at: int


def check_call_depth(
    sites: Iterable[CallSite], heights: Mapping[str, int], known: Mapping[str, Signature]
) -> dict[str, tuple[int, int]]:
    """Return, for each function and for the top level, the total height and the depth of its calls.

    The height is the sum of the heights of all functions in progress at once; the depth is their
    number. Raises: RuleFault for recursion, and if one of the two is too large.
    """
    reach = _Reach(heights, known)
    for site in sites:
        reach.sites.setdefault(site.caller, []).append(site)
    return {name: reach.of(name) for name in (*heights, "")}


@dataclass
class _Reach:
    heights: Mapping[str, int]
    known: Mapping[str, Signature]
    sites: dict[str, list[CallSite]] = field(default_factory=dict)
    found: dict[str, tuple[int, int]] = field(default_factory=dict)
    under_way: list[str] = field(default_factory=list)

    def of(self, name: str) -> tuple[int, int]:
        if name in self.found:
            return self.found[name]
        if name in self.known:
            return self.known[name].height, self.known[name].depth
        self.under_way.append(name)
        height = self.heights.get(name, 0)
        depth = 1
        for site in self.sites.get(name, ()):
            below, calls = self._below(site)
            height = max(height, self.heights.get(name, 0) + below)
            depth = max(depth, calls + 1)
            if depth > MAX_RULE_CALLS or height > MAX_RULE_HEIGHT:
                raise RuleFault(site.at, "rules.depth", most=MAX_RULE_CALLS, height=MAX_RULE_HEIGHT)
        self.under_way.pop()
        self.found[name] = height, depth
        return height, depth

    def _below(self, site: CallSite) -> tuple[int, int]:
        if site.callee in self.under_way:
            raise RuleFault(site.at, "rules.recursion", name=site.callee)
        if len(self.under_way) > MAX_RULE_CALLS:
            raise RuleFault(site.at, "rules.depth", most=MAX_RULE_CALLS, height=MAX_RULE_HEIGHT)
        return self.of(site.callee)
