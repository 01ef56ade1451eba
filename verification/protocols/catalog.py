"""Catalog of the built-in protocols, with the expected verdicts."""

from enum import StrEnum
from importlib.resources import files
from typing import NamedTuple

SUFFIX = ".AnB"


class ExpectedVerdict(StrEnum):
    """Expected result of a search."""

    ATTACK = "attack"
    NONE = "none"


class BuiltInProtocol(NamedTuple):
    """A built-in protocol."""

    name: str
    typed: ExpectedVerdict  # every value has its declared type
    untyped: ExpectedVerdict  # any message may stand for any value
    # smallest bound that shows the attack: with types if there is one, else without
    sessions: int = 2

    @property
    def text(self) -> str:
        """Text of the protocol."""
        return files(__package__).joinpath(self.name + SUFFIX).read_text(encoding="utf-8")

    @property
    def about(self) -> str:
        """Description: the comment at the beginning of the text."""
        lines = self.text.split("Protocol:")[0].splitlines()
        return " ".join(line.removeprefix("#").strip() for line in lines)


ATTACK = ExpectedVerdict.ATTACK
NONE = ExpectedVerdict.NONE

BUILT_IN_PROTOCOLS = {
    shipped.name: shipped
    for shipped in (
        BuiltInProtocol("needham-schroeder", ATTACK, ATTACK, sessions=1),
        BuiltInProtocol("needham-schroeder-lowe", NONE, NONE),
        BuiltInProtocol("otway-rees", NONE, ATTACK, sessions=1),
        BuiltInProtocol("yahalom", NONE, NONE),
        BuiltInProtocol("woo-lam", ATTACK, ATTACK, sessions=1),
        BuiltInProtocol("woo-lam-full", NONE, NONE),
        BuiltInProtocol("denning-sacco", ATTACK, ATTACK, sessions=1),
        BuiltInProtocol("denning-sacco-names", NONE, NONE),
        BuiltInProtocol("diffie-hellman", ATTACK, ATTACK, sessions=1),
        BuiltInProtocol("diffie-hellman-signed", NONE, NONE),
        BuiltInProtocol("needham-schroeder-shared", NONE, NONE),
        BuiltInProtocol("needham-schroeder-shared-leak", ATTACK, ATTACK),
        BuiltInProtocol("kerberos", NONE, NONE),
        BuiltInProtocol("andrew-rpc", ATTACK, ATTACK),
        BuiltInProtocol("wide-mouthed-frog", ATTACK, ATTACK, sessions=1),
        BuiltInProtocol("session", NONE, NONE),
        BuiltInProtocol("session-weak-hash", ATTACK, ATTACK, sessions=1),
        BuiltInProtocol("session-weak-ephemeral", ATTACK, ATTACK, sessions=1),
        BuiltInProtocol("match-keys", NONE, NONE),
        BuiltInProtocol("match-keys-weak-match", ATTACK, ATTACK, sessions=1),
        BuiltInProtocol("match-keys-weak-unsigned", ATTACK, ATTACK, sessions=1),
    )
}
