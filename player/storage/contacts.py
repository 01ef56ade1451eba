"""The people with whom a person has played, by the fingerprint of their key: a name is free for
anybody.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from player.storage.files import read_json, write_json
from protocol.errors import LocalError
from protocol.i18n import english
from protocol.identity.keys import fingerprint, short_fingerprint
from protocol.identity.names import name_skeleton
from protocol.match.setup import Person
from protocol.match.state import Match
from protocol.view.phrase import phrase
from protocol.view.text import Translate, display_width, isolate_name, pad_to_width, phrase_renderer

FILE = "contacts.json"


@dataclass(frozen=True)
class Contact:
    """One person: whole fingerprint, names used (newest last), matches played, Unix time and table
    of the last.
    """

    fingerprint: str
    names: tuple[str, ...]
    matches: int
    last: int
    table: str


def read_contacts(data: Path) -> dict[str, Contact]:
    """All contacts by fingerprint. Raises: LocalError."""
    path = data / FILE
    try:
        return {name: _contact(name, value) for name, value in read_json(path).items()}
    except (KeyError, TypeError, ValueError):
        raise LocalError("wrong.read.mend", path=str(path)) from None


def _contact(name: str, value: dict[str, Any]) -> Contact:
    names = tuple(str(used) for used in value["names"])
    return Contact(name, names, int(value["matches"]), int(value["last"]), str(value["table"]))


def with_oneself(contacts: dict[str, Contact], own: str | None) -> dict[str, Contact]:
    """The contacts and the own fingerprint, for who looks on at a match in which they may have a
    seat themselves.
    """
    if own is None:
        return contacts
    return {**contacts, own: Contact(own, (), 0, 0, "")}


def remember(data: Path, others: Iterable[Person], table: str, now: int) -> None:
    """Note a match with these people. Raises: LocalError."""
    contacts = read_contacts(data)
    for person in others:
        name = fingerprint(person.identity)
        old = contacts.get(name, Contact(name, (), 0, 0, ""))
        used = (*(known for known in old.names if known != person.name), person.name)
        contacts[name] = Contact(name, used, old.matches + 1, now, table)
    write_json(data / FILE, {name: _as_json(contact) for name, contact in contacts.items()})


def note_players(data: Path, match: Match, own: bytes, where: str) -> None:
    """Note whom the identity `own` has played with, once all have shown who they are. Raises:
    LocalError.
    """
    others = [person for person in match.setup.people if person.identity != own]
    if None not in match.nonces and len(others) < match.setup.seats:  # else we only looked on
        remember(data, others, where, int(time.time()))


def _as_json(contact: Contact) -> dict[str, Any]:
    return {
        "names": contact.names,
        "matches": contact.matches,
        "last": contact.last,
        "table": contact.table,
    }


def introduce(
    contacts: dict[str, Contact], person: Person, translate: Translate = english
) -> list[str]:
    """Return what is known of a person (known or new), and a warning when another person had the
    name.
    """
    known = contacts.get(fingerprint(person.identity))
    say = phrase_renderer(translate, ())
    about: dict[str, str] = {"name": person.name, "fingerprint": short_fingerprint(person.identity)}
    if known is not None and not known.matches:
        return [say(phrase("contact.oneself", **about))]
    if known is not None:
        others = ", ".join(used for used in known.names if used != person.name)
        if others:
            alias = say(phrase("contact.alias", names=others))
        else:
            alias = ""
        return [
            say(
                phrase(
                    "contact.known",
                    count=known.matches,
                    alias=alias,
                    last=_day(known.last),
                    **about,
                )
            )
        ]
    lines = [say(phrase("contact.new", **about))]
    alike = name_skeleton(person.name)
    if any(name_skeleton(used) == alike for contact in contacts.values() for used in contact.names):
        lines.append(say(phrase("contact.warning", name=person.name)))
    return lines


HEAD = (
    "contact.head.name",
    "contact.head.fingerprint",
    "contact.head.matches",
    "contact.head.last",
    "contact.head.table",
)


def listing(contacts: dict[str, Contact], translate: Translate = english) -> str:
    """All contacts, the newest first, as a table of text."""
    if not contacts:
        return translate("contact.nobody", None)
    rows = [tuple(translate(key, None) for key in HEAD)]
    for contact in sorted(contacts.values(), key=lambda contact: -contact.last):
        names = ", ".join(isolate_name(name) for name in reversed(contact.names))
        rows.append(
            (
                names,
                contact.fingerprint,
                str(contact.matches),
                _day(contact.last),
                isolate_name(contact.table),
            )
        )
    widths = [max(display_width(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(map(pad_to_width, row, widths)).rstrip() for row in rows)


def _day(when: int) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(when))
