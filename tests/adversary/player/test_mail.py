"""Matches by mail and over a direct connection, against cheats and against crashes at bad
moments.
"""

import argparse
import asyncio
import mailbox
import shutil
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from random import Random

import pytest

from bots.random_bot import random_bot
from player.cli.direct_commands import _Program
from player.cli.join_command import FAILED, USAGE
from player.cli.screen_choice import Screen, own_language
from player.client.connection import Connection, connect
from player.client.loadouts import NoOwnedCards
from player.direct.direct_client import DirectClient
from player.direct.direct_match import DirectMatch
from player.direct.direct_paths import DirectPaths
from player.direct.saved_match import SavedState, read_all_saved, read_saved
from player.mail import letter, servers
from player.mail.config import read_config
from player.mail.letter import open_letter
from player.mail.mailbox_files import put_in_box, read_box
from player.storage.log_store import LogStore
from player.ui.terminal.plain_screen import PlainScreen
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.messages.parcel import MAGIC, EntriesParcel, encode_parcel, invite
from tests.integration.player.test_mail import Person, begin, file_with, file_with_new
from tests.support.errors import raises_text
from tests.support.without_table import Side, terms_for, two

EVE = Identity(b"e" * 32)
TERMS = terms_for("five-card-draw", "commutative")


@pytest.fixture
def pair(tmp_path, capsys):
    return Person(tmp_path, "Ann", capsys), Person(tmp_path, "Bob", capsys)


def invited_by_eve(nonce: bytes) -> bytes:
    return MAGIC + encode_parcel(invite(EVE, "Eve", TERMS, nonce, 1_700_000_000))


@pytest.mark.slow
def test_invitations_with_equal_prefix_have_separate_logs_and_names(pair):
    """The inviter chooses the nonce. One log over another would make us sign two entries with one
    number.
    """
    _, bob = pair
    for last in (b"\1", b"\2"):
        bob.mail("read", file_with_new(bob, invited_by_eve(bytes(31) + last)))
    first, second = read_all_saved(bob.data)
    assert first.log != second.log
    who = ("--from", bob.address, "--name", "Bob", "--with", "eve@example.org")
    said = bob.mail("accept", first.name, *who, code=USAGE)
    assert first.invitation.nonce.hex() in said and second.invitation.nonce.hex() in said
    for saved in (first, second):
        bob.mail("accept", saved.invitation.nonce.hex(), *who)
    logs = [saved.records() for saved in read_all_saved(bob.data)]
    assert all(logs) and logs[0][0] != logs[1][0]


def test_log_of_another_match_is_never_overwritten(tmp_path):
    _, bob = two(tmp_path / "one", "block-dominoes", "commutative", seed=1)
    bob.turn()
    _, dan = two(tmp_path / "two", "block-dominoes", "commutative", seed=2)
    dan.saved.log_path.write_bytes(bob.log())
    before = bob.log()
    with raises_text(LocalError, match="another match"):
        dan.turn()
    assert dan.log() == before


@pytest.mark.slow
def test_dropped_invitation_is_not_offered_again(pair):
    """A second acceptance with other secrets would make us sign two entries with one number."""
    ann, bob = pair
    answer = begin(ann, bob, "--option", "hands=1")
    bob.mail("drop")
    (saved,) = read_all_saved(bob.data)
    assert saved.state is SavedState.OVER and not saved.seed
    assert "invites you" not in bob.mail("read", bob.box)
    assert "no such match" in bob.mail("accept", "--from", bob.address, code=USAGE)
    ann.gets(answer)
    ann.mail("read", ann.box)
    bob.gets(ann.written()[0])
    # with the letters of the match that was dropped: they are refused only once
    bob.mail("read", bob.box)
    assert not bob.written()


