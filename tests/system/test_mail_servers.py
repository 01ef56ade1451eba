"""Match by mail over real SMTP and IMAP servers inside TLS, typed by two people with a
`mail.toml`.
"""

import pytest

from player.cli.join_command import CLEAN, USAGE, main
from player.direct.saved_match import SavedState, read_all_saved
from protocol.audit.verdict import Verdict, audit
from tests.support.mailservers import PASSWORD, Provider, make_certificate
from tests.support.ports import closed_port

pytestmark = pytest.mark.process

ADDRESSES = {"Ann": "ann@example.org", "Bob": "bob@example.org"}


@pytest.fixture
def provider(tmp_path, monkeypatch):
    monkeypatch.setenv("FAIRDEAL_TEST_PASSWORD", PASSWORD)
    with Provider(tmp_path) as provider:
        for name, address in ADDRESSES.items():
            (tmp_path / name).mkdir()
            (tmp_path / name / "mail.toml").write_text(provider.config(address))
        yield provider


@pytest.fixture
def mail(tmp_path, capsys):
    def run(name, command, *words, code=CLEAN):
        assert main(["mail", command, "--data", str(tmp_path / name), *words]) == code
        said = capsys.readouterr()
        return said.out + said.err

    return run


def test_mail_hand_over_smtp_and_imap_is_clean(provider, mail, tmp_path):
    provider.boxes[ADDRESSES["Ann"]] = [
        b"Subject: fairdeal is a nice word\r\n\r\nbut this is no letter"
    ]
    mail("Ann", "new", "--with", ADDRESSES["Bob"], "--name", "Ann", "--option", "hands=1")
    assert "Ann invites you" in mail("Bob", "read")
    mail("Bob", "accept", "--name", "Bob")
    saved_matches = []
    for turn in range(60):
        name = ("Ann", "Bob")[turn % 2]
        provider.lose = turn == 3  # one mail is lost
        mail(name, "read", "--bot", "random")
        if provider.lose:
            provider.lose = False
            mail(name, "send")
        if turn == 5:  # one mail arrives twice
            mail(name, "send")
        saved_matches = [read_all_saved(tmp_path / one)[0] for one in ADDRESSES]
        if all(saved.state is SavedState.OVER for saved in saved_matches):
            break
    ann, bob = (saved.log_path.read_bytes() for saved in saved_matches)
    assert ann == bob and audit(ann).verdict is Verdict.CLEAN


def test_untrusted_mail_server_gets_no_password(provider, mail, tmp_path):
    (tmp_path / "other").mkdir()
    other, _ = make_certificate(tmp_path / "other")
    for name in ADDRESSES:
        path = tmp_path / name / "mail.toml"
        path.write_text(path.read_text().replace(str(provider.certificate), str(other)))
    said = mail("Ann", "new", "--with", ADDRESSES["Bob"], "--name", "Ann", code=USAGE)
    assert "certificate" in said and "mail send" in said
    assert "certificate" in mail("Bob", "read", code=USAGE)
    assert not provider.boxes.get(ADDRESSES["Bob"])


def test_mail_wrong_password_and_missing_server_are_reported(provider, mail, tmp_path, monkeypatch):
    monkeypatch.setenv("FAIRDEAL_TEST_PASSWORD", "wrong")
    assert "user and password" in mail(
        "Ann", "new", "--with", ADDRESSES["Bob"], "--name", "Ann", code=USAGE
    )
    said = mail("Bob", "read", code=USAGE)
    assert "it refused" in said and "wrong" not in said
    monkeypatch.setenv("FAIRDEAL_TEST_PASSWORD", PASSWORD)
    mail("Ann", "send")  # the mail was kept
    assert "Ann invites you" in mail("Bob", "read")
    path = tmp_path / "Bob" / "mail.toml"
    path.write_text(
        path.read_text().replace(f"port = {provider.imap_port}", f"port = {closed_port()}")
    )
    assert "does not answer" in mail("Bob", "read", code=USAGE)
