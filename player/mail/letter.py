"""A letter is an ordinary mail (RFC 5322): sentences for a person, and one attachment with the
parcel for the program.

Nothing but the attachment counts. Headers and text of a mail are anybody's: they are not read,
except the sender's address of an invitation, which is shown and used to answer.
"""

import email
import re
from datetime import UTC, datetime
from email import policy
from email.header import decode_header, make_header
from email.headerregistry import Address
from email.message import EmailMessage, Message
from email.parser import BytesHeaderParser
from email.utils import format_datetime, parseaddr
from typing import NamedTuple

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.games.registry import BUILT_IN, Games
from protocol.limits import (
    MAX_MAIL,
    MAX_MAIL_ADDRESS,
    MAX_MAIL_HEADER,
    MAX_MAIL_HEADERS,
    MAX_MAIL_MULTIPARTS,
    MAX_MAIL_PARTS,
)
from protocol.messages.parcel import (
    MAGIC,
    SUFFIX,
    EntriesParcel,
    Parcel,
    decode_parcel,
    encode_parcel,
)

POLICY = policy.SMTP.clone(cte_type="7bit")
# how a header begins, as the library sees it; a line of base64 has no colon
_HEADER = re.compile(rb"[!-9;-~]*:")
# a subject of ours behind a mark, in any language, that is not one of an answer
_FORWARDED = re.compile(
    r"\s*(?!(?:re|aw|sv|antw)\s*:\s*fairdeal:)[^:]{1,20}:.*fairdeal:", re.I | re.S
)
DOMAIN = "fairdeal.invalid"  # of message ids, which need one: it is nobody's


class Heading(NamedTuple):
    """The headers of a letter. `thread` names the match; `number` this letter in it, `answers` the
    one before.
    """

    sender: str
    receiver: str
    subject: str
    thread: str
    number: str
    answers: str
    now: float  # seconds since 1970


def write_letter(heading: Heading, lines: list[str], parcel: Parcel) -> bytes:
    """A mail's bytes."""
    mail = EmailMessage(POLICY)
    mail["From"], mail["To"] = heading.sender, heading.receiver
    mail["Subject"] = heading.subject
    mail["Date"] = format_datetime(datetime.fromtimestamp(heading.now, UTC))
    mail["Message-ID"] = message_id(heading.thread, heading.number)
    if heading.answers:
        first = message_id(heading.thread, "0")
        before = message_id(heading.thread, heading.answers)
        mail["In-Reply-To"] = before
        mail["References"] = first if first == before else f"{first} {before}"
    mail.set_content("\n".join(lines) + "\n")
    name = f"{heading.thread[:8]}-{heading.number}{SUFFIX}"
    mail.add_attachment(
        MAGIC + encode_parcel(parcel), maintype="application", subtype="octet-stream", filename=name
    )
    return mail.as_bytes()


def message_id(thread: str, number: str) -> str:
    """The id of a letter: the same at both sides, so that nobody's header is needed to answer."""
    return f"<{thread}.{number}@{DOMAIN}>"


def number_of(parcel: EntriesParcel) -> str:
    """Return the name of a letter with these entries in its thread; an invitation is "0"."""
    return f"{parcel.first}-{parcel.first + len(parcel.records)}"


def open_letter(raw: bytes, games: Games = BUILT_IN) -> Parcel:
    """The parcel in a mail, or in an attachment that was saved alone. Raises: RemoteError, and
    nothing else.
    """
    if len(raw) > MAX_MAIL:
        raise RemoteError(Code.FRAME_SIZE)
    if raw.startswith(MAGIC):
        return decode_parcel(raw[len(MAGIC) :], games)
    _check_bounds(raw)
    try:
        found = _attachments(raw)
    except Exception:
        # the library's parser raises whatever it likes for mail that was made to hurt it
        raise RemoteError(Code.NO_PARCEL) from None
    if len(found) != 1:
        raise RemoteError(Code.NO_PARCEL)
    return decode_parcel(found[0][len(MAGIC) :], games)


def _check_bounds(raw: bytes) -> None:
    """Raise `RemoteError(BAD_MAIL)` for what the library's parser would take hours over.

    It looks at every parameter of a header once for each quote in it, at every header for each
    part, and for the end of every multipart in each line.
    """
    if raw.lower().count(b"multipart/") > MAX_MAIL_MULTIPARTS:
        raise RemoteError(Code.BAD_MAIL)
    headers = size = 0
    for line in raw.splitlines(keepends=True):
        begins = _HEADER.match(line)
        headers += begins is not None
        if begins:
            size = len(line)
        elif line[:1] in (b" ", b"\t") and size:
            size += len(line)  # it goes on
        else:
            size = 0
        if size > MAX_MAIL_HEADER or headers > MAX_MAIL_HEADERS:
            raise RemoteError(Code.BAD_MAIL)


def _attachments(raw: bytes) -> list[bytes]:
    """All attachments that are parcels by their first bytes."""
    found = []
    mail = email.message_from_bytes(raw)
    for count, part in enumerate(mail.walk()):
        if count == MAX_MAIL_PARTS:
            break
        if part.is_multipart():
            body = None
        else:
            body = part.get_payload(decode=True)
        if isinstance(body, bytes) and body.startswith(MAGIC):
            found.append(body)
    return found


def sender_of(raw: bytes) -> str:
    """The address that a letter says it is from; empty if it says none that can be written to.

    A letter that somebody has forwarded is from its writer, not from the forwarder: its address is
    known only if the whole letter is attached.
    """
    try:
        _check_bounds(raw)
        mail = _attached_letter(raw) or BytesHeaderParser().parsebytes(raw[:MAX_MAIL])
        if _FORWARDED.match(str(make_header(decode_header(str(mail["Subject"]))))):
            return ""
        return check_address(parseaddr(str(mail["From"]))[1])
    except Exception:  # ditto
        return ""


def _attached_letter(raw: bytes) -> Message | None:
    """The innermost mail that is attached to this one as a whole, if there is just one chain of
    them.
    """
    found = None
    for count, part in enumerate(email.message_from_bytes(raw[:MAX_MAIL]).walk()):
        if count == MAX_MAIL_PARTS:
            break
        if part.get_content_type() == "message/rfc822" and part.is_multipart():
            inner = part.get_payload(0)
            found = inner if isinstance(inner, Message) else found
    return found


def check_address(text: str) -> str:
    """A mail address (`name@host`) that can stand in a header. Raises: LocalError."""
    try:
        if len(text) > MAX_MAIL_ADDRESS or not re.fullmatch(r"[!-~]+@[!-~]+", text):
            raise ValueError("not an address")
        return Address(addr_spec=text).addr_spec
    except (ValueError, IndexError, email.errors.MessageError):
        raise LocalError("wrong.mail.address") from None
