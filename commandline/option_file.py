"""TOML file with the options of a command: one key for each long option. The command line wins.

A flag is `true` or `false`. An option that may be given again is an array of texts. Numbers are
whole numbers, and everything else is a text.
"""

import argparse
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

from commandline.rule_file import RuleFile
from protocol.errors import LocalError
from protocol.i18n.argument_errors import WrongArgument
from protocol.i18n.help_parser import help_columns, help_renderer, wrap_help
from protocol.i18n.near_names import near_names
from protocol.options import or_phrase
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say

CONFIG_FLAG, IGNORE_FLAG, SHOW_FLAG = "--config", "--config-ignore", "--show-config"
# options that no file has: they are about the file, or about nothing that runs
NOT_IN_FILE = frozenset({"help", "config", "config-ignore", "show-config"})
PATHS = frozenset({"DIR", "FILE", "SOCKET"})  # metavars of options in whose values `~` is a home
_UNSET = object()


class Source(StrEnum):
    """The place that an option's value comes from."""

    DEFAULT = "default"
    FILE = "file"
    COMMAND_LINE = "command_line"


_SOURCES = {
    Source.DEFAULT: "config.source.default",
    Source.FILE: "config.source.file",
    Source.COMMAND_LINE: "config.source.command_line",
}


class FileFlags(NamedTuple):
    """The file that a command line names, and the keys in it that do not count."""

    path: Path | None
    ignored: frozenset[str]


class Settings(NamedTuple):
    """The options of a command, and where each value comes from, by long name."""

    options: argparse.Namespace
    sources: dict[str, Source]


def add_file_flags(made: "argparse._ActionsContainer") -> None:
    """Add the flags about the file, so that `--help` shows them. `take_file_flags` has already
    removed the first two from the command line.
    """
    for flag, metavar, text in (
        (CONFIG_FLAG, "FILE", "help.flag.config"),
        (IGNORE_FLAG, "KEY", "help.flag.config_ignore"),
    ):
        made.add_argument(
            flag, metavar=metavar, action="append", type=_reject_short_flag(flag), help=text
        )
    made.add_argument(SHOW_FLAG, action="store_true", help="help.flag.show_config")


def _reject_short_flag(flag: str) -> Callable[[str], object]:
    def reject(value: str) -> object:
        raise WrongArgument("usage.in_full", flag=flag, name=value)

    return reject


def take_file_flags(words: Sequence[str]) -> tuple[FileFlags, list[str]]:
    """Return the flags about the file, and the other words. Raises: LocalError for two files."""
    reader = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    reader.add_argument(CONFIG_FLAG, action="append", default=[], nargs="?", dest="files")
    reader.add_argument(IGNORE_FLAG, action="append", default=[], nargs="?", dest="ignored")
    found, rest = reader.parse_known_args(words)
    if len(found.files) > 1 or None in found.files or None in found.ignored:
        raise LocalError("wrong.config.flag")
    path = Path(found.files[0]) if found.files else None
    return FileFlags(path, frozenset(found.ignored)), rest


def file_words(flags: FileFlags, ignored: Iterable[str] = ()) -> list[str]:
    """Return the flags about the file for a child process, which ignores more keys."""
    if flags.path is None:
        return []
    keys = sorted({*flags.ignored, *ignored})
    return [f"{CONFIG_FLAG}={flags.path}", *(f"{IGNORE_FLAG}={key}" for key in keys)]


def read_option_file(flags: FileFlags) -> dict[str, Any]:
    """Return the values that count, by key; none if no file is named. Raises: LocalError."""
    if flags.path is None:
        return {}
    shown = str(flags.path)
    try:
        found = tomllib.loads(flags.path.read_text("utf-8"))
    except OSError as error:
        raise LocalError("wrong.config.read", path=shown, why=str(error.strerror)) from None
    except RecursionError:
        raise LocalError("wrong.config.toml", path=shown, why="nested too deeply") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LocalError("wrong.config.toml", path=shown, why=str(error)) from None
    return {key: value for key, value in found.items() if key not in flags.ignored}


