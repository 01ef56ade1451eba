"""Messages that are canonical MessagePack lists which start with a name, each in one frame."""

from collections.abc import Mapping
from typing import Generic, TypeVar, get_type_hints

from protocol import wire
from protocol.codes import Code, parse_code
from protocol.errors import RemoteError
from protocol.schema import Shape

Message = TypeVar("Message")


class NamedMessages(Generic[Message]):
    """All messages of one conversation.

    `kinds` has for each name the dataclass of its messages, and the shape of their fields in order.
    A field of type `Code` travels as its text; an unknown text is decoded as an internal fault.
    """

    def __init__(self, kinds: Mapping[str, tuple[type[Message], Shape]]) -> None:
        self._kinds = kinds
        self._names = {kind: name for name, (kind, _) in kinds.items()}
        self._types = {kind: tuple(get_type_hints(kind).values()) for kind in self._names}

    def encode(self, message: Message) -> bytes:
        """Return the message in its frame."""
        values = [
            str(value) if isinstance(value, Code) else value for value in vars(message).values()
        ]
        return wire.encode_frame(wire.encode([self._names[type(message)], *values]))

    def decode(self, payload: bytes) -> Message:
        """Read a message without its frame. Raises: RemoteError."""
        value = wire.decode(payload)
        if type(value) is not list or not value or type(value[0]) is not str:
            raise RemoteError(Code.BAD_MESSAGE)
        kind, shape = self._kinds.get(value[0], (None, None))
        if kind is None or shape is None or not shape(value[1:]):
            raise RemoteError(Code.BAD_MESSAGE)
        return kind(
            *(
                parse_code(item) if wanted is Code else item
                for wanted, item in zip(self._types[kind], value[1:], strict=True)
            )
        )
