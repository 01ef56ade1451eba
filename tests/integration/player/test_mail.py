"""Matches by mail as two people type them, with data folders, files and Maildirs. Mails are lost,
doubled and reordered.
"""

import mailbox
import re
import shutil
from email import message_from_bytes
from email.policy import default
from io import BytesIO, TextIOWrapper
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from player.cli.join_command import CLEAN, DECLINED, FAILED, USAGE, main
from player.direct.saved_match import SavedState, read_all_saved
from player.mail.letter import open_letter
from player.storage.contacts import read_contacts
from protocol.__main__ import main as judge
from protocol.audit.verdict import Verdict, audit
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.messages.parcel import MAGIC, EntriesParcel, encode_parcel
from tests.support.english import english_in
from tests.system.test_rule_files import RULES


class Person:
    """Person at a command line with a data folder and a Maildir."""

    def __init__(self, folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.name, self.data, self.box, self._capsys = (
            name,
            folder / name,
            folder / f"{name}-mail",
            capsys,
        )
        self.out = folder / f"{name}-out"
        for made in (self.box, self.out):
            mailbox.Maildir(made)
        self.address = f"{name.lower()}@example.org"

    def mail(self, *words: object, code: int = CLEAN, bot: bool = True) -> str:
        """Run the program, and return its output."""
        more = ["--data", self.data, "--out", self.out, *(("--bot", "random") if bot else ())]
        command, *rest = words
        assert main([str(word) for word in ("mail", command, *more, *rest)]) == code, (
            self._capsys.readouterr()
        )
        said = self._capsys.readouterr()
        return said.out + said.err

    def written(self) -> list[bytes]:
        """Return the mails sent since the last call."""
        box = mailbox.Maildir(self.out)
        letters = [box.get_bytes(key) for key, _ in box.items()]
        box.clear()
        return letters

    def gets(self, letter: bytes) -> None:
        mailbox.Maildir(self.box).add(letter)

    def log(self) -> bytes:
        (saved,) = read_all_saved(self.data)
        return saved.log_path.read_bytes()


@pytest.fixture
def pair(tmp_path, capsys):
    return Person(tmp_path, "Ann", capsys), Person(tmp_path, "Bob", capsys)


def begin(ann: Person, bob: Person, *more: str) -> bytes:
    """Let Ann invite and Bob accept. Return Bob's mail."""
    ann.mail("new", "--with", bob.address, "--from", ann.address, "--name", "Ann", *more)
    (letter,) = ann.written()
    bob.gets(letter)
    said = bob.mail("read", bob.box)
    assert "Ann invites you" in said and "you have not played together before" in said
    bob.mail("accept", "--from", bob.address, "--name", "Bob")
    (answer,) = bob.written()
    return answer


def play_on(ann: Person, bob: Person, letter: bytes) -> int:
    """Let bots play to the end, with every mail through a Maildir. Return the number of mails."""
    reader, writer, count = ann, bob, 1
    while True:
        reader.gets(letter)
        reader.mail("read", reader.box)
        answers = reader.written()
        if not answers:
            return count
        (letter,) = answers
        reader, writer, count = writer, reader, count + 1


DOMINOES, POKER = ("--game", "block-dominoes", "--target", "1"), ("--option", "hands=1")


@pytest.mark.match
@pytest.mark.parametrize(
    ("game", "deal"), [(DOMINOES, "commutative"), (POKER, "commutative"), (POKER, "verified")]
)
def test_mail_hand_over_two_maildirs_is_clean(pair, game, deal):
    ann, bob = pair
    play_on(ann, bob, begin(ann, bob, *game, "--deal", deal))
    assert ann.log() == bob.log()
    assert audit(ann.log()).verdict is Verdict.CLEAN
    for person in pair:
        (saved,) = read_all_saved(person.data)
        assert saved.state is SavedState.OVER and not saved.seed
        (contact,) = read_contacts(person.data).values()
        assert contact.matches == 1


@pytest.mark.match
def test_rule_file_match_needs_the_rule_file(pair, tmp_path):
    ann, bob = pair
    ours, other = tmp_path / "high.rules", tmp_path / "other.rules"
    ours.write_text(RULES)
    other.write_text(RULES + "# not the same\n")
    ann.mail("new", "--with", bob.address, "--from", ann.address, "--name", "Ann", "--rules", ours)
    (letter,) = ann.written()
    bob.gets(letter)
    said = bob.mail("read", bob.box)
    assert (
        f"a file of the person who opened this table, not from fairdeal ({rule_digest(RULES)})"
        in said
    )
    for wrong in ((), ("--rules", other)):
        said = bob.mail("accept", "--from", bob.address, "--name", "Bob", *wrong, code=DECLINED)
        assert "wrong_setup" in said and "--rules FILE" in said and rule_digest(RULES) in said
    assert bob.written() == []
    bob.mail("accept", "--from", bob.address, "--name", "Bob", "--rules", ours)
    ours.unlink()  # a match that has begun has its own copy of the text
    (answer,) = bob.written()
    play_on(ann, bob, answer)
    assert ann.log() == bob.log() and audit(ann.log()).verdict is Verdict.CLEAN


@pytest.mark.match
def test_mail_hand_in_german_is_clean(pair, monkeypatch, capsys, tmp_path):
    """Checks the programs' outputs, the texts of mails, and the outputs of audit and `show`."""
    monkeypatch.setenv("LANGUAGE", "de")
    ann, bob = pair
    told = [
        ann.mail(
            "new",
            "--with",
            bob.address,
            "--from",
            ann.address,
            "--name",
            "Ann",
            "--option",
            "hands=1",
        )
    ]
    letters = ann.written()
    bob.gets(letters[0])
    told += [bob.mail("status"), bob.mail("read", bob.box)]
    told.append(bob.mail("accept", "--from", bob.address, "--name", "Bob"))
    reader, writer = ann, bob
    while answers := writer.written():
        letters += answers
        reader.gets(answers[0])
        told += [reader.mail("read", reader.box), reader.mail("status", bot=False)]
        reader, writer = writer, reader
    texts = [
        message_from_bytes(letter, policy=default).get_body().get_content() for letter in letters
    ]
    (saved,) = read_all_saved(ann.data)
    for command in ("audit", "show"):
        assert judge([command, "--lang", "de", str(saved.log_path)]) == 0
        told.append(capsys.readouterr().out)
    text = "\n".join([*texts, *told]).replace(str(tmp_path), "")
    assert english_in(text) == []
    assert "Ann lädt dich zu einer Partie per Mail ein: five-card-draw" in text
    assert "Urteil: kein Betrug gefunden. Gewonnen hat" in text and "Du bist am Zug" in text
    assert "sauber: " in told[-2] and "Prüfwörter: " in told[-1]
    assert re.search(
        r"begonnen +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC nach der Uhr eines Platzes", told[-1]
    )


@pytest.mark.match
def test_each_mail_lost_doubled_and_reordered_once(pair):
    ann, bob = pair
    rng = Random(1)
    letter = begin(ann, bob, "--option", "hands=1")
    reader, writer = ann, bob
    old: list[bytes] = []
    while True:
        writer.mail("send")
        (again,) = writer.written()  # the first mail is lost; this one arrives
        assert again == letter
        # doubled, and with all older mails before and after it, including the reader's own
        batch = [again, again, *old]
        rng.shuffle(batch)
        for at, mail in enumerate(batch):
            path = reader.data / f"{at}.eml"
            path.write_bytes(mail)
            said = reader.mail("read", path)
            assert "refused" not in said
        old.append(again)
        answers = reader.written()
        if not answers:
            break
        (letter,) = answers
        reader, writer = writer, reader
    assert ann.log() == bob.log()
    assert audit(ann.log()).verdict is Verdict.CLEAN


@pytest.mark.match
def test_mails_of_match_form_one_thread(pair):
    ann, bob = pair
    ann.mail(
        "new", "--with", bob.address, "--from", ann.address, "--name", "Ann", "--option", "hands=1"
    )
    thread = ann.written()
    bob.gets(thread[0])
    bob.mail("read", bob.box)
    bob.mail("accept", "--from", bob.address, "--name", "Bob")
    thread += bob.written()
    reader, writer = ann, bob
    while True:
        reader.gets(thread[-1])
        reader.mail("read", reader.box)
        answer = reader.written()
        if not answer:
            break
        thread += answer
        reader, writer = writer, reader
    mails = [message_from_bytes(letter) for letter in thread]
    assert len({mail["Message-ID"] for mail in mails}) == len(mails) > 5
    for before, mail in pairwise(mails):
        assert mail["In-Reply-To"] == before["Message-ID"]
        assert mail["References"].split()[0] == mails[0]["Message-ID"]
        assert mail["Subject"] == "Re: " + mails[0]["Subject"]
    text = "\n".join(mail.get_payload()[0].get_payload(decode=True).decode() for mail in mails)
    assert (
        "It is your turn" in text and "Verdict: no cheating found" in text and "invites you" in text
    )


@pytest.mark.slow
def test_invitation_names_trusted_parties_and_may_ask_less(pair):
    ann, bob = pair
    to_bob = ("--with", bob.address, "--from", ann.address, "--name", "Ann")
    assert "You did not sit down" in ann.mail("new", *to_bob, "--only-verified", code=DECLINED)
    assert ann.written() == []
    ann.mail("new", *to_bob)
    bob.gets(*ann.written())
    said = bob.mail("read", bob.box)
    assert f"fairdeal mail accept --data {bob.data} " in said  # the command to type for this folder
    assert "a cheat is named" in said and "the match is void" in said and "no clock" in said
    accept = ("accept", "--from", bob.address, "--name", "Bob")
    for asked in (("--only-verified",), ("--min-quorum", "2")):
        assert asked[0] in bob.mail(*accept, *asked, code=DECLINED)
        assert bob.written() == []
    bob.mail(*accept)
    assert len(bob.written()) == 1  # the invitation is still valid


@pytest.mark.match
def test_a_person_is_shown_the_hand_and_chooses(pair):
    ann, bob = pair
    letter = begin(ann, bob, "--game", "five-card-draw", "--option", "hands=1")
    reader, writer, shown = ann, bob, ""
    people = {ann: "", bob: ""}
    for _ in range(60):
        reader.gets(letter)
        shown = reader.mail("read", reader.box, bot=False)
        while "To choose" in shown:
            assert "Your hand:" in shown and any(suit in shown for suit in "♠♥♦♣")
            choice = next(
                word
                for word in ("stand", "show", "check", "call")
                if word in shown[shown.rindex("Your hand") : shown.rindex("To choose")].lower()
            )
            shown = reader.mail("move", choice, bot=False)
        people[reader] += shown
        answers = reader.written()
        if not answers:
            break
        (letter,) = answers
        reader, writer = writer, reader
    assert audit(ann.log()).verdict is Verdict.CLEAN
    assert "Verdict: no cheating found" in people[ann] + people[bob]


@pytest.mark.slow
def test_invalid_choice_changes_nothing(pair):
    ann, bob = pair
    letter = begin(ann, bob, "--option", "hands=1")
    reader, writer = ann, bob
    said = ""
    while "To choose" not in said:
        reader.gets(letter)
        said = reader.mail("read", reader.box, bot=False)
        if "To choose" not in said:
            (letter,) = reader.written()
            reader, writer = writer, reader
    before = reader.log()
    assert "You cannot choose that" in reader.mail("move", "castle", code=USAGE, bot=False)
    reader.mail("move", "raise 100000", code=USAGE, bot=False)
    assert reader.log() == before and not reader.written()
    assert "your turn" in reader.mail("status", bot=False)
    assert "their turn" in writer.mail("status", bot=False)
    assert "only when it is your turn" in writer.mail("leave", code=USAGE, bot=False)
    reader.mail("leave", bot=False)
    (letter,) = reader.written()
    writer.gets(letter)
    assert "left the match" in writer.mail("read", writer.box, bot=False)
    assert audit(writer.log()).verdict is Verdict.FAULT


# --- forged and broken mail ---


def file_with(person: Person, raw: bytes) -> Path:
    path = person.data / "letter.eml"
    path.write_bytes(raw)
    return path


@pytest.mark.slow
def test_forged_changed_and_foreign_letters_are_refused_with_reason(pair, tmp_path, capsys):
    ann, bob = pair
    letter = begin(ann, bob, "--option", "hands=1")
    parcel = open_letter(letter)
    assert isinstance(parcel, EntriesParcel)
    (raw, _), *rest = parcel.records
    changed = EntriesParcel(parcel.match_id, 0, ((raw, bytes(64)), *rest))
    said = ann.mail("read", file_with(ann, MAGIC + encode_parcel(changed)), code=FAILED)
    assert "refused: a signature does not" in said and "Nothing is lost" in said
    spoofed = letter.replace(b"bob@example.org", b"ann@example.org")  # headers do not matter
    assert "refused" not in ann.mail("read", file_with(ann, spoofed))
    (answer,) = ann.written()
    eve = Person(tmp_path, "Eve", capsys)
    assert "nobody here has offered" in eve.mail("read", file_with_new(eve, letter), code=FAILED)
    assert "no such match" in eve.mail("read", file_with_new(eve, answer), code=FAILED)
    assert "no fairdeal attachment" in ann.mail(
        "read", file_with(ann, b"From: x@y\n\nhello"), code=FAILED
    )


def file_with_new(person: Person, raw: bytes) -> Path:
    person.data.mkdir(parents=True, exist_ok=True)
    return file_with(person, raw)


@pytest.mark.slow
def test_a_second_answer_to_one_invitation_is_refused(pair, tmp_path, capsys):
    ann, bob = pair
    ann.mail(
        "new", "--with", bob.address, "--from", ann.address, "--name", "Ann", "--option", "hands=1"
    )
    (invitation,) = ann.written()
    eve = Person(tmp_path, "Eve", capsys)
    answers = []
    for person in (bob, eve):
        person.gets(invitation)
        person.mail("read", person.box)
        person.mail("accept", "--from", person.address, "--name", person.name)
        answers += person.written()
    ann.gets(answers[0])
    ann.mail("read", ann.box)
    assert "begun already" in ann.mail("read", file_with(ann, answers[1]), code=FAILED)


@pytest.mark.slow
def test_two_letters_for_one_turn_are_a_proof(pair, tmp_path, capsys):
    """Bob plays from his data folder and from a copy of it, so he signs two entries with one
    number.
    """
    ann, bob = pair
    letter = begin(ann, bob, "--option", "hands=1")
    reader, writer, said = ann, bob, ""
    while reader is not bob or "To choose" not in said:
        reader.gets(letter)
        said = reader.mail("read", reader.box, bot=False)
        if reader is ann and "To choose" in said:
            ann.mail("move", "check" if "check" in said else "call", bot=False)
        if "To choose" not in said or reader is ann:
            (letter,) = reader.written()
            reader, writer, said = writer, reader, ""
    twin = Person(tmp_path, "Twin", capsys)
    shutil.copytree(bob.data, twin.data)
    bob.mail("move", "call" if "call" in said else "check", bot=False)
    twin.mail("leave", bot=False)
    (honest,), (other,) = bob.written(), twin.written()
    assert "verdict" not in ann.mail("read", file_with(ann, honest), bot=False)
    found = ann.mail("read", file_with(ann, other), bot=False)
    assert "Bob (seat 2)" in found and "two different entries" in found and "is kept in" in found
    (saved,) = read_all_saved(ann.data)
    assert saved.state is SavedState.OVER and len(saved.found) == 1
    assert "is over" in ann.mail("read", file_with(ann, honest), bot=False)


@pytest.mark.slow
def test_invitations_beyond_the_limit_are_not_kept(pair, monkeypatch):
    ann, bob = pair
    monkeypatch.setattr("player.mail.inbox.MAX_INVITATIONS", 2)
    for _ in range(3):
        ann.mail("new", "--with", bob.address, "--from", ann.address, "--name", "Ann")
    for letter in ann.written():
        bob.gets(letter)
    assert "was dropped" in bob.mail("read", bob.box)
    assert len(read_all_saved(bob.data)) == 2


@pytest.mark.slow
def test_mail_with_control_sequences_is_harmless(pair):
    ann, bob = pair
    ann.mail("new", "--with", bob.address, "--from", ann.address, "--name", "Ann")
    (letter,) = ann.written()
    nasty = letter.replace(
        b"From: ann@example.org", b"From: \x1b[2J\x1b]0;x\x07 <a\x1b@b>"
    ).replace(b"Subject: ", b"Subject: \x1b[31m")
    said = bob.mail("read", file_with_new(bob, nasty))
    assert "\x1b" not in said and "\x07" not in said and "Ann invites you" in said
    assert "does not say where your answer should go" in bob.mail(
        "accept", "--from", bob.address, code=USAGE
    )
    bob.mail("accept", "--from", bob.address, "--name", "Bob", "--with", ann.address)


@pytest.mark.match
def test_known_name_with_new_key_causes_warning(pair):
    ann, bob = pair
    play_on(ann, bob, begin(ann, bob, "--option", "hands=1"))
    shutil.rmtree(ann.data)  # another person with the name "Ann"
    ann.mail("new", "--with", bob.address, "--from", ann.address, "--name", "Ann")
    (letter,) = ann.written()
    said = bob.mail("read", file_with(bob, letter))
    assert "WARNING: you know another Ann" in said


@pytest.mark.match
def test_last_letter_can_be_resent_after_the_end(pair):
    ann, bob = pair
    letter = begin(ann, bob, "--option", "hands=1")
    reader, writer = ann, bob
    while True:
        reader.gets(letter)
        reader.mail("read", reader.box)
        answers = reader.written()
        if not answers:
            break
        (letter,) = answers
        reader, writer = writer, reader
    writer.mail("send")
    assert writer.written() == [letter]
    assert "is over" in reader.mail("read", file_with(reader, letter))


@pytest.mark.slow
def test_letter_unwritten_before_crash_is_written_by_send(pair):
    ann, bob = pair
    letter = begin(ann, bob, "--option", "hands=1")
    ann.gets(letter)
    ann.mail("read", ann.box)
    (answer,) = ann.written()
    for path in (ann.data / "peers").glob("*.eml"):
        path.unlink()
    ann.mail("send")
    (again,) = ann.written()
    assert open_letter(again) == open_letter(answer)
    ann.mail("send", "--since", "0")
    (whole,) = ann.written()
    assert open_letter(whole).first == 0


@pytest.mark.slow
def test_mail_is_read_from_mbox_files_and_pipes(tmp_path, monkeypatch, capsysbinary):
    ann, bob = Person(tmp_path, "Ann", capsysbinary), Person(tmp_path, "Bob", capsysbinary)
    mbox = tmp_path / "out.mbox"
    more = ["--data", str(ann.data), "--name", "Ann", "--from", ann.address, "--with", bob.address]
    assert main(["mail", "new", *more, "--out", str(mbox)]) == CLEAN
    assert main(["mail", "read", str(mbox), "--data", str(bob.data)]) == CLEAN
    assert b"Ann invites you" in capsysbinary.readouterr().out
    assert (
        main(
            [
                "mail",
                "accept",
                "--data",
                str(bob.data),
                "--name",
                "Bob",
                "--from",
                bob.address,
                "--out",
                "-",
            ]
        )
        == CLEAN
    )
    letter = capsysbinary.readouterr().out
    assert isinstance(open_letter(letter), EntriesParcel)  # standard output has nothing else

    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(letter)))
    assert main(["mail", "read", "-", "--data", str(ann.data), "--out", str(mbox)]) == CLEAN
    assert mbox.read_bytes().count(b"\nMessage-ID: ") == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('adress = "a@b.cd"', "nothing else"),
        ('address = "nobody"', "looks like"),
        ("[incoming]\nuser = 1", "maildir, mbox or imap"),
        ('[incoming]\nimap = "x"\nmaildir = "y"', "maildir, mbox or imap"),
        ('[outgoing]\nsmtp = "x"\nsecurity = "none"', "tls"),
        ('[outgoing]\nsmtp = "x"\npassword = "secret"', "maildir, mbox or smtp"),
        ('[outgoing]\nsmtp = "x"\npassword_env = "FAIRDEAL_TEST_NOT_SET"', "environment"),
        ('[outgoing]\nsmtp = "x"\npassword_file = "/nowhere/at/all"', "cannot be read"),
        ("[outgoing", "cannot be read"),
    ],
)
def test_wrong_mail_configuration_is_reported(pair, text, said):
    ann, _ = pair
    ann.data.mkdir()
    (ann.data / "mail.toml").write_text(text)
    found = ann.mail("status", code=USAGE)
    assert said in found and "secret" not in found


def test_mail_program_asks_for_missing_arguments(pair):
    ann, bob = pair
    assert "--from" in ann.mail("new", "--with", bob.address, code=USAGE)
    assert "mail.toml" in ann.mail("read", code=USAGE)
    assert "no such match" in ann.mail("move", "1", code=USAGE)
    assert "no match by mail" in ann.mail("status")
    assert "not a Maildir" in ann.mail("read", ann.data, code=USAGE)
    assert "cannot be read" in ann.mail("read", ann.data / "nothing.eml", code=USAGE)
