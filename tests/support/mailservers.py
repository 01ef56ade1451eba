"""Mail provider for tests: SMTP by aiosmtpd, and IMAP with the few needed commands, both inside
TLS.
"""

import asyncio
import socketserver
import ssl
import threading
from datetime import UTC, datetime, timedelta
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

PASSWORD = "correct horse"


def make_certificate(folder: Path, host: str = "127.0.0.1") -> tuple[Path, ssl.SSLContext]:
    """Make a self-signed certificate. Return its path and a server's context."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path, private = folder / "certificate.pem", folder / "key.pem"
    path.write_bytes(certificate.public_bytes(Encoding.PEM))
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, private)
    return path, context


class Provider:
    """Mailboxes by address, an SMTP server that fills them, and an IMAP server that shows them."""

    def __init__(self, folder: Path) -> None:
        self.boxes: dict[str, list[bytes]] = {}
        self.lose = False  # True: SMTP accepts mail and loses it
        self.certificate, context = make_certificate(folder)
        self._loop = asyncio.new_event_loop()
        self._smtp = self._loop.run_until_complete(
            self._loop.create_server(partial(self._smtp_session, context), "127.0.0.1", 0)
        )
        self._smtp_thread = threading.Thread(target=self._loop.run_forever)
        self._imap = _ImapServer(("127.0.0.1", 0), _Imap)
        self._imap.provider, self._imap.context = self, context
        self._thread = threading.Thread(
            target=self._imap.serve_forever, kwargs={"poll_interval": 0.05}
        )

    def __enter__(self) -> "Provider":
        self._smtp_thread.start()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._smtp_thread.join()
        self._smtp.close()
        self._loop.run_until_complete(self._end())
        self._loop.close()
        self._imap.shutdown()
        self._thread.join()
        self._imap.server_close()

    @property
    def smtp_port(self) -> int:
        return self._smtp.sockets[0].getsockname()[1]

    @property
    def imap_port(self) -> int:
        return self._imap.server_address[1]

    def config(self, address: str) -> str:
        """Return a `mail.toml` for a customer."""
        return f"""
address = "{address}"
[incoming]
imap = "127.0.0.1"
port = {self.imap_port}
user = "{address}"
password_env = "FAIRDEAL_TEST_PASSWORD"
ca_file = "{self.certificate}"
[outgoing]
smtp = "127.0.0.1"
port = {self.smtp_port}
security = "starttls"
user = "{address}"
password_env = "FAIRDEAL_TEST_PASSWORD"
ca_file = "{self.certificate}"
"""

    def _smtp_session(self, context: ssl.SSLContext) -> SMTP:
        return SMTP(
            self,
            tls_context=context,
            require_starttls=True,
            auth_required=True,
            authenticator=self._authenticate,
            loop=self._loop,
        )

    async def _end(self) -> None:
        """Wait until open connections have ended."""
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0.1)  # TLS transports need this time to close

    def _authenticate(
        self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any
    ) -> AuthResult:
        return AuthResult(success=data.password == PASSWORD.encode(), handled=False)

    # name required by aiosmtpd
    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        for receiver in envelope.rcpt_tos:
            if not self.lose:
                self.boxes.setdefault(receiver, []).append(
                    b"Received: from here\r\n" + envelope.original_content
                )
        return "250 OK"


class _ImapServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    provider: Provider
    context: ssl.SSLContext

    def get_request(self) -> Any:
        connection, address = super().get_request()
        return self.context.wrap_socket(
            connection, server_side=True, do_handshake_on_connect=False
        ), address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that does not trust our certificate."""


class _Imap(socketserver.StreamRequestHandler):
    """A connection with LOGIN, EXAMINE, UID SEARCH, UID FETCH and LOGOUT (RFC 3501)."""

    disable_nagle_algorithm = True

    def handle(self) -> None:
        self.box: list[bytes] = []
        self._say(b"* OK ready")
        while line := self.rfile.readline(4096):
            tag, command, *words = line.decode().split()
            answer = getattr(self, f"_{command.lower()}")(words)
            if answer is not None:
                self._say(f"{tag} {answer}".encode())
            if command == "LOGOUT":
                return

    def _say(self, line: bytes) -> None:
        self.wfile.write(line + b"\r\n")

    def _capability(self, words: list[str]) -> str:
        self._say(b"* CAPABILITY IMAP4rev1")
        return "OK done"

    def _login(self, words: list[str]) -> str:
        user, password = words[0].strip('"'), " ".join(words[1:]).strip('"')
        self.box = self.server.provider.boxes.setdefault(user, [])
        return "OK welcome" if password == PASSWORD else "NO"

    def _examine(self, words: list[str]) -> str:
        self._say(f"* {len(self.box)} EXISTS".encode())
        return "OK [READ-ONLY] done" if words == ['"INBOX"'] else "NO"

    def _uid(self, words: list[str]) -> str:
        if words[0] == "SEARCH":
            assert words[1:3] == ["SUBJECT", "fairdeal"] and words[3] == "SINCE"
            datetime.strptime(words[4], "%d-%b-%Y")
            found = [
                n
                for n, mail in enumerate(self.box, 1)
                if b"\r\nSubject: " in mail and b"fairdeal" in mail
            ]
            self._say(f"* SEARCH {' '.join(map(str, found))}".encode())
            return "OK done"
        number, mail = int(words[1]), self.box[int(words[1]) - 1]
        if words[2] == "(RFC822.SIZE)":
            self._say(f"* {number} FETCH (UID {number} RFC822.SIZE {len(mail)})".encode())
        else:
            assert words[2] == "(BODY.PEEK[])"
            self._say(f"* {number} FETCH (UID {number} BODY[] {{{len(mail)}}}".encode())
            self.wfile.write(mail + b")\r\n")
        return "OK done"

    def _logout(self, words: list[str]) -> str:
        self._say(b"* BYE")
        return "OK done"