def guest(data: Path, link: JoinLink) -> _Program:
    given = {
        "bot": "random",
        "pace": 0.0,
        "quiet": True,
        "link": str(link),
        "forget": False,
        "name": "Bob",
        "min_quorum": 0,
        "only_verified": False,
        "breakable_keys": False,
        "deck": None,
        "rules": None,
    }
    args = argparse.Namespace(**given, data=data, games=BUILT_IN)
    screen = Screen(PlainScreen({}, True, own_language()), random_bot)
    return _Program(args, Identity(b"b" * 32), Random(1), screen, loadouts=NoOwnedCards())


@pytest.mark.parametrize("fate", ["over", "dropped", "by mail"])
def test_host_offering_old_match_again_gets_no_second_answer(tmp_path, fate):
    """The guest's first entry is the same each time, its later entries are not: two signed entries
    with one number.
    """
    offer = invite(EVE, "Eve", TERMS, bytes(32), 1_700_000_000)
    program = guest(tmp_path, JoinLink("localhost", 7501, fingerprint(EVE.public)))
    accepted = program._accept(offer)
    assert accepted.post()
    accepted.close()
    saved = read_saved(tmp_path, offer.nonce)
    assert saved is not None
    if fate == "over":
        saved.ended(())
    elif fate == "dropped":
        saved.forget()
    else:
        replace(saved, address="bob@example.org").save()
    before = saved.log_path.read_bytes()
    with raises_text(LocalError, match="already begun"):
        guest(tmp_path, JoinLink("localhost", 7501, fingerprint(EVE.public)))._accept(offer)
    assert saved.log_path.read_bytes() == before


@pytest.mark.slow
def test_acceptance_cut_off_by_crash_is_sent_later(pair, monkeypatch):
    ann, bob = pair
    ann.mail(
        "new", "--with", bob.address, "--from", ann.address, "--name", "Ann", "--option", "hands=1"
    )
    bob.gets(ann.written()[0])
    bob.mail("read", bob.box)

    class Died(BaseException):
        """simulates kill -9"""

    def die(*_: object) -> int:
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(DirectMatch, "post", die)
        with pytest.raises(Died):
            bob.mail("accept", "--from", bob.address, "--name", "Bob")
    bob.mail("send")
    (answer,) = bob.written()
    parcel = open_letter(answer)
    assert isinstance(parcel, EntriesParcel) and parcel.first == 0
    assert "refused" not in ann.mail("read", file_with(ann, answer))


def test_second_proof_is_kept_beside_the_first(tmp_path):
    """A crash may come between the file with the other entry and the note that the match is
    over.
    """
    store = LogStore(tmp_path / "log.fairdeal")
    first = store.set_aside(0, b"x", bytes(64))
    second = store.set_aside(0, b"y", bytes(64))
    store.close()
    assert first != second and first.exists() and second.exists()


def test_letter_cannot_continue_match_over_a_connection(pair):
    ann, bob = pair
    answer = begin(ann, bob, "--option", "hands=1")
    (saved,) = read_all_saved(ann.data)
    replace(saved, address="", partner="0.0.0.0:7501").save()
    assert "no such match" in ann.mail("read", file_with(ann, answer), code=FAILED)
    assert not ann.written()


def test_letter_with_negative_number_is_rejected(pair):
    ann, bob = pair
    begin(ann, bob, "--option", "hands=1")
    assert "entries" in bob.mail("send", "--since", "-1", code=USAGE)


@pytest.mark.slow
def test_broken_match_does_not_silence_other_matches(pair, monkeypatch):
    ann, bob = pair
    answer = begin(ann, bob, "--option", "hands=1")
    ann.gets(answer)
    ann.gets(invited_by_eve(bytes(32)))
    ann.gets(answer.replace(b"\r\n", b"\n"))

    def stopped(self: DirectMatch, parcel: EntriesParcel) -> int:
        self.stopped = "for a reason"
        return 0

    monkeypatch.setattr(DirectMatch, "take", stopped)
    said = ann.mail("read", ann.box, code=FAILED)
    assert "cannot go on" in said and said.count("for a reason") == 2


