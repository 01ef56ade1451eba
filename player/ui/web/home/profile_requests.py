"""Requests about the person: name, language, settings of pages, and the passphrase of the key."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from player.storage.mute_list import MuteList
from player.storage.own_key import OwnKey
from player.storage.own_language import read_language, store_language
from player.storage.own_name import read_name, store_name
from player.storage.settings import SETTINGS, are_settings, read_settings, store_settings
from player.ui.web.messages import BadRequest, Reply, RequestSpec, RunWork, Value
from protocol.errors import LocalError
from protocol.i18n import available_languages
from protocol.identity.names import name_problem, tidy_name
from protocol.view.text import sanitize


class ProfileRequests:
    """Answers requests about a person. `name` returns the present name, `wrong` the error for what
    no page of ours sends.
    """

    def __init__(
        self,
        data: Path,
        key: OwnKey,
        name: Callable[[], str],
        run_work: RunWork,
        wrong: Callable[[], BadRequest],
    ) -> None:
        self._data = data
        self._key = key
        self._name = name
        self._run_work = run_work
        self._wrong = wrong
        self._trying = asyncio.Lock()  # one passphrase at a time
        kinds = {setting: type(values[0]) for setting, values in SETTINGS.items()}
        self.requests: Mapping[str, RequestSpec] = {
            "profile": RequestSpec(self._profile, optional={"name": str, "language": str}),
            "settings": RequestSpec(self._settings, optional=kinds),
            "unmute": RequestSpec(self._unmute, {"fingerprint": str}),
            "unlock": RequestSpec(self._unlock, {"passphrase": str}),
            "passphrase": RequestSpec(self._passphrase, {"old": str, "new": str}),
        }

    def shown(self) -> dict[str, Any]:
        """Return all that the page shows of the person."""
        file = self._key.file
        return {
            "name": self._name(),
            "named": read_name(self._data) is not None,
            "language": read_language(self._data) or "",
            "languages": available_languages(),
            "settings": read_settings(self._data),
            "fingerprint": None if file is None else file.fingerprint,
            "protected": file is not None and file.protected,
            "locked": self._key.is_locked,
            "muted": [
                {"name": sanitize(name), "fingerprint": sanitize(letters)}
                for letters, name in MuteList(self._data).names().items()
            ],
            "folder": sanitize(str(self._data)),
        }

    async def _profile(self, fields: dict[str, Any]) -> Reply:
        """Keep the person's name and language."""
        if "name" in fields:
            name = tidy_name(fields["name"])
            if (why := name_problem(name)) is not None:
                raise LocalError("wrong.name.typed", why=why)
            store_name(self._data, self._name())  # else the login would be forgotten
            store_name(self._data, name)
        if "language" in fields:
            if fields["language"] not in ("", *available_languages()):
                raise self._wrong()
            store_language(self._data, fields["language"])
        return Value(self.shown())

    async def _unmute(self, fields: dict[str, Any]) -> Reply:
        """Hear somebody again, in every lobby and match."""
        MuteList(self._data).lift(fields["fingerprint"])
        return Value(self.shown())

    async def _settings(self, fields: dict[str, Any]) -> Reply:
        """Keep settings of pages."""
        if not are_settings(fields):
            raise self._wrong()
        store_settings(self._data, fields)
        return Value(read_settings(self._data))

    async def _unlock(self, fields: dict[str, Any]) -> Reply:
        """Open the person's key with its passphrase."""
        passphrase = fields["passphrase"].encode()
        await self._attempt(lambda: self._key.unlock(passphrase))
        return Value()

    async def _passphrase(self, fields: dict[str, Any]) -> Reply:
        """Set, change or remove the passphrase of the key."""
        old = fields["old"].encode()
        new = fields["new"].encode()
        await self._attempt(lambda: self._key.change(old, new))
        return Value(self.shown())

    async def _attempt(self, act: Callable[[], None]) -> None:
        if self._trying.locked():
            raise LocalError("home.key.wait")
        async with self._trying:
            await self._run_work(act)
