"""Content negotiation by the headers of a request (RFC 9110, 12.5.1 and 8.3)."""

import re
from collections.abc import Sequence

RANGE = re.compile(r"\s*([\w*!#$&^.+-]+)/([\w*!#$&^.+-]+)\s*((?:;[^,]*)?)")
QUALITY = re.compile(r";\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*(?:;|$)", re.IGNORECASE)


def best_of(kinds: Sequence[str], accept: str) -> str | None:
    """Choose the media type that the client prefers; the first of several equals; None if it
    accepts none.
    """
    if not accept.strip():
        return kinds[0]
    ranges = [found for part in accept.split(",") if (found := RANGE.fullmatch(part))]
    weighed = [(_quality(kind, ranges), -place, kind) for place, kind in enumerate(kinds)]
    quality, _, kind = max(weighed)
    return kind if quality > 0 else None


def _quality(kind: str, ranges: Sequence[re.Match[str]]) -> float:
    """Quality of a media type, by the most specific range."""
    main, _, minor = kind.partition("/")
    fitting = [
        (_exactness(found), _weight(found[3]))
        for found in ranges
        if found[1].lower() in ("*", main) and found[2].lower() in ("*", minor)
    ]
    return max(fitting)[1] if fitting else 0.0


def _exactness(found: re.Match[str]) -> int:
    return (found[1] != "*") + (found[2] != "*")


def _weight(parameters: str) -> float:
    quality = QUALITY.search(parameters)
    return float(quality[1]) if quality else 1.0


def kind_of(content_type: str) -> str:
    """Media type of a body, without parameters."""
    return content_type.partition(";")[0].strip().lower()
