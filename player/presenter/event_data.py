"""Events of a client as plain data, for a screen whose reader is a program.

An event is an object with `event`, its name, and the fields that JSON can carry. The position is not
among them: `match_data.view_data` encodes a view.
"""

import re
from collections.abc import Mapping
from typing import Any

from player.client import events
from player.presenter.match_data import deeds_data, harmless, people_data
from player.storage.contacts import Contact
from protocol.identity.keys import short_fingerprint
from protocol.identity.roster_words import roster_words
from protocol.match.setup import Person
from protocol.match.terms import Terms
from protocol.view.text import Translate, phrase_renderer


def event_name(event: events.Event) -> str:
    """Return the name of an event: `your_turn` for `YourTurn`."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", type(event).__name__).lower()


def event_data(
    event: events.Event, own: int | None, contacts: Mapping[str, Contact], translate: Translate
) -> dict[str, Any]:
    """Return an event as plain data. `own`: the person's seat.

    Nothing in a text steers a terminal or a page.
    """
    fields = _match_fields(event, own, contacts, translate) or _table_fields(
        event, contacts, translate
    )
    return {"event": event_name(event), **harmless(fields)}


def _match_fields(
    event: events.Event, own: int | None, contacts: Mapping[str, Contact], translate: Translate
) -> dict[str, Any]:
    match event:
        case events.Started():
            setup = event.match.setup
            return {
                "match": event.match.match_id.hex(),
                "seat": event.seat,
                "terms": selection_data(setup.terms),
                "people": people_data(setup.people, event.seat, contacts, translate),
            }
        case events.Recalled():
            return {"seat": event.seat, "deeds": deeds_data(event, event.seat, translate)}
        case events.Happened():
            return {"deeds": deeds_data(event, own, translate)}
        case events.Roster():
            return {"words": roster_words(event.digest)}
        case events.Said():
            return {"seat": event.seat, "remark": event.remark}
        case events.Presence():
            return {"gone": list(event.gone), "back": list(event.back)}
        case events.Waited():
            since = event.by_seat.items()
            return {
                "seats": [
                    {"seat": seat, "entry": entry, "seconds": seconds}
                    for seat, (entry, seconds) in since
                ]
            }
        case events.Unheard():
            return {"seat": event.seat}
        case events.Declined():
            return {"code": event.code.value}
    return {}


def _table_fields(
    event: events.Event, contacts: Mapping[str, Contact], translate: Translate
) -> dict[str, Any]:
    match event:
        case events.Welcomed():
            key = short_fingerprint(event.table_key)
            return {"table_name": event.table_name, "fingerprint": key}
        case events.Listed():
            return {"tables": [_table_data(row, contacts, translate) for row in event.rows]}
        case events.Offered():
            return {"table": event.table_id, "terms": selection_data(event.terms)}
        case events.Waiting():
            people = people_data(event.people, None, contacts, translate)
            return {"table": event.table_id, "seats": event.seats, "people": people}
        case events.Notice():
            return {"text": phrase_renderer(translate, ())(event.phrase)}
        case events.Announced():
            return {"said": event.said}
    return {}


def selection_data(terms: Terms) -> dict[str, Any]:
    """Return the game, its options and the dealing of terms."""
    return {
        "game": terms.game.name,
        "options": dict(terms.game.options),
        "seats": terms.seats,
        "dealing": terms.dealing.name,
        "dealing_options": dict(terms.dealing.options),
    }


def _table_data(
    row: tuple[Any, ...], contacts: Mapping[str, Contact], translate: Translate
) -> dict[str, Any]:
    name, terms, people, running = row
    here = [Person(*person) for person in people]
    return {
        "table": name,
        "terms": selection_data(terms),
        "people": people_data(here, None, contacts, translate),
        "running": bool(running),
    }
