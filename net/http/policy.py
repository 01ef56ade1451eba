"""Headers of every answer, and the checks before all others: host name of the request, and page it
comes from.

A browser lets any page send a request to any address, and a foreign name can be rebound to this
machine. So the server accepts only certain host names, and accepts changes only from its own pages.
"""

from collections.abc import Sequence

Headers = tuple[tuple[str, str], ...]

HOST = "127.0.0.1"  # this machine alone
ADMITTED = "admitted"  # in the state of a request that is known to come from a page of ours


def response_headers(policy: str, referrer: str = "no-referrer") -> Headers:
    """Return the headers of every answer, with this Content-Security-Policy.

    `referrer`: a page with forms needs "same-origin", because browsers otherwise hide the page's
    origin even from its own server.
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
    """Check that a request for this host is meant for this server. Any other name was rebound to
    this address by a foreign page.

    `names`: further names of this server, for example behind the person's own proxy.
    """
    return host.lower() in (f"127.0.0.1:{port}", f"localhost:{port}") or host in names


def is_own_page(host: str, sites: Sequence[str], origins: Sequence[str]) -> bool:
    """Check that a request comes from a page of this host, by its headers `Sec-Fetch-Site` and
    `Origin`.
    """
    own = (f"http://{host.lower()}", f"https://{host.lower()}")
    return all(site == "same-origin" for site in sites) and all(origin in own for origin in origins)
