"""What fairdeal says to people, by keys: one catalogue (`LANGUAGE/fairdeal.po`) for each language, read as it stands.

The catalogues are gettext's, and so is the choice between them; but texts are read from the `.po` file that
translators write, so that nothing has to be compiled. A new language is a new file.
"""

import gettext
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from itertools import pairwise
from typing import Any

from protocol.view.words import Translate

ENGLISH = "en"
CATALOGUES = files(__name__)
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # the first that is set counts
FILE = "fairdeal.po"


class Catalogue(gettext.NullTranslations):
    """One `.po` file. What it has not got, its fallback says."""

    def _parse(self, fp: Any) -> None:
        self.texts = read_po(fp.read().decode())
        header = dict(line.split(": ", 1) for line in self.texts.pop("")[0].splitlines())
        self._form = gettext.c2py(header["Plural-Forms"].split("plural=")[1].rstrip(";"))

    def gettext(self, message: str) -> str:
        """The text of a key."""
        return self.texts[message][0] if message in self.texts else super().gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """The text of a key for so many."""
        if msgid1 not in self.texts:
            return super().ngettext(msgid1, msgid2, n)
        forms = self.texts[msgid1]
        return forms[min(self._form(n), len(forms) - 1)]


def read_po(text: str) -> dict[str, tuple[str, ...]]:
    """The texts of a `.po` file by their keys; several where there is a plural. Raises: ValueError, KeyError."""
    texts: dict[str, tuple[str, ...]] = {}
    for block in text.split("\n\n"):
        fields: dict[str, str] = {}
        last = ""
        for line in block.splitlines():
            if line.startswith('"'):
                fields[last] += json.loads(line)
            elif line and not line.startswith("#"):
                last, _, quoted = line.partition(" ")
                fields[last] = json.loads(quoted)
        if fields:
            texts[fields["msgid"]] = tuple(fields[name] for name in sorted(fields) if name.startswith("msgstr"))
    return texts


@cache
def translator(*languages: str, folder: Traversable = CATALOGUES) -> Translate:
    """What the first of these languages that there is says, English where it says nothing."""
    found = [language for language in languages if _file(folder, language).is_file()]
    catalogues = [Catalogue(BytesIO(_file(folder, language).read_bytes())) for language in dict.fromkeys(found)]
    catalogues.append(Catalogue(BytesIO(_file(CATALOGUES, ENGLISH).read_bytes())))
    for one, other in pairwise(catalogues):
        one.add_fallback(other)
    first = catalogues[0]
    return lambda key, count: first.gettext(key) if count is None else first.ngettext(key, key, count)


def _file(folder: Traversable, language: str) -> Traversable:
    return folder / language / FILE


def english(key: str, count: int | None) -> str:
    """A `protocol.view.words.Translate`."""
    return translator()(key, count)


def languages_of(environ: Mapping[str, str]) -> list[str]:
    """What a person's environment asks for, best first, as gettext reads it: "de_AT.UTF-8" is "de_AT", else "de"."""
    chosen = next((environ[name] for name in VARIABLES if environ.get(name)), "")
    whole = [language.partition(".")[0] for language in chosen.split(":") if "/" not in language]
    return [name for language in whole for name in (language, language.partition("_")[0]) if name.isidentifier()]
