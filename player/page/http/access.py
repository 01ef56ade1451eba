"""Who may use the page's server: a page that was opened by a link of ours, which is good once and not for long.

There are no cookies: browsers send those to every server on 127.0.0.1, whichever its port is and whoever runs it.
So nothing that a foreign page makes a browser send is worth anything here. Pure: time and chance are passed in.

A page that is open while its program is started anew may go on. Anybody on this machine can have waited for the port
to be free, so the program proves first that it is the page's own, and then the page that it is the program's; the
secret for that never travels but to a page that was let in:

    page      nonce                                          at least 16 letters, digits, - and _
    program   answer, HMAC-SHA-256(secret, "program NONCE ANSWER")
    page      HMAC-SHA-256(secret, "page NONCE ANSWER")      once; then it has a new token
"""

import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from hmac import compare_digest, digest
from secrets import token_urlsafe

from protocol.limits import MAX_PAGE_TICKETS, MAX_PAGE_TOKENS, PAGE_TICKET_SECONDS

SECRET = 24  # bytes of a ticket, of a token, and of the secret by which a page and its program know each other
NONCE = re.compile("[A-Za-z0-9_-]{16,64}")
SCHEME = "Bearer "
ADMITTED = "admitted"  # in the state of a request that has a token
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

    def __init__(self, secret: str | None = None, make: Callable[[int], str] = token_urlsafe) -> None:
        """`secret`: of an earlier run of the program, whose pages may come back. `make`: a new one, as text."""
        self.secret = secret or make(SECRET)
        self._make = make
        self._asked: dict[bytes, None] = {}  # digests of what pages that come back must answer with
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
        return self._token()

    def challenge(self, nonce: str) -> tuple[str, str] | None:
        """An answer to the nonce of a page that wants to come back, and the proof; None if it is no nonce."""
        if NONCE.fullmatch(nonce) is None:
            return None
        answer = self._make(SECRET)
        self._asked[_digest(proof_of(self.secret, "page", nonce, answer))] = None
        while len(self._asked) > MAX_PAGE_TOKENS:
            del self._asked[next(iter(self._asked))]
        return answer, proof_of(self.secret, "program", nonce, answer)

    def come_back(self, proof: str) -> str | None:
        """A token for a page that proves that it is ours; None if it does not."""
        found = _found(proof, self._asked)
        if found is None:
            return None
        del self._asked[found]
        return self._token()

    def _token(self) -> str:
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


def proof_of(secret: str, whose: str, nonce: str, answer: str) -> str:
    """What only who knows the secret can say, as hexadecimal digits. `whose`: "program" or "page"."""
    return digest(secret.encode(), f"{whose} {nonce} {answer}".encode(), "sha256").hex()


def _digest(secret: str) -> bytes:
    return sha256(secret.encode()).digest()


def _found(secret: str, digests: Iterable[bytes]) -> bytes | None:
    """The digest of this secret, if it is among them; how long that takes says nothing about any."""
    digest, found = _digest(secret), None
    for known in digests:
        if compare_digest(known, digest):
            found = known
    return found
