"""Argument parsers whose `--help` is in the person's language and at most `MAX_COLUMNS` wide.

A help text, a description or the title of a group is a key of the catalogue, a `HelpText`, or a
text of its own, which is printed unchanged.
"""

import argparse
import os
import re
import shutil
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

from protocol.i18n.language_choice import environment_translator
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, phrase_renderer

MAX_COLUMNS = 100  # a longer line is slow to read, also on a wide terminal
SECOND_COLUMN = re.compile(r" *\S.*? {2,}(?=\S)")


class HelpText(str):
    """A phrase for an argument of argparse that must be a string."""

    said: Phrase

    def __new__(cls, said: Phrase) -> "HelpText":
        """Make the string: the phrase's key."""
        made = super().__new__(cls, said.key)
        made.said = said
        return made


def help_renderer() -> Say:
    """Return a function that says phrases in the language of the environment."""
    return phrase_renderer(environment_translator(os.environ), ())


def help_columns() -> int:
    """Return the width of help: the terminal's, but at most `MAX_COLUMNS`."""
    return min(MAX_COLUMNS, shutil.get_terminal_size().columns - 2)


def wrap_help(text: str, width: int) -> list[str]:
    """Wrap a help text to `width` columns.

    Consecutive lines without indentation are one paragraph. An indented line stays a line; its
    continuation lines begin under its second column.
    """
    lines: list[str] = []
    paragraph: list[str] = []

    def end_paragraph() -> None:
        lines.extend(_wrap(" ".join(paragraph), width, ""))
        paragraph.clear()

    for line in text.splitlines():
        if line.strip() and not line.startswith(" "):
            paragraph.append(line)
            if line.endswith(":"):
                end_paragraph()
            continue
        end_paragraph()
        lines += _wrap(line, width, " " * _continuation(line, width)) if line.strip() else [""]
    end_paragraph()
    return lines


def _continuation(line: str, width: int) -> int:
    first = len(line) - len(line.lstrip())
    found = SECOND_COLUMN.match(line)
    if found and found.end() <= width // 2:
        return found.end()
    return first + 4


def _wrap(text: str, width: int, indent: str) -> list[str]:
    if len(text) <= width:
        return [text] if text else []
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def example_lines(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return examples under their title: a command, and the catalogue's key of its comment."""
    say = help_renderer()
    shown = list(rows)
    width = min(max(len(command) for command, _ in shown) + 2, 50)
    lines = [f"{say(phrase('help.examples'))}:"]
    for command, comment in shown:
        line = f"  {command:{width}}  {say(phrase(comment))}"
        lines += (
            [line]
            if len(line) <= help_columns()
            else [f"  {command}", f"      {say(phrase(comment))}"]
        )
    return lines


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """The formatter of `HelpParser`."""

    def __init__(self, prog: str, **more: Any) -> None:
        super().__init__(prog, **({"width": help_columns(), "max_help_position": 26} | more))
        self._translate = environment_translator(os.environ)

    def _say(self, text: str) -> str:
        if isinstance(text, HelpText):
            return phrase_renderer(self._translate, ())(text.said)
        return self._translate(text, None)

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        """Add the usage with one word for all options: the groups below list them."""
        if prefix is not None:  # argparse asks for the name of a command of this command
            super().add_usage(usage, actions, groups, prefix)
            return
        required = [one for one in actions if one.required and one.option_strings]
        positional = [one for one in actions if not one.option_strings]
        options = argparse.Action([], "options", metavar=f"[{self._say('help.options.all')}]")
        super().add_usage(
            usage, [*required, options, *positional], (), f"{self._say('help.usage')}: "
        )

    def start_section(self, heading: str | None) -> None:
        """Begin a group of options."""
        super().start_section(self._say(heading) if heading else heading)

    def add_text(self, text: str | None) -> None:
        """Add a description or an ending."""
        super().add_text(self._say(text) if text else text)

    def _expand_help(self, action: argparse.Action) -> str:
        text = action.help or ""
        said = self._say(text)
        return super()._expand_help(action) if said == text else said

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{line}" for line in wrap_help(text, width - len(indent)))


class HelpParser(argparse.ArgumentParser):
    """A parser whose help is translated and wrapped; parsers of its commands are alike.

    `ending` builds the last part of the help only if somebody asks for help.
    """

    def __init__(self, *args: Any, ending: Callable[[], str] | None = None, **more: Any) -> None:
        super().__init__(*args, **(more | {"formatter_class": HelpFormatter, "add_help": False}))
        self.epilog_builder = ending
        self._positionals.title = "help.arguments"
        self._optionals.title = "help.options"
        self.add_argument("-h", "--help", action="help", help="help.help")

    def format_help(self) -> str:
        """Return the whole help."""
        if self.epilog_builder is not None:
            self.epilog = self.epilog_builder()
        return super().format_help()
