"""Letters are ordinary mails in which only one attachment counts."""

import email
import email.policy
from contextlib import suppress
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.mail.letter import Heading, check_address, open_letter, sender_of, write_letter
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_MAIL
from protocol.messages.parcel import MAGIC, EntriesParcel, encode_parcel

PARCEL = EntriesParcel(bytes(32), 3, ((b"an entry", bytes(64)), (b"\x00\xff" * 2000, b"h" * 64)))
HEADING = Heading(
    "ann@example.org",
    "bob@example.org",
    "Re: fairdeal: a game (1a2b)",
    "ab" * 16,
    "3-5",
    "1-3",
    1.7e9,
)
LETTER = write_letter(HEADING, ["Bob raises to 20 (♠).", "", "It is your turn."], PARCEL)


def refusal(raw: bytes) -> Code:
    with pytest.raises(RemoteError) as caught:
        open_letter(raw)
    return caught.value.code


def attached(*bodies: bytes, kind: str = "octet-stream") -> bytes:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "eve@example.org", "hello"
    mail.set_content("text")
    for body in bodies:
        mail.add_attachment(body, maintype="application", subtype=kind, filename="x")
    return mail.as_bytes()


def test_letter_is_an_ordinary_mail():
    mail = email.message_from_bytes(LETTER, policy=email.policy.default)
    assert not mail.defects and not any(part.defects for part in mail.walk())
    assert (mail["From"], mail["To"]) == (HEADING.sender, HEADING.receiver)
    assert mail["Date"].datetime.timestamp() == HEADING.now
    assert mail["Message-ID"] == f"<{HEADING.thread}.3-5@fairdeal.invalid>"
    assert mail["In-Reply-To"] == f"<{HEADING.thread}.1-3@fairdeal.invalid>"
    assert mail["References"].split() == [
        f"<{HEADING.thread}.0@fairdeal.invalid>",
        mail["In-Reply-To"],
    ]
    assert "Bob raises to 20 (♠)." in mail.get_body().get_content()
    (attachment,) = mail.iter_attachments()
    assert attachment.get_content_type() == "application/octet-stream"
    assert attachment.get_filename().endswith(".fairdeal-mail")
    assert attachment.get_content() == MAGIC + encode_parcel(PARCEL)
    # RFC 5321, without extensions
    assert LETTER.isascii() and max(map(len, LETTER.split(b"\r\n"))) <= 998


def test_letter_is_read_as_mail_or_attachment():
    assert open_letter(LETTER) == PARCEL
    assert open_letter(MAGIC + encode_parcel(PARCEL)) == PARCEL


def test_letter_survives_changes_by_mail_servers():
    assert open_letter(LETTER.replace(b"\r\n", b"\n")) == PARCEL
    assert open_letter(b"Received: from somewhere\r\nX-Spam: no\r\n" + LETTER) == PARCEL
    # the type of an attachment is only a header
    assert open_letter(attached(MAGIC + encode_parcel(PARCEL), kind="pdf")) == PARCEL
    list_mail = EmailMessage()
    list_mail.set_content("forwarded")
    list_mail.add_attachment(email.message_from_bytes(LETTER, policy=email.policy.default))
    assert open_letter(list_mail.as_bytes()) == PARCEL


def test_letter_headers_and_text_are_ignored():
    changed = LETTER.replace(b"ann@example.org", b"eve@example.org").replace(
        b"Bob raises", b"Bob folded"
    )
    assert open_letter(changed) == PARCEL


@pytest.mark.slow
@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", Code.NO_PARCEL),
        (attached(), Code.NO_PARCEL),
        (attached(b"not a parcel"), Code.NO_PARCEL),
        (attached(MAGIC + encode_parcel(PARCEL), MAGIC + encode_parcel(PARCEL)), Code.NO_PARCEL),
        (attached(MAGIC + b"garbage"), Code.BAD_ENCODING),
        (attached(MAGIC + encode_parcel(PARCEL)[:-1]), Code.BAD_ENCODING),
        (MAGIC, Code.BAD_ENCODING),
        (bytes(MAX_MAIL + 1), Code.FRAME_SIZE),
        (b"Content-Type: multipart/mixed; boundary=a\n\n" * 3000, Code.BAD_MAIL),
        (
            b"".join(
                b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n)
                for n in range(3000)
            ),
            Code.BAD_MAIL,
        ),
        (b"Content-Type: multipart/mixed; boundary=a\n\n" + b"--a\n\nx\n" * 5000, Code.NO_PARCEL),
        (b"Content-Type: a/b\nContent-Transfer-Encoding: base64\n\n!!!", Code.NO_PARCEL),
        (
            b"Content-Type: text/plain; charset*=x'y'%ff\nContent-Disposition: a; "
            b"filename*0*=''\n\nx",
            Code.NO_PARCEL,
        ),
    ],
)
def test_other_mail_is_refused(raw, code):
    assert refusal(raw) is code


@pytest.mark.slow
@given(st.data())
def test_damaged_letter_gives_same_parcel_or_is_refused(data):
    raw = bytearray(LETTER)
    for _ in range(data.draw(st.integers(1, 8))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with suppress(RemoteError):
        open_letter(bytes(raw[: data.draw(st.integers(0, len(raw)))]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ann",
        "ann@",
        "@example.org",
        "a b@example.org",
        "a@b\r\nBcc: c@d",
        "ann@exämple.org",
        "a@b@c",
        "a" * 250 + "@b.cd",
        "<a@b>",
    ],
)
def test_mail_address_with_dangerous_characters_is_refused(text):
    with pytest.raises(LocalError):
        check_address(text)


def test_sender_address_is_valid_or_absent():
    assert check_address("ann+x@sub.example.org") == "ann+x@sub.example.org"
    assert sender_of(b"From: Ann <ann@example.org>\n\n") == "ann@example.org"
    for head in (
        b"",
        b"From: \x1b[31m\n",
        b"From: <a@b\x07>\n",
        b"From: =?utf-8?q?=0Aa=40b?=\n",
        b"From: a@b, c@d, \n",
    ):
        assert sender_of(head + b"\n") in ("", "a@b")


def invitation_mail(**headers: str) -> EmailMessage:
    mail = EmailMessage()
    for name, value in {"From": "ann@example.org", "Subject": "fairdeal: nim (1a2b)"}.items():
        mail[name] = headers.get(name, value)
    mail.set_content("text")
    mail.add_attachment(MAGIC, maintype="application", subtype="octet-stream", filename="x")
    return mail


def test_forwarded_letter_is_from_its_writer():
    forward = EmailMessage()
    forward["From"], forward["Subject"] = "eve@example.org", "Fwd: fairdeal: nim (1a2b)"
    forward.set_content("look at this")
    forward.add_attachment(invitation_mail())
    assert sender_of(forward.as_bytes()) == "ann@example.org"


@pytest.mark.parametrize("mark", ["Fwd", "Fw", "WG", "TR", "Doorst", "转发"])
def test_letter_forwarded_in_parts_is_from_nobody_known(mark):
    mail = invitation_mail(From="eve@example.org", Subject=f"{mark}: fairdeal: nim (1a2b)")
    assert sender_of(mail.as_bytes()) == ""


@pytest.mark.parametrize(
    "subject", ["fairdeal: nim (1a2b)", "Re: fairdeal: nim (1a2b)", "hello: you"]
)
def test_letter_that_nobody_forwarded_is_from_its_sender(subject):
    assert sender_of(invitation_mail(Subject=subject).as_bytes()) == "ann@example.org"
