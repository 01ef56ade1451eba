"""Tokens of a rule file: words and signs, including line ends and indentation."""

import re
from typing import NamedTuple

from protocol.limits import MAX_RULE_FILE, MAX_RULE_INT, MAX_RULE_TEXT, MAX_RULE_TOKENS
from protocol.rules.errors import RuleFault
from protocol.view.harmless import first_unsafe

NAME = "name"
NUMBER = "number"
TEXT = "text"
LINE = "line"
INDENT = "indent"
DEDENT = "dedent"
END = "end"
KEYWORDS = frozenset(
    (
        "and",
        "break",
        "continue",
        "def",
        "elif",
        "else",
        "for",
        "if",
        "in",
        "not",
        "or",
        "pass",
        "return",
    )
)
CONSTANTS: dict[str, bool | None] = {"True": True, "False": False, "None": None}
# keywords of Python or Starlark that this language does not have
RESERVED = frozenset(
    (
        *(
            "as",
            "assert",
            "async",
            "await",
            "class",
            "del",
            "except",
            "finally",
            "from",
            "global",
            "import",
            "is",
        ),
        *("lambda", "load", "nonlocal", "raise", "try", "while", "with", "yield"),
    )
)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}
OPENING = "([{"
CLOSING = ")]}"

_TOKEN = re.compile(
    r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>[0-9][A-Za-z0-9_.]*)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\[^\n])*\"|'(?:[^'\\\n]|\\[^\n])*')"
    r"|(?P<sign>//|==|!=|<=|>=|\+=|-=|[-+*%<>=()\[\]{},:.])"
)
_SPACE = re.compile(r" *(?:#[^\n]*)?")
_ESCAPE = re.compile(r"\\(.)")
_LAST_ASCII = "~"


class RuleToken(NamedTuple):
    """A token. `kind` is a sign or a keyword itself, or one of the names above; `at` is an offset
    in the text.
    """

    kind: str
    value: int | str
    at: int


def tokenize(text: str) -> list[RuleToken]:
    """Split a file into tokens, with the end token last. Raises: RuleFault."""
    text = text.replace("\r\n", " \n")  # a space keeps the offsets unchanged
    _check_characters(text)
    return _Lexer(text).run()


def _check_characters(text: str) -> None:
    """Check that a file is short enough, and has no character that controls how it is shown: an
    author would read another text than the programs. Raises: RuleFault.
    """
    # bytes of another encoding, which are surrogates here, are named by their place below
    if len(text.encode(errors="surrogatepass")) > MAX_RULE_FILE:
        raise RuleFault(len(text), "rules.long", most=MAX_RULE_FILE)
    odd = first_unsafe(text.replace("\n", " "))
    if odd is not None:
        raise RuleFault(odd, "rules.tab" if text[odd] == "\t" else "rules.unsafe")


class _Lexer:
    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[RuleToken] = []
        self._open: list[int] = []  # offsets of open brackets
        self._indents = [0]

    def run(self) -> list[RuleToken]:
        at = 0
        while at < len(self._text):
            at = self._line(at)
        if self._open:
            raise RuleFault(self._open[-1], "rules.open", sign=self._text[self._open[-1]])
        self._dedent(0, len(self._text))
        self._add(END, "", len(self._text))
        return self._found

    def _add(self, kind: str, value: int | str, at: int) -> None:
        if len(self._found) >= MAX_RULE_TOKENS:
            raise RuleFault(at, "rules.tokens", most=MAX_RULE_TOKENS)
        self._found.append(RuleToken(kind, value, at))

    def _line(self, begin: int) -> int:
        """Process one line of the text. Returns the offset of the next one."""
        text = self._text
        end = self._text.find("\n", begin)
        end = len(text) if end < 0 else end
        at = self._after_space(begin)
        if at < end and not self._open:
            self._indent(at - begin, at)
        blank = at >= end
        while at < end:
            at = self._after_space(self._token(at))
        if not blank and not self._open:
            self._add(LINE, "", end)
        return end + 1

    def _after_space(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return found.end() if found else at

    def _indent(self, width: int, at: int) -> None:
        if width > self._indents[-1]:
            self._indents.append(width)
            self._add(INDENT, "", at)
        self._dedent(width, at)

    def _dedent(self, width: int, at: int) -> None:
        while width < self._indents[-1]:
            self._indents.pop()
            self._add(DEDENT, "", at)
        if width != self._indents[-1]:
            raise RuleFault(at, "rules.dedent", widths=", ".join(map(str, self._indents[:8])))

    def _token(self, at: int) -> int:
        found = _TOKEN.match(self._text, at)
        if found is None:
            raise RuleFault(at, *_bad_sign_key(self._text[at]))
        word = found[0]
        kind = found.lastgroup
        if kind == "name":
            self._name(word, at)
        elif kind == "number":
            self._add(NUMBER, _parse_number(word, at), at)
        elif kind == "text":
            if word in ('""', "''") and self._text[found.end() : found.end() + 1] == word[0]:
                raise RuleFault(at, "rules.quotes")
            self._add(TEXT, _unescape(word, at), at)
        else:
            self._bracket(word, at)
            self._add(word, "", at)
        return found.end()

    def _name(self, word: str, at: int) -> None:
        if word in RESERVED:
            raise RuleFault(at, "rules.reserved", word=word)
        self._add(word if word in KEYWORDS or word in CONSTANTS else NAME, word, at)

    def _bracket(self, sign: str, at: int) -> None:
        if sign in OPENING:
            self._open.append(at)
        elif sign in CLOSING and (
            not self._open or OPENING.index(self._text[self._open.pop()]) != CLOSING.index(sign)
        ):
            raise RuleFault(at, "rules.closing", sign=sign)


def _bad_sign_key(sign: str) -> tuple[str]:
    if sign > _LAST_ASCII:
        return ("rules.ascii",)
    return (
        {
            '"': "rules.unended",
            "'": "rules.unended",
            "\\": "rules.backslash",
            ";": "rules.semicolon",
        }.get(sign, "rules.sign"),
    )


def _parse_number(word: str, at: int) -> int:
    if not word.isdigit():
        raise RuleFault(at, "rules.number")
    if len(word) > 1 and word[0] == "0":
        raise RuleFault(at, "rules.zeros")
    if len(word) > len(str(MAX_RULE_INT)) or int(word) > MAX_RULE_INT:
        raise RuleFault(at, "rules.range", most=str(MAX_RULE_INT))
    return int(word)


def _unescape(word: str, at: int) -> str:
    body = word[1:-1]
    if len(body) > MAX_RULE_TEXT:
        raise RuleFault(at, "rules.text.long", most=MAX_RULE_TEXT)
    if "\\" not in body:
        return body
    for escape in _ESCAPE.finditer(body):
        if escape[1] not in ESCAPES:
            raise RuleFault(at + 1 + escape.start(), "rules.escape")
    return _ESCAPE.sub(lambda escape: ESCAPES[escape[1]], body)
