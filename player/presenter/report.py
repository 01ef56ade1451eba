"""A report about a person of a match, as a text that one sends to the host of the table oneself."""

from collections.abc import Iterable

from player.storage.contacts import Contact
from protocol.identity.keys import fingerprint
from protocol.match.setup import Person
from protocol.view.phrase import phrase
from protocol.view.text import Translate, isolate_name, phrase_renderer, sanitize


def report_lines(
    person: Person,
    known: Contact | None,
    match_id: bytes,
    remarks: Iterable[str],
    translate: Translate,
) -> list[str]:
    """Return the lines: who it is, in which match, and what they said there as this program has
    heard it. `known`: the contact with this key. Nothing in it is proved to others.
    """
    say = phrase_renderer(translate, ())
    others = [name for name in (known.names if known else ()) if name != person.name]
    lines = [
        say(phrase("report.title", name=person.name)),
        say(phrase("report.key", fingerprint=fingerprint(person.identity))),
        say(phrase("report.match", match=match_id.hex())),
    ]
    if others:
        lines.append(say(phrase("report.names", names=", ".join(map(isolate_name, others)))))
    said = [f"  {sanitize(remark)}" for remark in remarks]
    lines.append(say(phrase("report.said" if said else "report.silent")))
    return [*lines, *said, say(phrase("report.send"))]
