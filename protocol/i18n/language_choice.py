"""Choice of a person's language: by a flag, by the environment, or by the browser of a page."""

import argparse
import os
import re
from collections.abc import Iterable, Mapping, MutableMapping, Sequence

from protocol.i18n import PSEUDO, available_languages, load_translator
from protocol.view.text import Translate

FLAG = "--lang"
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # the first variable that is set counts
LANGUAGE_RANGE = re.compile(
    r"\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)\s*(?:;\s*q=([01](?:\.[0-9]{0,3})?)\s*)?"
)


def add_language_flag(made: "argparse._ActionsContainer") -> None:
    """Add the flag to a parser, for `--help` and to reject unknown languages.

    `take_language_flag` has removed valid flags before the parser runs.
    """
    made.add_argument(FLAG, choices=available_languages(), help="help.flag.lang")


def take_language_flag(words: Sequence[str], environ: MutableMapping[str, str]) -> list[str]:
    """Return a command line without the language flag, and write the language to `environ`, also
    for child processes.

    With an unknown language the flag stays, so that the command's own parser rejects it.
    """
    reader = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    reader.add_argument(FLAG, nargs="?", dest="language")
    found, rest = reader.parse_known_args(words)
    if found.language is None or found.language not in (*available_languages(), PSEUDO):
        return list(words)
    environ[VARIABLES[0]] = found.language
    return rest


def environment_languages(environ: Mapping[str, str]) -> list[str]:
    """Return the languages of a person's environment, best first, as gettext does.

    "de_AT.UTF-8" means "de_AT", then "de".
    """
    chosen = next((environ[name] for name in VARIABLES if environ.get(name)), "")
    return _add_base_languages(
        language.partition(".")[0] for language in chosen.split(":") if "/" not in language
    )


def environment_translator(environ: Mapping[str, str]) -> Translate:
    """Return the translator for the person at a terminal."""
    return load_translator(*environment_languages(environ))


def own_language() -> Translate:
    """Return the translator for the person who runs this program."""
    return environment_translator(os.environ)


def page_languages(environ: Mapping[str, str], header: str) -> list[str]:
    """Return the languages for a page, best first: those of the person's environment, or those of
    the browser.

    `header` is the browser's Accept-Language.
    """
    there = (*available_languages(), PSEUDO)
    return [
        language for language in environment_languages(environ) if language in there
    ] or parse_accept_language(header)


def parse_accept_language(header: str) -> list[str]:
    """Read the languages of an Accept-Language header, best first. Malformed parts are ignored."""
    found = [wish for part in header.split(",") if (wish := LANGUAGE_RANGE.fullmatch(part))]
    weighed = [(float(wish[2] or 1), wish[1].replace("-", "_")) for wish in found]
    best = sorted(weighed, key=lambda wish: wish[0], reverse=True)
    return _add_base_languages(language for weight, language in best if weight)


def _add_base_languages(languages: Iterable[str]) -> list[str]:
    return [
        name for one in languages for name in (one, one.partition("_")[0]) if name.isidentifier()
    ]
