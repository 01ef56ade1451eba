"""Access to the page: a ticket once and briefly, a token, our own name, our own page, and an old
page with a proof.
"""

import pytest

from net.http.policy import is_own_host, is_own_page
from player.ui.web.http.access import Access, ReturnProof, proof_of
from protocol.limits import MAX_PAGE_TICKETS, MAX_PAGE_TOKENS, PAGE_TICKET_SECONDS

NONCE = "n" * 16
HOST, MOVED = "127.0.0.1:81", "127.0.0.1:82"


def bearer(token):
    return [f"Bearer {token}"]


def test_ticket_is_valid_once():
    access = Access()
    ticket = access.ticket(0)
    token = access.exchange(ticket, 1)
    assert token and access.admits(bearer(token)) and len(ticket) == 32
    assert access.exchange(ticket, 1) is None


def test_ticket_is_valid_for_two_minutes():
    access = Access()
    assert access.exchange(access.ticket(5), 5 + PAGE_TICKET_SECONDS)
    late = access.ticket(5)
    assert access.exchange(late, 5.1 + PAGE_TICKET_SECONDS) is None
    assert access.exchange(late, 5) is None, "who came too late cannot try again"


def test_wrong_tickets_fail_and_old_links_expire():
    access = Access()
    tickets = [access.ticket(0) for _ in range(MAX_PAGE_TICKETS + 1)]
    assert len(set(tickets)) == len(tickets)
    assert access.exchange(tickets[0], 0) is None and access.exchange("", 0) is None
    assert all(access.exchange(ticket, 0) for ticket in tickets[1:])


@pytest.mark.parametrize(
    "headers", ([], ["{}"], ["bearer {}"], ["Bearer {}x"], ["Bearer {}"] * 2, ["Bearer "])
)
def test_token_is_accepted_in_one_header_only(headers):
    access = Access()
    token = access.exchange(access.ticket(0), 0)
    assert not access.admits([header.format(token) for header in headers])
    assert access.admits(bearer(token))


def test_oldest_page_tokens_expire_first():
    access = Access()
    tokens = [access.exchange(access.ticket(0), 0) for _ in range(MAX_PAGE_TOKENS + 1)]
    assert [access.admits(bearer(token)) for token in tokens] == [False] + [True] * MAX_PAGE_TOKENS


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("127.0.0.1:81", True),
        ("localhost:81", True),
        ("LOCALHOST:81", True),
        ("127.0.0.1:82", False),
        ("127.0.0.1", False),
        ("evil.test:81", False),
        ("localhost.evil.test:81", False),
        ("[::1]:81", False),
        ("mine.test", False),
    ],
)
def test_access_accepts_only_names_of_this_machine(host, ours):
    assert is_own_host(host, 81, None) is ours


def test_access_accepts_name_of_own_proxy():
    assert is_own_host("mine.test", 81, "mine.test") and not is_own_host(
        "mine.test:81", 81, "mine.test"
    )


@pytest.mark.parametrize(
    ("sites", "origins", "own"),
    [
        ([], [], True),
        (["same-origin"], ["http://127.0.0.1:81"], True),
        (["same-origin"], [], True),
        (["same-site"], [], False),  # another port of this machine
        (["cross-site"], [], False),
        (["none"], [], False),
        (["same-origin", "cross-site"], [], False),
        ([], ["http://127.0.0.1:82"], False),
        ([], ["null"], False),
        ([], ["https://127.0.0.1:81"], True),  # the person's own proxy speaks https
        ([], ["http://127.0.0.1:81", "http://evil.test"], False),
    ],
)
def test_access_refuses_requests_of_other_pages(sites, origins, own):
    assert is_own_page("127.0.0.1:81", sites, origins) is own


def returned(secret, host, answer, nonce=NONCE):
    """Return the answer of a page that has this secret, and was loaded from this host."""
    return ReturnProof(nonce, answer, proof_of(secret, "page", host, nonce, answer))


def test_old_page_is_readmitted_by_new_run():
    before = Access()
    after = Access(before.secret)
    answer, proof = after.challenge(HOST, NONCE, 5.5)
    assert proof == proof_of(before.secret, "program", HOST, NONCE, answer)
    token = after.readmit(HOST, returned(before.secret, HOST, answer), 6)
    assert after.admits(bearer(token))
    assert after.readmit(HOST, returned(before.secret, HOST, answer), 7) is None, "once"


def test_page_without_secret_is_not_readmitted():
    access = Access()
    answer, proof = access.challenge(HOST, NONCE, 0)
    own = returned(access.secret, HOST, answer)
    guesses = [
        own._replace(proof=proof),
        own._replace(proof=""),
        own._replace(nonce="m" * 16),
        own._replace(nonce=""),
        returned("x", HOST, answer),
        *(
            returned(access.secret, HOST, made)
            for made in ("", "another", ".", "..", "a.1.b", answer + "0")
        ),
        returned(access.secret, HOST, answer.replace(".0.", ".9.")),
        returned(access.secret, HOST, Access(access.secret).challenge(HOST, NONCE, 0)[0]),
    ]
    assert not any(access.readmit(HOST, guess, 1) for guess in guesses)
    assert access.readmit(HOST, own, 1)


def test_access_proxy_to_new_program_port_gains_nothing():
    """The proxy has the port from which the page was loaded: page and program each see another host
    in the proof.
    """
    access = Access()
    answer, proof = access.challenge(MOVED, NONCE, 0)
    assert proof != proof_of(access.secret, "program", HOST, NONCE, answer)
    assert access.readmit(MOVED, returned(access.secret, HOST, answer), 1) is None
    assert access.readmit(HOST, returned(access.secret, HOST, answer), 1) is None


def test_page_proof_is_valid_for_two_minutes():
    access = Access()
    (first, _), (second, _) = (access.challenge(HOST, NONCE, 5) for _ in range(2))
    assert access.readmit(HOST, returned(access.secret, HOST, first), 5 + PAGE_TICKET_SECONDS)
    assert (
        access.readmit(HOST, returned(access.secret, HOST, second), 5.1 + PAGE_TICKET_SECONDS)
        is None
    )


def test_foreign_program_cannot_prove_to_be_ours():
    answer, proof = Access().challenge(HOST, NONCE, 0)
    assert proof != proof_of(Access().secret, "program", HOST, NONCE, answer)


@pytest.mark.parametrize(
    "nonce", ("", "short", "with a space in it", "x" * 65, "n" * 16 + "\n", "ünicöde-ünicöde-")
)
def test_page_proof_is_unambiguous(nonce):
    assert Access().challenge(HOST, nonce, 0) is None


def test_many_strangers_do_not_block_readmission():
    access = Access()
    first, _ = access.challenge(HOST, NONCE, 0)
    for _ in range(10 * MAX_PAGE_TOKENS):
        access.challenge(HOST, NONCE, 0)
    assert access.readmit(HOST, returned(access.secret, HOST, first), 1)
