"""Signed rule sets: rule files whose author signs name, number and text (docs/protocol, 33.10).

The signature is in the first line of the file, a comment of the rule language. So the name of the
file, which is in entry 0 of a match, pins the signature too.
"""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from itertools import takewhile
from typing import NamedTuple

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import RemoteError
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.identity.keys import Identity
from protocol.ledger.record_contents import CardRules
from protocol.ledger.records import read_record, sign_record
from protocol.limits import MAX_NAME, MAX_RULE_FILE, MAX_RULE_SET_ABOUT, MAX_RULE_SET_RECORD

MARK = "# signed: "
LANGUAGE = 4  # of chapter 32; a set of another language is not for this program


class RuleSet(NamedTuple):
    """A signed rule set whose signature and digest are checked. Its rules have not been parsed."""

    header: CardRules
    id: bytes  # of the record that is the header
    text: str  # of the whole file, with its first line

    @property
    def author(self) -> bytes:
        """Key of the author."""
        return self.header.creator

    @property
    def name(self) -> str:
        """Name that the author has given the set: a stranger's text."""
        return self.header.name

    @property
    def number(self) -> int:
        """Number of the edition, from 1."""
        return self.header.revision + 1

    @property
    def digest(self) -> str:
        """Name of the file in the options of a match: forty letters."""
        return rule_digest(self.text)

    @property
    def about(self) -> str:
        """Comment below the signature: what the set says of itself, a stranger's text."""
        lines = self.text.split("\n", MAX_RULE_SET_ABOUT)[1:]
        said = takewhile(lambda line: line.startswith("#"), lines)
        return " ".join(line.lstrip("# ") for line in said)[:MAX_RULE_SET_ABOUT].strip()


def is_signed(text: str) -> bool:
    """Check that a rule file says that it is signed. Its signature may be wrong."""
    return text.startswith(MARK)


def unsigned_text(text: str) -> str:
    """Return a rule file without the line of its signature, if it has one."""
    return text.partition("\n")[2] if is_signed(text) else text


def sign_rule_set(
    identity: Identity, name: str, body: str, previous: RuleSet | None = None
) -> RuleSet:
    """Sign the rule file `body`, which has no signature. `previous`: the author's edition before.

    Raises: RemoteError as `read_rule_set`, if the name or the text does not fit.
    """
    revision = previous.header.revision + 1 if previous else 0
    before = previous.id if previous else None
    said = CardRules(identity.public, revision, before, name, LANGUAGE, _digest(body), ())
    line = b64encode(sign_record(said, identity).raw).decode()
    return read_rule_set(f"{MARK}{line}\n{body}")


def read_rule_set(text: str) -> RuleSet:
    """Check the signature of a rule file. Nothing else of the file is parsed, and nothing is run.

    Raises: RemoteError(BAD_ENCODING, BAD_CONTENT, BAD_IDENTITY, BAD_SIGNATURE) if the file is not
    signed, or its signature is another file's.
    """
    line, _, body = text.partition("\n")
    if not is_signed(line) or is_signed(body) or not body:
        raise RemoteError(Code.BAD_CONTENT)
    if len(text) > MAX_RULE_FILE or len(text.encode(errors="surrogatepass")) > MAX_RULE_FILE:
        raise RemoteError(Code.BAD_CONTENT)
    record = read_record(_decode(line.removeprefix(MARK)))
    said = record.content
    if (
        not isinstance(said, CardRules)
        or said.language != LANGUAGE
        or said.required
        or len(said.name) > MAX_NAME
        or said.text != _digest(body)
    ):
        raise RemoteError(Code.BAD_CONTENT)
    return RuleSet(said, record.id, text)


def _decode(letters: str) -> bytes:
    """Decode Base64. A record has one encoding, so other forms of the same bytes are refused."""
    if len(letters) > 4 * (MAX_RULE_SET_RECORD // 3):
        raise RemoteError(Code.BAD_ENCODING)
    try:
        raw = b64decode(letters, validate=True)
    except (Base64Error, ValueError):
        raise RemoteError(Code.BAD_ENCODING) from None
    if b64encode(raw).decode() != letters:
        raise RemoteError(Code.BAD_ENCODING)
    return raw


def _digest(body: str) -> bytes:
    try:
        return digest("rule file", body.encode())
    except UnicodeEncodeError:
        raise RemoteError(Code.BAD_ENCODING) from None
