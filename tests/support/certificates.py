"""Certificates made on demand: an authority, and certificates that it signs."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


class Authority:
    """A certificate authority."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self._folder, self._name = (
            folder,
            x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]),
        )
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.file = folder / f"{name}.pem"
        basic = x509.BasicConstraints(ca=True, path_length=None)
        made = self._builder(self._name, self._key).add_extension(basic, critical=True)
        self.file.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM))

    def issue(self, name: str, *hosts: str) -> tuple[Path, Path]:
        """Make a certificate for these names or addresses. Return the paths of the certificate and
        of its key.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._builder(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), key)
        if hosts:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([_general(host) for host in hosts]), False
            )
        certificate, private = self._folder / f"{name}.crt", self._folder / f"{name}.key"
        certificate.write_bytes(builder.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM))
        private.touch(0o600)
        private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return certificate, private

    def served(self, *hosts: str) -> ssl.SSLContext:
        """Make the context of a server with these names."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.issue("server", *hosts))
        return context

    def _builder(self, name: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
        )


def _general(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)
