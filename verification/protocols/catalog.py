"""Which protocols come along, and what a search comes to for each."""

from enum import StrEnum
from importlib.resources import files
from typing import NamedTuple

SUFFIX = ".AnB"


class Expected(StrEnum):
    """What a search comes to."""

    ATTACK = "attack"
    NONE = "none"


class Shipped(NamedTuple):
    """One protocol that comes along."""

    name: str
    typed: Expected  # with every value of its declared type
    untyped: Expected  # with any message for any value
    sessions: int = 2  # the smallest bound that shows an attack with types, or else the one without

    @property
    def text(self) -> str:
        """As it is written."""
        return files(__package__).joinpath(self.name + SUFFIX).read_text(encoding="utf-8")

    @property
    def about(self) -> str:
        """What it is: the comment that it begins with."""
        lines = self.text.split("Protocol:")[0].splitlines()
        return " ".join(line.removeprefix("#").strip() for line in lines)


ATTACK, NONE = Expected.ATTACK, Expected.NONE

SHIPPED = {
    shipped.name: shipped
    for shipped in (
        Shipped("needham-schroeder", ATTACK, ATTACK, sessions=1),
        Shipped("needham-schroeder-lowe", NONE, NONE),
        Shipped("otway-rees", NONE, ATTACK, sessions=1),
        Shipped("yahalom", NONE, NONE),
        Shipped("woo-lam", ATTACK, ATTACK, sessions=1),
        Shipped("woo-lam-full", NONE, NONE),
        Shipped("denning-sacco", ATTACK, ATTACK, sessions=1),
        Shipped("denning-sacco-names", NONE, NONE),
        Shipped("diffie-hellman", ATTACK, ATTACK, sessions=1),
        Shipped("diffie-hellman-signed", NONE, NONE),
        Shipped("needham-schroeder-shared", NONE, NONE),
        Shipped("needham-schroeder-shared-leak", ATTACK, ATTACK),
        Shipped("kerberos", NONE, NONE),
        Shipped("andrew-rpc", ATTACK, ATTACK),
        Shipped("wide-mouthed-frog", ATTACK, ATTACK, sessions=1),
        Shipped("session", NONE, NONE),
        Shipped("session-weak-hash", ATTACK, ATTACK, sessions=1),
        Shipped("session-weak-ephemeral", ATTACK, ATTACK, sessions=1),
        Shipped("match-keys", NONE, NONE),
        Shipped("match-keys-weak-match", ATTACK, ATTACK, sessions=1),
        Shipped("match-keys-weak-unsigned", ATTACK, ATTACK, sessions=1),
    )
}