# --- mailboxes and configuration ---


def test_mbox_locked_by_another_program_is_reported(tmp_path):
    path = tmp_path / "out.mbox"
    holder = mailbox.mbox(path)
    holder.lock()
    try:
        with raises_text(LocalError, match="Another program"):
            put_in_box(str(path), b"Subject: fairdeal\n\nx")
    finally:
        holder.unlock()
        holder.close()


def test_mail_moved_while_maildir_is_read_is_retried_later(tmp_path, monkeypatch):
    box = mailbox.Maildir(tmp_path / "box")
    for _ in range(2):
        box.add(b"Subject: fairdeal\n\nx")
    real, moved = Path.read_bytes, []

    def read(path: Path) -> bytes:
        if not moved:
            moved.append(path)
            path.unlink()  # as its owner's mail program does
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read)
    assert len(list(read_box(str(tmp_path / "box")))) == 1


def test_impossible_mailbox_path_is_reported():
    where = "~nobody-at-all/x.eml"
    with pytest.raises(LocalError):
        list(read_box(where))
    with pytest.raises(LocalError):
        put_in_box(where, b"x")


@pytest.mark.parametrize(
    "text",
    [
        '[outgoing]\nsmtp = "x"\nport = 99999',
        '[outgoing]\nsmtp = "x"\nport = -1',
        '[incoming]\nmaildir = "~nobody-at-all/x"',
        '[incoming]\nimap = "x"\npassword_file = "~nobody-at-all/x"',
    ],
)
def test_invalid_mail_configurations_are_reported(tmp_path, text):
    (tmp_path / "mail.toml").write_text(text)
    with pytest.raises(LocalError):
        read_config(tmp_path)


@pytest.mark.slow
def test_server_with_invalid_name_is_a_local_error(tmp_path):
    (tmp_path / "mail.toml").write_text('[outgoing]\nsmtp = "a..b"\n[incoming]\nimap = "a..b"')
    config = read_config(tmp_path)
    with raises_text(LocalError, match="mail server"):
        servers.send_mail(config.outgoing, ("a@b.cd", "a@b.cd"), b"x", "mail send")
    with raises_text(LocalError, match="mail server"):
        list(servers.fetch_mails(config.incoming, 0))


def test_deeply_nested_multipart_mail_is_not_opened(monkeypatch):
    """The library looks for the end of every box in every line."""
    raw = b"".join(
        b"Content-Type: MULTIPART/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(200)
    )
    monkeypatch.setattr(letter, "_attachments", lambda raw: pytest.fail("it is opened"))
    with pytest.raises(RemoteError) as caught:
        open_letter(raw + b"\n" * 1000)
    assert caught.value.code is Code.BAD_MAIL


@pytest.mark.parametrize(
    "header",
    [
        b'Content-Type: multipart/mixed; a="' + b";" * 150_000 + b"\n",
        b'Content-Type: multipart/mixed; a="' + b"\n ;" * 50_000 + b"\n",
        b'Content-Type: multipart/mixed; a="' + b"\r ;" * 50_000 + b"\r",
        b"From: " + b"(" * 150_000 + b"\n",
        b"X: y\n" * 30_000,
        b":" * 150_000 + b"\n",
    ],
)
def test_mail_too_slow_to_parse_is_set_aside(pair, tmp_path, header, monkeypatch):
    _, bob = pair
    box = tmp_path / "box"
    for folder in ("cur", "new", "tmp"):
        (box / folder).mkdir(parents=True)
    (box / "new" / "1").write_bytes(header + b"Subject: fairdeal\n\n--x\n\n")
    (box / "new" / "2").write_bytes(invited_by_eve(b"n" * 32))
    monkeypatch.setattr(letter, "_attachments", lambda raw: pytest.fail("opened"))
    said = bob.mail("read", str(box), code=FAILED)
    assert "nested too deeply" in said and "invites you" in said
    assert letter.sender_of(header) == ""


