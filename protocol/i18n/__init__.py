"""What fairdeal says to people, by keys: one catalogue (`LANGUAGE/fairdeal.po`) for each language,
read as it stands.

The catalogues are gettext's, and so is the choice between them; but texts are read from the `.po`
file that translators write, so that nothing has to be compiled. A new language is a new file.
"""

import gettext
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from protocol.i18n.pseudo_language import pseudo_localize
from protocol.view.phrase import Phrase
from protocol.view.text import Translate, phrase_renderer

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

ENGLISH, PSEUDO = "en", "qps"
HEADER = ""  # the key of what a catalogue says of itself
CatalogueTexts = Mapping[str, tuple[str, ...]]
FILE = "fairdeal.po"
# a key, and the lines of its texts
PO_ENTRY = re.compile(r'^msgid "(.*)"\n((?:.+\n)*)', re.MULTILINE)


class Catalogue(gettext.NullTranslations):
    """The texts of one `.po` file. What it has not got, its fallback says."""

    def __init__(self, texts: CatalogueTexts) -> None:
        super().__init__()
        self.texts = texts
        header = dict(line.split(": ", 1) for line in texts[HEADER][0].splitlines())
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


class PoFile(Mapping[str, tuple[str, ...]]):
    """The texts of a `.po` file by their keys; several where there is a plural.

    A program says a few dozen of some thousands: each is read when it is first asked for. Raises:
    KeyError, ValueError.
    """

    def __init__(self, text: str) -> None:
        self._written = dict(PO_ENTRY.findall(f"{text}\n"))
        self._read: dict[str, tuple[str, ...]] = {}

    def __getitem__(self, key: str) -> tuple[str, ...]:
        """See above."""
        if key not in self._read:
            self._read[key] = _forms(self._written[key])
        return self._read[key]

    def __iter__(self) -> Iterator[str]:
        """Its keys, in order."""
        return iter(self._written)

    def __len__(self) -> int:
        """How many."""
        return len(self._written)


def _forms(written: str) -> tuple[str, ...]:
    fields: dict[str, str] = {}
    last = ""
    for line in written.splitlines():
        if line.startswith('"'):
            fields[last] += json.loads(line)
        elif not line.startswith("#"):
            last, _, quoted = line.partition(" ")
            fields[last] = json.loads(quoted)
    return tuple(fields[name] for name in sorted(fields) if name.startswith("msgstr"))


@cache
def read_po(text: str) -> CatalogueTexts:
    """Of such a file, once."""
    return PoFile(text)


@cache
def catalogue_folder() -> "Traversable":
    """Where they are."""
    from importlib.resources import files  # takes a while to import, and some programs say nothing

    return files(__name__)


@cache
def load_translator(*languages: str, folder: "Traversable | None" = None) -> Translate:
    """What the first of these languages that there is says, English where it says nothing. Tests
    have `PSEUDO`.
    """
    known = (*available_languages(folder), PSEUDO)
    found = dict.fromkeys(language for language in languages if language in known)
    read = [Catalogue(_texts(folder or catalogue_folder(), language)) for language in found]
    read.append(Catalogue(_texts(catalogue_folder(), ENGLISH)))
    for one, other in pairwise(read):
        one.add_fallback(other)
    first = read[0]
    return lambda key, count: (
        first.gettext(key) if count is None else first.ngettext(key, key, count)
    )


def available_languages(folder: "Traversable | None" = None) -> list[str]:
    """Those that there is a catalogue of."""
    return sorted(
        entry.name for entry in (folder or catalogue_folder()).iterdir() if (entry / FILE).is_file()
    )


def best_language(*languages: str) -> str:
    """The first of these that there is; else English."""
    return next(
        (language for language in languages if language in (*available_languages(), PSEUDO)),
        ENGLISH,
    )


@cache
def labels(*languages: str, area: str) -> dict[str, str]:
    """The texts of all keys that begin with an area, as a page is sent them."""
    translate = load_translator(*languages)
    return {key: translate(key, None) for key in _keys() if key.startswith(f"{area}.")}


def _keys() -> list[str]:
    return [key for key in _texts(catalogue_folder(), ENGLISH) if key != HEADER]


def _texts(folder: "Traversable", language: str) -> CatalogueTexts:
    if language != PSEUDO:
        return read_po((folder / language / FILE).read_text("utf-8"))
    written = _texts(catalogue_folder(), ENGLISH)
    return {
        key: forms if key == HEADER else tuple(map(pseudo_localize, forms))
        for key, forms in written.items()
    }


def english(key: str, count: int | None) -> str:
    """A `protocol.view.text.Translate`."""
    return load_translator()(key, count)


def english_text(phrase: Phrase) -> str:
    """A phrase about nobody by name, for programs' logs and for the command line's own help."""
    return phrase_renderer(english, ())(phrase)
