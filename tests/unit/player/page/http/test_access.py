"""Who gets in: a ticket once and not for long, a token, our own name, our own page, an old page
that proves itself.
"""

import pytest

from net.http.policy import is_own_host, is_own_page
from player.page.http.access import Access, Returned, proof_of
from protocol.limits import MAX_PAGE_TICKETS, MAX_PAGE_TOKENS, PAGE_TICKET_SECONDS

NONCE = "n" * 16
HOST, MOVED = "127.0.0.1:81", "127.0.0.1:82"


def bearer(token):
    return [f"Bearer {token}"]


def test_a_ticket_is_good_once():
    access = Access()
    ticket = access.ticket(0)
    token = access.exchange(ticket, 1)
    assert token and access.admits(bearer(token)) and len(ticket) == 32
    assert access.exchange(ticket, 1) is None


def test_a_ticket_is_good_for_two_minutes():
    access = Access()
    assert access.exchange(access.ticket(5), 5 + PAGE_TICKET_SECONDS)
    late = access.ticket(5)
    assert access.exchange(late, 5.1 + PAGE_TICKET_SECONDS) is None
    assert access.exchange(late, 5) is None, "who came too late cannot try again"


def test_nobody_guesses_and_old_links_give_way():
    access = Access()
    tickets = [access.ticket(0) for _ in range(MAX_PAGE_TICKETS + 1)]
    assert len(set(tickets)) == len(tickets)
    assert access.exchange(tickets[0], 0) is None and access.exchange("", 0) is None
    assert all(access.exchange(ticket, 0) for ticket in tickets[1:])


@pytest.mark.parametrize(
    "headers", ([], ["{}"], ["bearer {}"], ["Bearer {}x"], ["Bearer {}"] * 2, ["Bearer "])
)
def test_a_token_comes_in_one_header_or_not_at_all(headers):
    access = Access()
    token = access.exchange(access.ticket(0), 0)
    assert not access.admits([header.format(token) for header in headers])
    assert access.admits(bearer(token))


def test_the_oldest_pages_give_way():
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
def test_what_we_are_called(host, ours):
    assert is_own_host(host, 81, None) is ours


def test_a_proxy_of_ones_own_has_its_name():
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
        ([], ["https://127.0.0.1:81"], True),  # a proxy of one's own speaks https
        ([], ["http://127.0.0.1:81", "http://evil.test"], False),
    ],
)
def test_only_our_own_page_may_ask(sites, origins, own):
    assert is_own_page("127.0.0.1:81", sites, origins) is own


def returned(secret, host, answer, nonce=NONCE):
    """What a page says that knows this secret, and was loaded from this host."""
    return Returned(nonce, answer, proof_of(secret, "page", host, nonce, answer))


def test_a_page_comes_back_to_a_new_run():
    before = Access()
    after = Access(before.secret)
    answer, proof = after.challenge(HOST, NONCE, 5.5)
    assert proof == proof_of(before.secret, "program", HOST, NONCE, answer)
    token = after.come_back(HOST, returned(before.secret, HOST, answer), 6)
    assert after.admits(bearer(token))
    assert after.come_back(HOST, returned(before.secret, HOST, answer), 7) is None, "once"


def test_who_does_not_know_the_secret_does_not_come_back():
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
    assert not any(access.come_back(HOST, guess, 1) for guess in guesses)
    assert access.come_back(HOST, own, 1)


def test_access_proxy_to_new_program_port_gains_nothing():
    """It has the port that the page was loaded from: page and program each find another host in the
    proof.
    """
    access = Access()
    answer, proof = access.challenge(MOVED, NONCE, 0)
    assert proof != proof_of(access.secret, "program", HOST, NONCE, answer)
    assert access.come_back(MOVED, returned(access.secret, HOST, answer), 1) is None
    assert access.come_back(HOST, returned(access.secret, HOST, answer), 1) is None


def test_an_answer_is_good_for_two_minutes():
    access = Access()
    (first, _), (second, _) = (access.challenge(HOST, NONCE, 5) for _ in range(2))
    assert access.come_back(HOST, returned(access.secret, HOST, first), 5 + PAGE_TICKET_SECONDS)
    assert (
        access.come_back(HOST, returned(access.secret, HOST, second), 5.1 + PAGE_TICKET_SECONDS)
        is None
    )


def test_a_new_run_that_is_not_ours_proves_nothing():
    answer, proof = Access().challenge(HOST, NONCE, 0)
    assert proof != proof_of(Access().secret, "program", HOST, NONCE, answer)


@pytest.mark.parametrize(
    "nonce", ("", "short", "with a space in it", "x" * 65, "n" * 16 + "\n", "ünicöde-ünicöde-")
)
def test_what_is_proved_cannot_be_read_in_two_ways(nonce):
    assert Access().challenge(HOST, nonce, 0) is None


def test_many_strangers_who_ask_keep_no_page_out():
    access = Access()
    first, _ = access.challenge(HOST, NONCE, 0)
    for _ in range(10 * MAX_PAGE_TOKENS):
        access.challenge(HOST, NONCE, 0)
    assert access.come_back(HOST, returned(access.secret, HOST, first), 1)
