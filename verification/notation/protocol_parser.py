"""Parser for a protocol: its sections in fixed order, with every name declared before its use."""

from collections.abc import Sequence

from protocol.limits import (
    MAX_PROTOCOL_AGENTS,
    MAX_PROTOCOL_GOALS,
    MAX_PROTOCOL_MESSAGES,
    MAX_PROTOCOL_STEPS,
)
from protocol.text_files import plain_text
from protocol.view.phrase import phrase
from verification.notation.message_parser import SORTS, MessageParser, sign
from verification.notation.tokens import NotationError, Token, tokenize
from verification.protocol_model import (
    ChannelEnd,
    ChannelKind,
    Goal,
    GoalKind,
    InitialKnowledge,
    MessageAction,
    Protocol,
)
from verification.terms import Sort, Term

ARROWS = tuple(arrow.value for arrow in ChannelKind)
Pairs = tuple[tuple[Term, Term], ...]


def parse_protocol(text: str) -> Protocol:
    """Parse the text of a protocol. Raises: NotationError, with the position and the expected
    token.
    """
    return protocol_of(tokenize(text))


def protocol_of(found: list[Token]) -> Protocol:
    """Parse a protocol from its tokens. Raises: NotationError."""
    return _ProtocolParser(found).protocol()


def decode_protocol(data: bytes) -> Protocol:
    """Parse a file. Raises: NotationError, also for text that is not UTF-8."""
    data = plain_text(data)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise NotationError(
            line, column, phrase("notation.a.token"), phrase("notation.no_text")
        ) from None
    return parse_protocol(text)


class _ProtocolParser(MessageParser):
    """Parser for a whole protocol."""

    def protocol(self) -> Protocol:
        self.section("Protocol")
        name = self.name(phrase("notation.a.name")).text
        self.section("Types")
        self._types()
        self.section("Knowledge")
        knowledge = self._knowledge()
        where = self._where()
        self.section("Actions")
        actions = self._actions()
        self.section("Goals")
        goals = self._goals()
        return Protocol(name, knowledge, actions, goals, where, self.unsupported)

    def _types(self) -> None:
        while not self.sorts or not self.at("Knowledge"):
            if not self.at(*SORTS):
                self.wrong(phrase("notation.a.type", types=", ".join(SORTS)))
            sort = Sort(self.take().text)
            for _ in self.separated():
                self._declare(sort)
            self._semicolon("Knowledge")

    def _declare(self, sort: Sort) -> None:
        token = self.name(phrase("notation.a.name"))
        if token.text in self.sorts:
            raise token.wrong(phrase("notation.a.new"))
        self.sorts[token.text] = sort
        if sort is Sort.AGENT and list(self.sorts.values()).count(Sort.AGENT) > MAX_PROTOCOL_AGENTS:
            raise token.wrong(phrase("notation.fewer.agents", most=MAX_PROTOCOL_AGENTS))

    def _semicolon(self, *ends: str) -> None:
        """Consume the semicolon between two parts of a section. It may be missing before the next
        section.
        """
        if not self.accept(";") and not self.at(*ends):
            self.wrong(phrase("notation.or", one=sign(";"), other=sign(ends[0])))

    def _knowledge(self) -> tuple[InitialKnowledge, ...]:
        found: list[InitialKnowledge] = []
        while not found or not self.at("where", "Actions"):
            token = self.next
            role = self.agent()
            if token.text in self.roles:
                raise token.wrong(phrase("notation.a.role.once"))
            self.roles.add(token.text)
            self.expect(":")
            found.append(InitialKnowledge(role, self._several()))
            self._semicolon("Actions", "where")
        return tuple(found)

    def _several(self) -> tuple[Term, ...]:
        found: list[Term] = []
        for _ in self.separated():
            if len(found) == MAX_PROTOCOL_MESSAGES:
                self.wrong(phrase("notation.fewer.messages", most=MAX_PROTOCOL_MESSAGES))
            found.append(self.single(0))
        return tuple(found)

    def _where(self) -> Pairs:
        if self.accept("where"):
            different = tuple(self._unequal() for _ in self.separated())
        else:
            different = ()
        self.accept(";")
        return different

    def _unequal(self) -> tuple[Term, Term]:
        left = self.agent()
        self.expect("!=")
        return left, self.agent()

    def _actions(self) -> tuple[MessageAction, ...]:
        found: list[MessageAction] = []
        while not found or not self.at("Goals"):
            if found and not self.next.text:
                self.wrong(sign("Goals"))
            if len(found) == MAX_PROTOCOL_STEPS:
                self.wrong(phrase("notation.fewer.steps", most=MAX_PROTOCOL_STEPS))
            sender, arrow, receiver = self._channel(ARROWS)
            found.append(MessageAction(sender, arrow, receiver, self.message()))
            self.accept(";")
        return tuple(found)

    def _channel(self, arrows: Sequence[str]) -> tuple[ChannelEnd, ChannelKind, ChannelEnd]:
        sender = self._end()
        if not self.at(*arrows):
            self.wrong(phrase("notation.an.arrow", arrows=", ".join(arrows)))
        arrow = ChannelKind(self.take().text)
        receiver = self._end()
        self.expect(":")
        return sender, arrow, receiver

    def _end(self) -> ChannelEnd:
        if not self.accept("["):
            return ChannelEnd(self.role())
        agent = self.role()
        self.expect("]")
        return ChannelEnd(agent, pseudonymous=True)

    def _goals(self) -> tuple[Goal, ...]:
        found: list[Goal] = []
        while not found or self.next.text:
            if len(found) == MAX_PROTOCOL_GOALS:
                self.wrong(phrase("notation.fewer.goals", most=MAX_PROTOCOL_GOALS))
            found.append(self._goal())
            self.accept(";")
        return tuple(found)

    def _goal(self) -> Goal:
        if self.after.text in ARROWS:
            sender, arrow, receiver = self._channel(ARROWS[1:])
            return Goal(GoalKind(arrow.value), (sender.agent, receiver.agent), self.message())
        if self.after.text in ("authenticates", "weakly"):
            return self._agreement()
        message = self.message()
        if not self.at("secret", "guessable"):
            self.wrong(phrase("notation.a.goal"))
        return self._secrecy(message)

    def _agreement(self) -> Goal:
        by = self.role()
        if self.accept("weakly"):
            aim = GoalKind.WEAK_AGREEMENT
        else:
            aim = GoalKind.AGREEMENT
        self.expect("authenticates")
        whom = self.role()
        self.expect("on")
        return Goal(aim, (by, whom), self.message())

    def _secrecy(self, message: Term) -> Goal:
        if self.accept("guessable"):
            aim = GoalKind.GUESSABLE
        else:
            aim = GoalKind.SECRET
        self.expect("secret")
        self.expect("between")
        return Goal(aim, tuple(self.role() for _ in self.separated()), message)
