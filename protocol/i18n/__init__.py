"""Texts for people by keys: one catalogue (`LANGUAGE/fairdeal.po`) for each language.

The format of the catalogues and the choice of a language follow gettext. Texts are read from the
`.po` files of the translators, without compilation. A new language is a new file.
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
from protocol.view.text import Translate, translate_phrase

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

ENGLISH = "en"
PSEUDO = "qps"
HEADER = ""  # key of the header of a catalogue
CatalogueTexts = Mapping[str, tuple[str, ...]]
FILE = "fairdeal.po"
# a key, and the lines with its texts
PO_ENTRY = re.compile(r'^msgid "(.*)"\n((?:.+\n)*)', re.MULTILINE)


class Catalogue(gettext.NullTranslations):
    """The texts of one `.po` file. Missing texts come from the fallback."""

    def __init__(self, texts: CatalogueTexts) -> None:
        super().__init__()
        self.texts = texts
        header = dict(line.split(": ", 1) for line in texts[HEADER][0].splitlines())
        self._form = gettext.c2py(header["Plural-Forms"].split("plural=")[1].rstrip(";"))

    def gettext(self, message: str) -> str:
        """Return the text of a key."""
        if message in self.texts:
            return self.texts[message][0]
        return super().gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the text of a key for the number `n`."""
        if msgid1 not in self.texts:
            return super().ngettext(msgid1, msgid2, n)
        forms = self.texts[msgid1]
        return forms[min(self._form(n), len(forms) - 1)]


class PoFile(Mapping[str, tuple[str, ...]]):
    """The texts of a `.po` file by their keys: one text, or several for singular and plural.

    A program uses only a few dozen of some thousand texts, so each is parsed at its first use.
    Raises: KeyError, ValueError.
    """

    def __init__(self, text: str) -> None:
        self._written = dict(PO_ENTRY.findall(f"{text}\n"))
        self._read: dict[str, tuple[str, ...]] = {}

    def __getitem__(self, key: str) -> tuple[str, ...]:
        """Return the texts of a key. Raises: KeyError, ValueError."""
        if key not in self._read:
            self._read[key] = _plural_forms(self._written[key])
        return self._read[key]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the keys in the order of the file."""
        return iter(self._written)

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._written)


def _plural_forms(written: str) -> tuple[str, ...]:
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
    """Parse the text of a `.po` file, with a cache."""
    return PoFile(text)


@cache
def catalogue_folder() -> "Traversable":
    """Return the folder with the installed catalogues."""
    # imported late: it loads slowly, and some programs show no text
    from importlib.resources import files

    return files(__name__)


@cache
def load_translator(*languages: str, folder: "Traversable | None" = None) -> Translate:
    """Return the translator to the first installed language among `languages`.

    Missing texts come from the other languages, and finally from English. `PSEUDO` is a language
    for tests.
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
    """Return the languages with a catalogue."""
    return sorted(
        entry.name for entry in (folder or catalogue_folder()).iterdir() if (entry / FILE).is_file()
    )


def best_language(*languages: str) -> str:
    """Return the first of these languages with a catalogue, or English."""
    return next(
        (language for language in languages if language in (*available_languages(), PSEUDO)),
        ENGLISH,
    )


def language_of(translate: Translate) -> str:
    """Return the language of a translator, by the header of its catalogue; English without one."""
    found = re.search(r"^Language: (\w+)$", translate(HEADER, None), re.MULTILINE)
    return found[1] if found else ENGLISH


@cache
def labels(*languages: str, area: str) -> dict[str, str]:
    """Return the texts of all keys that begin with `area`, for a page."""
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
    """Translate a key to English: a `protocol.view.text.Translate`."""
    return load_translator()(key, count)


def english_text(phrase: Phrase) -> str:
    """Render a phrase without names in English, for logs of programs and for `--help`."""
    return translate_phrase(phrase, english)