def test_unrelated_letters_are_not_kept(pair, tmp_path, monkeypatch):
    """A mailbox full of such letters does not prevent reading the others."""
    _, bob = pair
    invitation = invited_by_eve(b"n" * 32)
    monkeypatch.setattr("player.mail.inbox.MAX_LETTERS_HELD", 2 * len(invitation))
    box = tmp_path / "box"
    for folder in ("cur", "new", "tmp"):
        (box / folder).mkdir(parents=True)
    for number in range(20):
        stray = EntriesParcel(bytes([number]) * 32, 3, ((b"entry", b"h" * 64),))
        (box / "new" / f"{number:02}").write_bytes(MAGIC + encode_parcel(stray))
    (box / "new" / "99").write_bytes(invitation)
    assert "invites you" in bob.mail("read", str(box), code=FAILED)


def test_sender_is_read_without_parsing_the_body():
    mail = EmailMessage()
    mail["From"] = "Ann <ann@example.org>"
    mail.set_content("x")
    assert letter.sender_of(mail.as_bytes()) == "ann@example.org"


# --- over a connection ---


class _Silent:
    """Peer that connects and says nothing."""

    def established(self, connection: Connection, table_key: bytes) -> None:
        pass

    def received(self, payload: bytes) -> None:
        pass


async def test_silent_peer_does_not_block_the_listener(tmp_path, monkeypatch):
    monkeypatch.setattr("player.direct.direct_acceptor.ANSWER_SECONDS", 0.05)
    ann, _ = two(tmp_path, "block-dominoes", "commutative")
    match = ann.open()
    reach = DirectPaths(DirectClient(match._environment, None, match), share=False)
    link = JoinLink(
        "127.0.0.1",
        await reach.listen("127.0.0.1", 0),
        fingerprint(ann.identity.public),
        direct=True,
    )
    try:
        async with asyncio.timeout(120):
            connection = await connect(link, EVE, Random(2), link.fingerprint, _Silent())
            assert await connection.gone is Code.TOO_SLOW
    finally:
        await reach.close()


@pytest.mark.slow
async def test_guest_with_old_log_copy_gets_missing_entries(tmp_path):
    ann, bob = two(tmp_path, "block-dominoes", "commutative")
    first = bob.turn()
    shutil.copytree(tmp_path / "bob", tmp_path / "old")
    parcel = first
    for _ in range(2):
        parcel = bob.turn(ann.turn(parcel))
    ann.turn(parcel)
    old = Side(tmp_path / "old", "Bob", 3)
    old.nonce = bob.nonce
    match, theirs = ann.open(), old.open()
    assert theirs.number < match.number
    host = DirectClient(match._environment, None, match)
    client = DirectClient(theirs._environment, None, theirs)
    here = DirectPaths(host, share=False)
    link = JoinLink(
        "127.0.0.1",
        await here.listen("127.0.0.1", 0),
        fingerprint(ann.identity.public),
        direct=True,
    )
    there = DirectPaths(client, share=False, link=link)

    async def be_guest() -> None:
        try:
            await there.see_through(5)
        finally:
            await there.close()  # without a complaint: all has arrived

    try:
        async with asyncio.timeout(120):
            await asyncio.gather(here.see_through(None), be_guest())
    finally:
        await here.close()
        match.close()
    assert theirs.over and client.reason is None
    assert audit(ann.log()).verdict is Verdict.CLEAN and old.log() == ann.log()


def test_letter_does_not_overwrite_another_file(tmp_path):
    path = tmp_path / "out.eml"
    put_in_box(str(path), b"Ann's letter")
    put_in_box(str(path), b"Ann's letter")  # sent again
    with raises_text(LocalError, match="mail send"):
        put_in_box(str(path), b"Cleo's letter, or a file that has nothing to do with it")
    assert path.read_bytes() == b"Ann's letter"
