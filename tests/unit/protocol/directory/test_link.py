"""Links to a directory."""

import pytest

from protocol.directory.link import ListLink, ReportLink
from protocol.errors import LocalError
from protocol.identity.address import Address
from tests.support.errors import raises_text

WHOSE = "a" * 40


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (f"fairdeal-directory://example.org:7595/{WHOSE}", Address("example.org", 7595)),
        (f" fairdeal-directory://[2001:db8::1]:7595/{WHOSE} ", Address("2001:db8::1", 7595)),
    ],
)
def test_link_for_reports_is_read(text, address):
    link = ReportLink.parse(text)
    assert link == ReportLink(address, WHOSE)
    assert str(link) == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "example.org:7595",
        f"fairdeal-directory://example.org/{WHOSE}",
        f"fairdeal-directory://wss://example.org/{WHOSE}",
        "fairdeal-directory://example.org:7595/abc",
        f"fairdeal://example.org:7595/{WHOSE}",
    ],
)
def test_link_for_reports_in_wrong_form_is_refused(text):
    with raises_text(LocalError, "looks like fairdeal-directory://"):
        ReportLink.parse(text)


@pytest.mark.parametrize("url", ["https://example.org/tables.list", "http://[::1]:8000/a/b.list"])
def test_link_of_list_is_read(url):
    link = ListLink.parse(f"{url}#{WHOSE.upper()}")
    assert (link.url, link.fingerprint, str(link)) == (url, WHOSE, f"{url}#{WHOSE}")


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/tables.list",
        f"ftp://example.org/tables.list#{WHOSE}",
        f"https://user@example.org/tables.list#{WHOSE}",
        f"https://example.org/tables.list?x=1#{WHOSE}",
        f"https://example.org:99999/tables.list#{WHOSE}",
        f"https:///tables.list#{WHOSE}",
        f"https://example.org/{'p' * 600}#{WHOSE}",
        f"https://example.org/a b#{WHOSE}",
    ],
)
def test_link_of_list_in_wrong_form_is_refused(text):
    with raises_text(LocalError, "looks like https://"):
        ListLink.parse(text)