def option_actions(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """Return the options that a file may have, by long name without dashes, in order."""
    return {
        action.option_strings[-1].removeprefix("--"): action
        for action in parser._actions
        if action.option_strings
        and action.option_strings[-1].startswith("--")
        and action.option_strings[-1].removeprefix("--") not in NOT_IN_FILE
    }


def parse_given(parser: argparse.ArgumentParser, words: Sequence[str]) -> dict[str, Any]:
    """Return the values of the options that a command line gives, by destination. Exits as argparse
    does if the command line is wrong.
    """
    # argparse adds to a copy of what an option has that may be given again
    unset = {
        action.dest: None if isinstance(action.default, list) or _is_list(action) else _UNSET
        for action in parser._actions
    }
    found = vars(parser.parse_args(words, argparse.Namespace(**unset)))
    return {
        name: value
        for name, value in found.items()
        if value is not _UNSET and not (value is None and unset[name] is None)
    }


def merge(
    parser: argparse.ArgumentParser,
    given: Mapping[str, Any],
    values: Mapping[str, Any],
    path: Path | None,
    *,
    untyped: frozenset[str] = frozenset(),
    checks: Mapping[str, Callable[[Any], object]] = {},
) -> Settings:
    """Return all options: those of the command line (`parse_given`), then those of the file, then
    the defaults. `untyped` are keys whose type only rejects what reaches the parser. `checks` raise
    LocalError for a value of a key that nobody may give.

    Raises: LocalError that names the file, the key, and what is allowed.
    """
    actions = option_actions(parser)
    options = parser.parse_args([])
    for name, value in given.items():
        setattr(options, name, value)
    sources = {
        key: Source.COMMAND_LINE if action.dest in given else Source.DEFAULT
        for key, action in actions.items()
    }
    for key, value in values.items():
        if key not in actions:
            raise _unknown_key(key, actions, path)
        action = actions[key]
        try:
            read = _read_value(action, value, convert=key not in untyped)
            if key in checks and read is not None:
                checks[key](read)
        except LocalError as error:
            raise LocalError(
                "wrong.config.value", path=str(path), key=key, what=error.phrase
            ) from None
        if sources[key] is Source.DEFAULT:
            setattr(options, action.dest, read)
            sources[key] = Source.FILE
    return Settings(options, sources)


def check_ignored(parser: argparse.ArgumentParser, flags: FileFlags) -> None:
    """Raises: LocalError if the command line ignores a key that no file has."""
    actions = option_actions(parser)
    for key in sorted(flags.ignored - actions.keys()):
        raise _unknown_key(key, actions, IGNORE_FLAG)


def _unknown_key(key: str, names: Iterable[str], where: object) -> LocalError:
    near = near_names(key, tuple(names))
    if near:
        return LocalError("wrong.config.key.near", path=str(where), key=key, near=or_phrase(near))
    return LocalError("wrong.config.key", path=str(where), key=key)


def _is_list(action: argparse.Action) -> bool:
    return isinstance(action, argparse._AppendAction)


def _is_flag(action: argparse.Action) -> bool:
    return isinstance(action, argparse._StoreTrueAction)


def _is_number(action: argparse.Action) -> bool:
    kind = action.type
    if kind is int:
        return True
    return callable(kind) and get_type_hints(kind).get("return") is int


def _read_value(action: argparse.Action, value: Any, *, convert: bool) -> Any:
    """Return the value of a file as argparse has it. Raises: LocalError that says what is
    allowed.
    """
    if action.choices is not None and value not in action.choices:
        names = ", ".join(map(str, action.choices))
        raise LocalError("usage.choice", word=_shown(value), names=names)
    kinds, wrong = _allowed(action)
    if type(value) not in kinds:
        raise wrong
    if isinstance(value, list):
        if any(type(each) is not str for each in value):
            raise wrong
        if not value:
            return action.default
        return [_convert(action, each) for each in value] if convert else value
    if _is_flag(action):
        return value
    if type(value) is bool:
        return action.const if value else action.default
    return _convert(action, str(value)) if convert else value


def _allowed(action: argparse.Action) -> tuple[tuple[type, ...], LocalError]:
    """Return the types that a file may have for an option, and the error for any other."""
    metavar = str(action.metavar)
    if _is_flag(action):
        return (bool,), LocalError("config.allowed.flag")
    if _is_list(action):
        return (list,), LocalError("config.allowed.list", metavar=metavar)
    if action.nargs == "?":
        return (bool, int, str), LocalError("config.allowed.maybe")
    if _is_number(action):
        return (int,), LocalError("config.allowed.number")
    return (str,), LocalError("config.allowed.text", metavar=metavar)


def _convert(action: argparse.Action, text: str) -> Any:
    """Raises: LocalError."""
    if action.metavar in PATHS and text.startswith("~"):
        try:
            text = str(Path(text).expanduser())
        except RuntimeError:
            raise LocalError("config.allowed.home", home=Path(text).parts[0]) from None
    if action.type is None:
        return text
    assert callable(action.type)
    try:
        return action.type(text)
    except WrongArgument as error:
        raise LocalError(error.phrase) from None
    except ValueError:
        raise LocalError("config.allowed.number") from None


def changed_keys(
    parser: argparse.ArgumentParser, old: argparse.Namespace, new: argparse.Namespace
) -> list[str]:
    """Return the keys whose values differ, in the order of the options."""
    return [
        key
        for key, action in option_actions(parser).items()
        if _compared(old, action) != _compared(new, action)
    ]


def _compared(options: argparse.Namespace, action: argparse.Action) -> Any:
    value = getattr(options, action.dest)
    return value or [] if _is_list(action) else value


# --- writing ---


def settings_text(parser: argparse.ArgumentParser, settings: Settings) -> str:
    """Return the options in force as a file that `read_option_file` takes, with the source of each
    value as a comment.
    """
    say = help_renderer()
    lines = [f"# {say(phrase('config.in_force'))}"]
    for title, actions in _groups(parser, say):
        lines += ["", f"# {title}"]
        for key, action in actions.items():
            value = _file_value(action, getattr(settings.options, action.dest))
            source = say(phrase(_SOURCES[settings.sources[key]]))
            if value is None:
                lines.append(f"# {key}: {say(phrase('config.unset'))}")
            else:
                lines.append(f"{key} = {toml_value(value)}  # {source}")
    return "".join(f"{line}\n" for line in lines)


def sample_text(parser: argparse.ArgumentParser, first: Sequence[str]) -> str:
    """Return a file in which every key stands as a comment, under its help text. `first` are the
    lines of comment at the beginning.
    """
    say = help_renderer()
    formatter = parser._get_formatter()
    lines = [f"# {line}".rstrip() for line in first]
    for title, actions in _groups(parser, say):
        lines += ["", "", f"# --- {title} ---"]
        for key, action in actions.items():
            about = formatter._expand_help(action)
            lines += ["", *(f"# {line}" for line in wrap_help(about, help_columns() - 2))]
            lines.append(f"#{key} = {_sample_value(action)}")
    return "".join(f"{line}\n" for line in lines)


def _groups(
    parser: argparse.ArgumentParser, say: Say
) -> list[tuple[str, dict[str, argparse.Action]]]:
    names = {action: key for key, action in option_actions(parser).items()}
    groups = [
        (
            say(phrase(group.title or "help.group.more")),
            {names[action]: action for action in group._group_actions if action in names},
        )
        for group in parser._action_groups
    ]
    return [(title, actions) for title, actions in groups if actions]


def _sample_value(action: argparse.Action) -> str:
    if _is_flag(action):
        return "true"
    if _is_list(action):
        return f"[{toml_value(str(action.metavar))}]"
    if action.choices is not None:
        return toml_value(action.default or next(iter(action.choices)))
    if action.nargs == "?":
        return "true"
    if action.default is not None:
        return toml_value(_file_value(action, action.default))
    return str(action.metavar) if _is_number(action) else toml_value(str(action.metavar))


def _file_value(action: argparse.Action, value: Any) -> Any:
    """Return a value of argparse as a file has it; None if it is not set."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return _plain(value)


def _plain(value: Any) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case RuleFile():
            return str(value.path)
        case (name, option_value):
            return f"{name}={option_value}"
    return str(value)


def toml_value(value: bool | int | str | list[str]) -> str:
    """Return a value in TOML."""
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    # strings of JSON are strings of TOML, except for this character
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    return toml_value(value) if type(value) in (bool, int) else "…"


def said_of_file(path: Path | None, said: Phrase) -> Phrase:
    """Return an error about options that a file may have set: it names the file."""
    return said if path is None else phrase("wrong.config.options", path=str(path), why=said)
