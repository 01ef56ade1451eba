"""Access to the page's server: only a page that was opened by a link of this program, which is good
once and for a short time.

There are no cookies: a browser sends those to every server on 127.0.0.1, on every port and of every
program. A request that a foreign page makes a browser send is therefore worth nothing here. Pure:
time and chance are passed in.

A page that is open while its program is started anew may continue. Any program on this machine can
have waited for the free port, so the program proves first that it is the page's own. Then the page
proves that it is the program's. The secret for that is only ever sent to a page that was let in:

    page      nonce                                               at least 16 letters, digits, - and _
    program   answer, HMAC-SHA-256(secret, "program HOST NONCE ANSWER")
    page      nonce, answer, HMAC-SHA-256(secret, "page HOST NONCE ANSWER")     once; then it has a new token

HOST is the page's own address, which the page sends. A program that has its port, and passes
everything on to the true program, proves nothing. The program remembers no question, so nobody can
make it forget one: an answer states itself that it is the program's, for which question, and when
it was made.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from hmac import compare_digest, digest
from secrets import token_urlsafe
from typing import NamedTuple

from net.http.policy import response_headers
from protocol.limits import MAX_PAGE_TICKETS, MAX_PAGE_TOKENS, PAGE_TICKET_SECONDS

# bytes of a ticket, of a token, and of the secret by which a page and its program know each other
SECRET = 24
NONCE = re.compile("[A-Za-z0-9_-]{16,64}")
SCHEME = "Bearer "
# images of cards are fetched with a token, and shown from memory
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src "
    "'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
HEADERS = response_headers(POLICY)


class ReturnProof(NamedTuple):
    """A returning page's proof."""

    nonce: str
    answer: str
    proof: str


class Access:
    """The tickets of links that were given out, and the tokens of pages that were admitted."""

    def __init__(
        self, secret: str | None = None, make: Callable[[int], str] = token_urlsafe
    ) -> None:
        """`secret`: that of an earlier run of the program, whose pages may come back. `make` returns
        a new secret of so many bytes, as text.
        """
        self.secret = secret or make(SECRET)
        self._make = make
        self._key = make(SECRET)  # proves answers of this run
        # digests of used answers, with their expiry
        self._used: dict[bytes, float] = {}
        # digests of tickets, with their expiry in seconds of the caller's clock
        self._tickets: dict[bytes, float] = {}
        self._tokens: list[bytes] = []  # digests, the oldest first

    def ticket(self, now: float) -> str:
        """Return a new ticket for a link. `now`: seconds of any clock that only goes forward."""
        made = self._make(SECRET)
        self._tickets[_digest(made)] = now + PAGE_TICKET_SECONDS
        while len(self._tickets) > MAX_PAGE_TICKETS:
            del self._tickets[next(iter(self._tickets))]
        return made

    def exchange(self, ticket: str, now: float) -> str | None:
        """Return a token for a ticket, which is void afterwards. None if the ticket is wrong, or too
        old.
        """
        found = _found(ticket, self._tickets)
        if found is None or self._tickets.pop(found) < now:
            return None
        return self._token()

    def challenge(self, host: str, nonce: str, now: float) -> tuple[str, str] | None:
        """Return an answer to the nonce of a page that wants to come back, and the proof of this
        program. None if it is no nonce. `host`: the page's own address.
        """
        if NONCE.fullmatch(nonce) is None:
            return None
        answer = self._answer(host, nonce, f"{self._make(SECRET)}.{int(now)}")
        return answer, proof_of(self.secret, "program", host, nonce, answer)

    def readmit(self, host: str, returning: ReturnProof, now: float) -> str | None:
        """Return a token for a page that proves that it is ours; None if it does not."""
        made, _, issued = returning.answer.rpartition(".")[0].rpartition(".")
        answer = self._answer(host, returning.nonce, f"{made}.{issued}")
        right = NONCE.fullmatch(returning.nonce) is not None and compare_digest(
            answer.encode(), returning.answer.encode()
        )
        proof = proof_of(self.secret, "page", host, returning.nonce, returning.answer)
        if not right or not compare_digest(proof.encode(), returning.proof.encode()):
            return None
        self._used = {used: until for used, until in self._used.items() if until >= now}
        used = _digest(returning.answer)
        until = int(issued) + PAGE_TICKET_SECONDS
        if until < now or used in self._used:
            return None
        self._used[used] = until
        return self._token()

    def _answer(self, host: str, nonce: str, made: str) -> str:
        return f"{made}.{proof_of(self._key, 'answer', host, nonce, made)}"

    def _token(self) -> str:
        made = self._make(SECRET)
        self._tokens = [*self._tokens, _digest(made)][-MAX_PAGE_TOKENS:]
        return made

    def admits(self, authorization: Sequence[str]) -> bool:
        """Check that these headers of a request have exactly one token of this program."""
        if len(authorization) != 1 or not authorization[0].startswith(SCHEME):
            return False
        return _found(authorization[0].removeprefix(SCHEME), self._tokens) is not None


def proof_of(secret: str, whose: str, host: str, nonce: str, answer: str) -> str:
    """Return the proof of knowing the secret, as hexadecimal digits. `whose`: "program" or "page"."""
    return digest(
        secret.encode(), f"{whose} {host.lower()} {nonce} {answer}".encode(), "sha256"
    ).hex()


def _digest(secret: str) -> bytes:
    return sha256(secret.encode()).digest()


def _found(secret: str, digests: Iterable[bytes]) -> bytes | None:
    """Return the digest of this secret if it is among `digests`; None if it is not. The time does
    not depend on them.
    """
    digest = _digest(secret)
    found = None
    for known in digests:
        if compare_digest(known, digest):
            found = known
    return found
