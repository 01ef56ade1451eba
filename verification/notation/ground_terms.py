"""Parser for messages without variables, as the intruder sends them."""

from collections.abc import Iterable, Mapping

from protocol.limits import MAX_PROTOCOL_DEPTH
from protocol.view.phrase import phrase
from verification.notation.message_parser import MessageParser
from verification.notation.tokens import Token
from verification.terms import (
    APPLY,
    ASYMMETRIC,
    CONSTANT,
    EXPONENT,
    FRESH,
    PAIR,
    SYMMETRIC,
    Term,
    list_items,
    subterms,
    text,
)

Atoms = Mapping[str, Term]


def atoms_in(messages: Iterable[Term]) -> dict[str, Term]:
    """Map the texts of constants and fresh values in `messages` to these atoms."""
    parts = (part for message in messages for part in subterms(message))
    return {text(part): part for part in parts if part.kind in (CONSTANT, FRESH)}


def term_of(found: list[Token], atoms: Atoms) -> Term:
    """Parse a message from its tokens (`ground_tokens`). `atoms` are the permitted names. Raises:
    NotationError.
    """
    reader = _Ground(found, atoms)
    message = reader.message()
    if reader.next.text:
        reader.wrong(phrase("notation.end"))
    return message


def can_write(message: Term, atoms: Atoms) -> bool:
    """Check that the text of a message (`terms.text`) would be parsed to the same message."""
    parts = [part for part in subterms(message) if not part.args]
    return all(atoms.get(text(part)) == part for part in parts) and _message_fits(message, 0)


def _message_fits(message: Term, depth: int) -> bool:
    """Check the depth of a list or a single part. Each further part of a list counts one level
    deeper.
    """
    return all(_fits(part, depth + at) for at, part in enumerate(list_items(message)))


def _fits(term: Term, depth: int) -> bool:
    """Check the depth of a part. A list inside has brackets, which count as a level."""
    if depth > MAX_PROTOCOL_DEPTH:
        return False
    if term.kind is PAIR:
        return _message_fits(term, depth + 1)
    if term.kind in (SYMMETRIC, ASYMMETRIC):
        return _message_fits(term.args[0], depth + 1) and _fits(term.args[1], depth + 1)
    if term.kind is APPLY:
        return _message_fits(term.args[1], depth + 1)
    if any(arg.kind is PAIR for arg in term.args):  # inv and exp take no list
        return False
    if term.kind is EXPONENT:
        base, *powers = term.args
        behind = enumerate(reversed(powers))
        raised = all(_fits(power, depth + at + 2) for at, power in behind)
        return raised and _fits(base, depth + len(powers))
    return all(_fits(arg, depth + 1) for arg in term.args)


class _Ground(MessageParser):
    """Parser for one message with known names only."""

    def __init__(self, found: list[Token], atoms: Atoms) -> None:
        super().__init__(found)
        self._atoms = atoms
        self.sorts = {name: atom.sort for name, atom in atoms.items()}

    def _call(self, token: Token, depth: int) -> Term:
        """Parse a fresh value such as `NA(1)`, or a function application."""
        if not self.after.text.isdigit():
            return super()._call(token, depth)
        self.take()
        number = self.take().text
        self.expect(")")
        return self._found(token, f"{token.text}({number})")

    def _known(self, token: Token) -> Term:
        return self._found(token, token.text)

    def _atom(self, token: Token) -> Term:
        return self._found(token, token.text)

    def _found(self, token: Token, name: str) -> Term:
        if name not in self._atoms:
            raise token.wrong(phrase("notation.a.thing"))
        return self._atoms[name]
