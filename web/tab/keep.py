"""Profile of a tab: out of the browser into a file, and back."""

import json
from secrets import SystemRandom
from typing import Any

from pyodide.ffi import to_js

from player.cards.storage.rollback_guard import default_marks
from player.profile.profile_folder import bring, leave, pack_folder
from player.storage.identity_file import FILE as IDENTITY
from player.storage.profile_state import Place, read_profile_state
from protocol.errors import LocalError
from protocol.i18n import load_translator
from protocol.i18n.language_choice import page_languages
from protocol.identity.keyfile import parse_keyfile
from protocol.identity.profile_file import Kind, open_profile, parse_profile, seal_profile
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import translate_phrase
from web.tab.program import COST, DATA
from web.tab.websocket import Storage

# texts about commands, and those of the page in their place
TEXTS = {
    "wrong.profile.exists": "tab.keep.exists",
    "wrong.profile.same": "tab.keep.same",
    "wrong.profile.older": "tab.keep.older",
    "wrong.profile.large": "tab.keep.large",
    "wrong.profile.strange": "tab.keep.strange",
}


class TabProfile:
    """The profile while no program runs. `languages`: those of the page."""

    def __init__(self, storage: Storage, languages: str) -> None:
        self._storage = storage
        self._translate = load_translator(*page_languages({}, languages))

    def about(self) -> str:
        """Return what there is, as JSON: `place`, `since`, `fingerprint`, and whether the key is
        `protected` by a passphrase. Raises: LocalError if it is damaged.
        """
        state = read_profile_state(DATA)
        name, protected = "", False
        path = DATA / IDENTITY
        if path.exists():
            key = parse_keyfile(path.read_bytes())
            name, protected = key.fingerprint, key.protected
        return json.dumps(
            {
                "place": state.place,
                "since": state.day,
                "fingerprint": name,
                "protected": protected,
            }
        )

    async def export(self, kind: str, passphrase: str) -> Any:
        """Return the bytes of the profile's file, or a sentence that says why there is none.

        A profile that is carried away is locked in this browser first, durably. Raises:
        JsException if the storage fails; then nobody has the file.
        """
        try:
            if not passphrase:
                raise LocalError("wrong.profile.passphrase_empty")
            if Kind(kind) is Kind.CARRIED:
                leave(DATA)
                await self._storage.flush()
            profile = pack_folder(DATA, Kind(kind), default_marks())
            return to_js(seal_profile(profile, passphrase.encode(), SystemRandom(), COST))
        except LocalError as error:
            return self._sentence(error)

    async def bring(self, file: Any, passphrase: str, unused: bool) -> str:
        """Put the profile of a file into this browser. Return a sentence if that cannot be, or "".

        All of it is stored at once. Raises: JsException if the storage fails; then nothing is.
        """
        try:
            profile = open_profile(parse_profile(file.to_bytes()), passphrase.encode())
            bring(DATA, profile, default_marks(), unused=unused)
        except LocalError as error:
            return self._sentence(error)
        await self._storage.flush()
        return ""

    def refusal(self) -> str:
        """Return a sentence that says why nobody can play from this browser, or ""."""
        try:
            state = read_profile_state(DATA)
        except LocalError as error:
            return self._sentence(error)
        if state.place is Place.HERE:
            return ""
        key = "tab.keep.away" if state.place is Place.AWAY else "tab.keep.coming"
        return translate_phrase(phrase(key, day=state.day), self._translate)

    def _sentence(self, error: LocalError) -> str:
        said = error.phrase
        if said.key in TEXTS:
            said = Phrase(TEXTS[said.key], said.args)
        return translate_phrase(said, self._translate)
