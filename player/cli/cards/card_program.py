"""Shared part of all commands of `fairdeal cards`: the collection of a data folder, and output to
the person.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from random import Random
from secrets import SystemRandom
from typing import TYPE_CHECKING

from commandline.rule_file import read_rule_file
from player.cards.card_names import NoSuchCard, match_ids, resolve_card, resolve_key
from player.cards.card_presenter import CardPresenter
from player.cards.collection import Collection
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.rollback_guard import default_marks
from player.cli import arguments
from player.storage import contacts
from player.storage.identity_file import load_identity
from player.ui.terminal.cards import card_text
from protocol.i18n.language_choice import own_language
from protocol.identity.keys import Identity
from protocol.view.phrase import Phrase
from protocol.view.terminal_output import wrap_for
from protocol.view.text import Say, phrase_renderer

# pages of cards need no console
if TYPE_CHECKING:
    from rich.console import Console

# exit codes
CLEAN = 0
FAILED = 1
USAGE = 2
UNKNOWN = 3


@dataclass
class Program:
    """A run of one command."""

    args: argparse.Namespace
    collection: Collection
    identity: Identity
    contacts: dict[str, contacts.Contact]
    say: Say
    rng: Random

    @cached_property
    def console(self) -> "Console":
        """Console on standard output."""
        from rich.console import Console

        return Console(
            markup=False, highlight=False, emoji=False, soft_wrap=not sys.stdout.isatty()
        )

    def showing(self) -> CardPresenter:
        """Return the presenter of the collection as it is now."""
        return CardPresenter(self.collection, self.contacts)

    def tell(self, *lines: str | Phrase) -> None:
        """Print lines and phrases for the person. Phrases are broken between words."""
        for line in lines:
            if isinstance(line, Phrase):
                print(wrap_for(sys.stdout, self.say(line)), flush=True)
            else:
                print(line, flush=True)

    def tell_as_far(self, *lines: str | Phrase) -> None:
        """Print lines, followed by the note that they hold as far as this computer knows."""
        self.tell(*lines, card_text.AS_FAR)

    def card(self, text: str, among: tuple[bytes, ...] | None = None) -> bytes:
        """Return the card that `text` names, among these cards or all known cards (None). Raises:
        LocalError.
        """
        return resolve_card(text, self.showing().names(among))

    def card_or_none(self, text: str) -> bytes | None:
        """Return the card that `text` names, or None. Raises: LocalError if several cards match."""
        try:
            return self.card(text)
        except NoSuchCard:
            return None

    def key(self, text: str) -> bytes:
        """Return the key that `text` names. Raises: LocalError."""
        return resolve_key(text, self.showing().people())

    def trade(self, text: str) -> bytes | None:
        """Return the trade that `text` names, or None."""
        found = match_ids(text, self.collection.index.trades)
        return found[0] if len(found) == 1 else None


def read_named_rules(args: argparse.Namespace) -> str:
    """Return the rule file that a command about decks names, or an empty text. Raises:
    LocalError.
    """
    path = getattr(args, "rules", None)
    return read_rule_file(path).text if path else ""


@contextmanager
def open_program(args: argparse.Namespace) -> Iterator[Program]:
    """Open the cards of a data folder. Raises: LocalError."""
    rng = SystemRandom()
    data = arguments.data_of(args)
    identity = load_identity(data, arguments.passphrase_of(args), rng)
    store = LedgerStore(data, identity.public, default_marks())
    try:
        known = contacts.read_contacts(data)
        collection = Collection(store, identity.public)
        collection.rules = read_named_rules(args)
        yield Program(args, collection, identity, known, phrase_renderer(own_language(), ()), rng)
    finally:
        store.close()
