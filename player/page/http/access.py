"""Who may use the page's server: a page that was opened by a link of ours, which is good once and not for long.

There are no cookies: browsers send those to every server on 127.0.0.1, whichever its port is and whoever runs it.
So nothing that a foreign page makes a browser send is worth anything here. Pure: time and chance are passed in.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe

from protocol.limits import MAX_PAGE_TICKETS, MAX_PAGE_TOKENS, PAGE_TICKET_SECONDS

SECRET = 24  # bytes of a ticket and of a token
SCHEME = "Bearer "
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = (  # of every answer
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    ("Cache-Control", "no-store"),
)


class Access:
    """The links that were given out, and the pages that they let in."""

    def __init__(self, make: Callable[[int], str] = token_urlsafe) -> None:
        """`make`: a new secret of so many bytes, as text."""
        self._make = make
        self._tickets: dict[bytes, float] = {}  # digest -> until when, in seconds of the caller's clock
        self._tokens: list[bytes] = []  # digests, the oldest first

    def ticket(self, now: float) -> str:
        """A ticket for a link. `now`: seconds by any clock that only goes forward."""
        made = self._make(SECRET)
        self._tickets[_digest(made)] = now + PAGE_TICKET_SECONDS
        while len(self._tickets) > MAX_PAGE_TICKETS:
            del self._tickets[next(iter(self._tickets))]
        return made

    def exchange(self, ticket: str, now: float) -> str | None:
        """A token for a ticket, which is spent then; None if it was none, or is too old."""
        found = _found(ticket, self._tickets)
        if found is None or self._tickets.pop(found) < now:
            return None
        return self.token()

    def token(self) -> str:
        """A token for a page that has shown that it is ours."""
        made = self._make(SECRET)
        self._tokens = [*self._tokens, _digest(made)][-MAX_PAGE_TOKENS:]
        return made

    def admits(self, authorization: Sequence[str]) -> bool:
        """Whether these headers of a request, of which there must be one, have a token of ours."""
        if len(authorization) != 1 or not authorization[0].startswith(SCHEME):
            return False
        return _found(authorization[0].removeprefix(SCHEME), self._tokens) is not None


def is_ours(host: str, port: int, name: str | None) -> bool:
    """Whether a request for this host is for us: a foreign name that leads here has been rebound by somebody.

    `name`: what a proxy of our person's own calls us.
    """
    return host.lower() in (f"127.0.0.1:{port}", f"localhost:{port}") or (name is not None and host == name)


def is_own_page(host: str, sites: Sequence[str], origins: Sequence[str]) -> bool:
    """Whether a request comes from a page of this host, by the `Sec-Fetch-Site` and `Origin` headers that it has."""
    own = (f"http://{host.lower()}", f"https://{host.lower()}")
    return all(site == "same-origin" for site in sites) and all(origin in own for origin in origins)


def _digest(secret: str) -> bytes:
    return sha256(secret.encode()).digest()


def _found(secret: str, digests: Iterable[bytes]) -> bytes | None:
    """The digest of this secret, if it is among them; how long that takes says nothing about any."""
    digest, found = _digest(secret), None
    for known in digests:
        if compare_digest(known, digest):
            found = known
    return found
