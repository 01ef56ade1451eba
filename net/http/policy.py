"""Headers of every answer, and the checks that come before anything else: by which name, and from
which page.

A browser lets any page send a request to any address, and a foreign name can be bound to this
machine anew. So a server says under which names it is asked, and what changes anything is only
taken from a page of its own.
"""

from collections.abc import Sequence

Headers = tuple[tuple[str, str], ...]

HOST = "127.0.0.1"  # this machine alone
ADMITTED = "admitted"  # in the state of a request that is known to come from a page of ours


def response_headers(policy: str, referrer: str = "no-referrer") -> Headers:
    """The headers of every answer, with this Content-Security-Policy.

    `referrer`: a page whose forms are sent needs "same-origin", as browsers otherwise hide their
    origin from us, too.
    """
    return (
        ("Content-Security-Policy", policy),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", referrer),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Embedder-Policy", "require-corp"),
        ("Cache-Control", "no-store"),
    )


def is_own_host(host: str, port: int, *names: str | None) -> bool:
    """Whether a request for this host is for us: a foreign name that leads here has been rebound by
    somebody.

    `names`: what else we are called, say by a proxy of our person's own.
    """
    return host.lower() in (f"127.0.0.1:{port}", f"localhost:{port}") or host in names


def is_own_page(host: str, sites: Sequence[str], origins: Sequence[str]) -> bool:
    """Whether a request comes from a page of this host, by the `Sec-Fetch-Site` and `Origin`
    headers that it has.
    """
    own = (f"http://{host.lower()}", f"https://{host.lower()}")
    return all(site == "same-origin" for site in sites) and all(origin in own for origin in origins)
