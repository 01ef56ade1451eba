"""Letters over SMTP and IMAP, always inside TLS. The standard library speaks both."""

import imaplib
import re
import smtplib
import ssl
from collections.abc import Iterator, Sequence
from email.utils import formatdate

from player.mail.config import Server
from protocol.errors import LocalError
from protocol.limits import MAX_MAIL, MAX_MAILS
from protocol.view.phrase import Phrase, phrase

TIMEOUT = 30.0  # seconds for each answer of a server
DAY = 24 * 3600.0  # seconds; servers compare dates only, in whatever zone they live
SUBJECT = "fairdeal"  # which every letter's subject begins with; only such mails are fetched
_SIZE = re.compile(rb"RFC822\.SIZE ([0-9]{1,12})")


def send_mail(server: Server, ends: tuple[str, str], raw: bytes, again: str) -> Phrase:
    """Hand a letter to the server; what to tell the person. `ends`: from and to. Raises:
    LocalError.
    """
    sender, receiver = ends
    context = _context(server)
    try:
        if server.security == "tls":
            connection: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, timeout=TIMEOUT, context=context
            )
        else:
            connection = smtplib.SMTP(server.host, server.port, timeout=TIMEOUT)
        with connection:
            if server.security == "starttls":
                connection.starttls(context=context)
            if server.user:
                connection.login(server.user, server.password)
            connection.sendmail(sender, [receiver], raw)
    except (OSError, ValueError, smtplib.SMTPException) as error:
        # ValueError: what cannot be sent, as a..b
        raise _failed(server, error, phrase("server.kept", command=again)) from None
    return phrase("letter.sent", receiver=receiver)


def fetch_mails(server: Server, since: float) -> Iterator[bytes]:
    """The mails of a folder whose subject speaks of fairdeal, from that day on. They stay there,
    unread as they were.

    `since`: seconds since 1970. Raises: LocalError.
    """
    try:
        with _imap(server) as connection:
            if server.security == "starttls":
                connection.starttls(_context(server))
            connection.login(server.user, server.password)
            _expect(connection.select(f'"{server.folder}"', readonly=True))
            found = _bytes(
                _expect(connection.uid("SEARCH", "SUBJECT", SUBJECT, "SINCE", _day(since - DAY)))
            )
            for uid in b" ".join(found).split()[-MAX_MAILS:]:
                yield from _fetch(connection, uid.decode("ascii"))
    except (OSError, ValueError, imaplib.IMAP4.error) as error:
        raise _failed(server, error, phrase("server.nothing")) from None


def _day(when: float) -> str:
    """Return a date as IMAP writes it; `formatdate` writes English in every language."""
    return "-".join(formatdate(max(when, 0)).split()[1:4])


def _imap(server: Server) -> imaplib.IMAP4:
    if server.security == "tls":
        return imaplib.IMAP4_SSL(
            server.host, server.port, ssl_context=_context(server), timeout=TIMEOUT
        )
    return imaplib.IMAP4(server.host, server.port, timeout=TIMEOUT)


def _fetch(connection: imaplib.IMAP4, uid: str) -> Iterator[bytes]:
    """One mail, if it is not too large to be a letter."""
    size = _SIZE.search(b" ".join(_bytes(_expect(connection.uid("FETCH", uid, "(RFC822.SIZE)")))))
    if size is None or int(size[1]) > MAX_MAIL:
        return
    for part in _expect(connection.uid("FETCH", uid, "(BODY.PEEK[])")):
        if isinstance(part, tuple) and isinstance(part[1], bytes):
            yield part[1]


def _bytes(parts: Sequence[object]) -> list[bytes]:
    return [part for part in parts if isinstance(part, bytes)]


def _expect(answer: tuple[str, Sequence[object]]) -> Sequence[object]:
    status, data = answer
    if status != "OK":
        raise imaplib.IMAP4.error("the server said no")
    return data


def _context(server: Server) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=server.ca_file)
    except OSError:
        raise LocalError("wrong.mail.certificates", path=str(server.ca_file)) from None


def _failed(server: Server, error: Exception, then: Phrase) -> LocalError:
    """Return an error in the program's own words: a server's text is a stranger's."""
    where = f"{server.host}:{server.port}"
    match error:
        case ssl.SSLCertVerificationError():
            reason = phrase("server.certificate")
        case ssl.SSLError():
            reason = phrase("server.tls")
        case smtplib.SMTPAuthenticationError():
            reason = phrase("server.password")
        case smtplib.SMTPResponseException():
            reason = phrase("server.code", code=error.smtp_code)
        case smtplib.SMTPRecipientsRefused():
            reason = phrase("server.recipient")
        case OSError():
            reason = phrase("server.silent")
        case _:
            reason = phrase("server.refused")
    return LocalError("wrong.mail.server", where=where, why=reason, then=then)
