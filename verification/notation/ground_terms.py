"""A message with nothing left open, as the intruder sends it: read again from its text."""

from collections.abc import Iterable, Mapping

from protocol.view.phrase import phrase
from verification.notation.message_parser import MessageParser
from verification.notation.tokens import Token, ground_tokens
from verification.terms import CONSTANT, FRESH, Term, subterms, text

Atoms = Mapping[str, Term]


def atoms_in(messages: Iterable[Term]) -> dict[str, Term]:
    """All atoms of some messages that are no variables, by what they are written as."""
    parts = (part for message in messages for part in subterms(message))
    return {text(part): part for part in parts if part.kind in (CONSTANT, FRESH)}


def parse_term(written: str, atoms: Atoms) -> Term:
    """The message that is written so (`terms.text`), out of these atoms. Raises: NotationError."""
    reader = _Ground(ground_tokens(written), atoms)
    found = reader.message()
    if reader.next.text:
        reader.wrong(phrase("notation.end"))
    return found


class _Ground(MessageParser):
    """A reader of one message, in which every name is one of these."""

    def __init__(self, found: list[Token], atoms: Atoms) -> None:
        super().__init__(found)
        self._atoms = atoms
        self.sorts = {name: atom.sort for name, atom in atoms.items()}

    def _call(self, token: Token, depth: int) -> Term:
        """What a strand has made, `NA(1)`, or a function of something."""
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
