"""Argument parsers whose `--help` is in the person's language and no wider than the terminal.

A help text, a description or the title of a group is a key of the catalogue, a `HelpText`, or a
text of its own, which is printed unchanged. Help begins with what most people need: usage, one
sentence, examples. The options follow in groups, then details.
"""

import argparse
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from protocol.i18n.argument_errors import argparse_error
from protocol.i18n.language_choice import environment_translator
from protocol.i18n.near_names import near_names
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, phrase_renderer

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

MAX_COLUMNS = 100  # a longer line is slow to read, also on a wide terminal
MIN_COLUMNS = 20  # narrower than this, nothing can be read
USAGE = 2  # exit code of a wrong command line
WORD = re.compile(r"""(?:'[^']*'|"[^"]*"|\S)+""")  # of a command in a shell
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
    return max(MIN_COLUMNS, min(MAX_COLUMNS, shutil.get_terminal_size().columns - 2))


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


def example_lines(rows: Iterable[tuple[str, str | Phrase]]) -> list[str]:
    """Return examples under their title: a command, and its comment or the comment's key.

    A comment that does not fit beside its command is on a line below.
    """
    say = help_renderer()
    columns = help_columns()
    shown = [
        (command, say(phrase(about) if isinstance(about, str) else about) if about else "")
        for command, about in rows
    ]
    fitting = (one for one in shown if len(one[0]) + len(one[1]) + 4 <= columns)
    width = max((len(command) for command, about in fitting if about), default=0)
    lines = [f"{say(phrase('help.examples'))}:"]
    for command, about in shown:
        line = f"  {command:{width}}  {about}".rstrip()
        if about and len(command) <= width and len(line) <= columns:
            lines.append(line)
        else:
            lines += _command_lines(command, columns)
            lines += [f"      {about}"] if about else []
    return lines


def _command_lines(command: str, columns: int) -> list[str]:
    """Break a command between its words, as a shell reads it."""
    lines = ["  "]
    for word in WORD.findall(command):
        if lines[-1].strip() and len(lines[-1]) + len(word) + 2 > columns:
            lines[-1] += "\\"
            lines.append("      ")
        lines[-1] += f"{word} "
    return [line.rstrip() for line in lines]


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

    def _format_action(self, action: argparse.Action) -> str:
        """Format commands without a line for the choice itself: the group has a title."""
        if isinstance(action, argparse._SubParsersAction):
            return "".join(map(self._format_action, action._get_subactions()))
        return super()._format_action(action)

    def _expand_help(self, action: argparse.Action) -> str:
        text = action.help or ""
        said = self._say(text)
        return super()._expand_help(action) if said == text else said

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{line}" for line in wrap_help(text, width - len(indent)))


class HelpParser(argparse.ArgumentParser):
    """A parser whose help and errors are translated and wrapped; parsers of its commands are alike.

    `about` is a line without a full stop, which begins the description. `examples` are rows for
    `example_lines`. `ending` builds the last part of the help only if somebody asks for help.
    `hint` says for a word that the parser does not know what the person may want; None: nothing.
    """

    def __init__(
        self,
        *args: Any,
        about: str = "",
        examples: Sequence[tuple[str, str | Phrase]] = (),
        ending: Callable[[], str] | None = None,
        hint: Callable[[str], Phrase | None] = lambda word: None,
        **more: Any,
    ) -> None:
        super().__init__(*args, **(more | {"formatter_class": HelpFormatter, "add_help": False}))
        self.about = about
        self.examples = examples
        self.epilog_builder = ending
        self.hint = hint
        self._positionals.title = "help.arguments"
        self._optionals.title = "help.options"
        self.add_argument("-h", "--help", action="help", help="help.help")

    def format_help(self) -> str:
        """Return the whole help."""
        made = self._get_formatter()
        made.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        made.add_text(self._first_sentence())
        made.add_text(self.description)
        if self.examples:
            made.add_text("\n".join(example_lines(self.examples)))
        for group in self._ordered_groups():
            made.start_section(group.title)
            made.add_text(group.description)
            made.add_arguments(group._group_actions)
            made.end_section()
        made.add_text(self.epilog_builder() if self.epilog_builder is not None else self.epilog)
        return _fit(made.format_help(), help_columns())

    def _first_sentence(self) -> str:
        if self.about:
            about = help_renderer()(phrase(self.about))
        else:
            about = ""
        return f"{about[0].upper()}{about[1:]}." if about else ""

    def _ordered_groups(self) -> "list[argparse._ArgumentGroup]":
        """Return the groups; options that every command has are last, under "more"."""
        groups = [one for one in self._action_groups if one is not self._optionals]
        if any(_options(one) for one in groups):
            self._optionals.title = "help.group.more"
        return [*groups, self._optionals]

    def parse_known_args(self, *args: Any, **more: Any) -> tuple[Any, list[str]]:
        """Parse the words; the parser of a command itself reports words that it does not know."""
        found, rest = super().parse_known_args(*args, **more)
        if rest:
            self._unknown_words(rest)
        return found, rest

    def _unknown_words(self, words: list[str]) -> NoReturn:
        """Print that these words are unknown, and what may be meant, and exit."""
        say = help_renderer()
        said = [say(phrase("usage.unknown", words=" ".join(words)))]
        word = words[0].partition("=")[0]
        named = tuple(name for name in self._option_string_actions if name.startswith("--"))
        if word.startswith("-") and (near := near_names(word, named)):
            said.append(say(phrase("usage.near", near=", ".join(near))))
        elif hint := self.hint(word):
            said.append(say(hint))
        self._exit_with("\n".join(said))

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        """Print a message. argparse itself says nothing of an output that does not take it."""
        (file or sys.stderr).write(message)

    def error(self, message: str) -> NoReturn:
        """Print the usage, the error and what to do, and exit."""
        say = help_renderer()
        said = argparse_error(message)
        self._exit_with(said if isinstance(said, str) else say(said))

    def _exit_with(self, told: str) -> NoReturn:
        say = help_renderer()
        after = say(phrase("usage.next", command=f"{self.prog} --help"))
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {told}\n{after}\n")


def _options(group: "argparse._ArgumentGroup") -> list[argparse.Action]:
    return [one for one in group._group_actions if one.option_strings]


def _fit(text: str, width: int) -> str:
    """Break lines that are wider than `width`, such as long names of options in a narrow terminal."""
    lines: list[str] = []
    for line in text.splitlines():
        indent = " " * min(len(line) - len(line.lstrip()) + 4, width // 2)
        lines += (
            textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)
            if len(line) > width
            else [line]
        )
    return "".join(f"{line}\n" for line in lines)


def add_commands(
    made: argparse.ArgumentParser, name: str = "command", *, required: bool = True
) -> "argparse._SubParsersAction[argparse.ArgumentParser]":
    """Return the place for the commands of a program. Their choice is `name` of the result."""
    return made.add_subparsers(
        dest=name,
        required=required,
        metavar=help_renderer()(phrase("help.metavar.command")),
        title="help.group.commands",
    )


def add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    about: str,
    **more: Any,
) -> HelpParser:
    """Add a command to the commands of a program, and return its parser. `about` is its line in the
    list of commands; `more` is for `HelpParser`.
    """
    made = commands.add_parser(name, help=about, about=about, **more)
    assert isinstance(made, HelpParser)
    return made
