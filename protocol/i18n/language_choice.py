"""Which language a person wants: by a flag, by the environment, or, for a page, by the browser."""

import argparse
import re
from collections.abc import Iterable, Mapping, MutableMapping, Sequence

from protocol.i18n import PSEUDO, available_languages, load_translator
from protocol.view.text import Translate

FLAG = "--lang"
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # the first that is set counts
LANGUAGE_RANGE = re.compile(
    r"\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)\s*(?:;\s*q=([01](?:\.[0-9]{0,3})?)\s*)?"
)


def add_language_flag(made: "argparse._ActionsContainer") -> None:
    """The flag, for `--help` and to refuse what there is not: all else `take_language_flag` has
    taken out before.
    """
    made.add_argument(FLAG, choices=available_languages(), help="help.flag.lang")


def take_language_flag(words: Sequence[str], environ: MutableMapping[str, str]) -> list[str]:
    """A command line without the flag. What it said is in `environ` from then on, for programs that
    are started, too.

    The flag stays, to be refused by the command's own parser, if there is no such language.
    """
    reader = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    reader.add_argument(FLAG, nargs="?", dest="language")
    found, rest = reader.parse_known_args(words)
    if found.language is None or found.language not in (*available_languages(), PSEUDO):
        return list(words)
    environ[VARIABLES[0]] = found.language
    return rest


def environment_languages(environ: Mapping[str, str]) -> list[str]:
    """What a person's environment asks for, best first, as gettext reads it: "de_AT.UTF-8" is
    "de_AT", else "de".
    """
    chosen = next((environ[name] for name in VARIABLES if environ.get(name)), "")
    return _with_wider(
        language.partition(".")[0] for language in chosen.split(":") if "/" not in language
    )


def environment_translator(environ: Mapping[str, str]) -> Translate:
    """What a program's person reads."""
    return load_translator(*environment_languages(environ))


def page_languages(environ: Mapping[str, str], header: str) -> list[str]:
    """What a page is to speak, best first: as its person's program does, if it was told; else the
    browser's wish.

    `header`: Accept-Language.
    """
    there = (*available_languages(), PSEUDO)
    return [
        language for language in environment_languages(environ) if language in there
    ] or parse_accept_language(header)


def parse_accept_language(header: str) -> list[str]:
    """The languages of an Accept-Language header, best first; what is not written as it should be
    is left out.
    """
    found = [wish for part in header.split(",") if (wish := LANGUAGE_RANGE.fullmatch(part))]
    weighed = [(float(wish[2] or 1), wish[1].replace("-", "_")) for wish in found]
    best = sorted(weighed, key=lambda wish: wish[0], reverse=True)
    return _with_wider(language for weight, language in best if weight)


def _with_wider(languages: Iterable[str]) -> list[str]:
    return [
        name for one in languages for name in (one, one.partition("_")[0]) if name.isidentifier()
    ]
