"""Messages between a page and its program, without a transport.

A page sends requests. Each has a name and fields, and is answered by a value, a file or a refusal.
HTTP carries them (`player.ui.web.http.message_routes`), or a port (`player.ui.web.page_port`).
"""

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from player.ui.web.stream import StreamEvent
from protocol.errors import LocalError
from protocol.limits import MAX_PAGE_BODY
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Translate, phrase_renderer

BINARY = "application/octet-stream"
NO_SETTINGS: Mapping[str, str | int] = MappingProxyType({})
NO_FIELDS: Mapping[str, type] = MappingProxyType({})
RunWork = Callable[[Callable[[], Any]], Awaitable[Any]]  # does work that takes a while


@dataclass(frozen=True)
class Request:
    """A request of a page. `fields` and `file` are unchecked: `Responder.answer` checks them."""

    name: str
    fields: object = field(default_factory=dict)
    file: object = None


@dataclass(frozen=True)
class Value:
    """A JSON value as the answer. `data` is None if there is nothing to return."""

    data: Any = None


@dataclass(frozen=True)
class File:
    """A file as the answer. `name` is empty if the file is not to be saved."""

    name: str
    data: bytes
    kind: str = BINARY


class RefusalCode(StrEnum):
    """The reason of a refusal, for programs."""

    WRONG = "wrong"  # no request of this page
    NOTHING = "nothing"  # the requested thing does not exist
    STALE = "stale"  # the page shows an old snapshot
    TOO_LARGE = "too_large"
    REFUSED = "refused"  # cannot be done now
    BUSY = "busy"  # too many requests at once


@dataclass(frozen=True)
class Refusal:
    """A refusal as the answer. `error` is a sentence for the person."""

    code: RefusalCode
    error: str
    more: Mapping[str, Any] = field(default_factory=dict)  # further values, by name

    def body(self) -> dict[str, Any]:
        """Return the sentence and the further values."""
        return {"error": self.error, **self.more}


Reply = Value | File | Refusal


class PageLanguage(NamedTuple):
    """The language of a page, the page's own labels by key, and the person's settings."""

    language: str
    labels: Mapping[str, str]
    settings: Mapping[str, str | int] = NO_SETTINGS


class RequestSpec(NamedTuple):
    """Description of a request: its handler, its fields with their types, and its file."""

    # gets the fields, or the file alone if there are no fields; otherwise the file is the field `file`
    handler: Callable[[Any], Awaitable[Reply]]
    fields: Mapping[str, type] = NO_FIELDS  # a `list` contains whole numbers
    optional: Mapping[str, type] = NO_FIELDS
    most_file: int = 0  # bytes; 0: this request has no file


class BadRequest(Exception):
    """The request is no request of this page. The argument is the reply."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal


class Responder(ABC):
    """Answers the requests of one kind of page."""

    # all requests, by name
    requests: Mapping[str, RequestSpec] = MappingProxyType({})

    @abstractmethod
    def language(self) -> Translate:
        """Return the language of the page."""

    def events(self, last: str | None) -> AsyncGenerator[StreamEvent | None, None]:
        """Return the events for a page whose last event had the mark `last`. None: no event for
        `PAGE_BEAT_SECONDS`. The page of a replay has no events.
        """
        return _no_events()

    async def answer(self, request: Request) -> Reply:
        """Check a request, and answer it."""
        spec = self.requests.get(request.name)
        if spec is None:
            return self.refuse(RefusalCode.NOTHING, "web.nothing")
        try:
            return await spec.handler(self._checked(request, spec))
        except BadRequest as error:
            return error.refusal
        except LocalError as error:
            return Refusal(RefusalCode.REFUSED, self.say(error.phrase))

    def refuse(self, code: RefusalCode, key: str, **values: int) -> Refusal:
        """Return a refusal with this sentence."""
        return Refusal(code, self.say(phrase(key, **values)))

    def say(self, text: Phrase) -> str:
        """Return a phrase as a sentence in the language of the page."""
        return phrase_renderer(self.language(), ())(text)

    def _checked(self, request: Request, spec: RequestSpec) -> Any:
        """Return the fields, the file, or the fields with the file. Raises: BadRequest."""
        if spec.most_file == 0:
            if request.file is not None:
                raise self.wrong()
            return self._checked_fields(request.fields, spec)
        fields = self._checked_fields(request.fields, spec)
        if not isinstance(request.file, bytes):
            raise self.wrong()
        if len(request.file) > spec.most_file:
            raise self._too_large(spec.most_file)
        return {**fields, "file": request.file} if spec.fields else request.file

    def _checked_fields(self, given: Any, spec: RequestSpec) -> dict[str, Any]:
        """Return the fields as JSON has them. Raises: BadRequest."""
        try:
            encoded = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
            # fails for half of a surrogate pair, which is no text
            size = len(encoded.encode())
            fields = json.loads(encoded)
        except (TypeError, ValueError, RecursionError):
            raise self.wrong() from None
        if size > MAX_PAGE_BODY:
            raise self._too_large(MAX_PAGE_BODY)
        types = {**spec.fields, **spec.optional}
        if not isinstance(fields, dict) or not spec.fields.keys() <= fields.keys() <= types.keys():
            raise self.wrong()
        if not all(_fits(value, types[name]) for name, value in fields.items()):
            raise self.wrong()
        return fields

    def wrong(self) -> BadRequest:
        """Return the error for a request that no page of ours sends."""
        return BadRequest(self.refuse(RefusalCode.WRONG, "web.wrong"))

    def _too_large(self, most: int) -> BadRequest:
        return BadRequest(self.refuse(RefusalCode.TOO_LARGE, "web.too_large", most=most))


async def _no_events() -> AsyncGenerator[StreamEvent | None, None]:
    events: tuple[StreamEvent, ...] = ()
    for event in events:
        yield event


def _fits(value: Any, kind: type) -> bool:
    if isinstance(value, list) and not all(type(each) is int for each in value):
        return False
    return type(value) is kind
