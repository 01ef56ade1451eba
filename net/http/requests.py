"""Permitted requests, refusals, and files as answers."""

import asyncio
import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from protocol.limits import MAX_PAGE_BODY, MAX_PAGE_HEADERS, PAGE_SECONDS

OVERSIZE_FACTOR = 8  # a body up to this many times the limit is read to its end


class HttpError(Exception):
    """Refusal of a request, with a sentence by its key, a plain text, or other content."""

    def __init__(
        self, status: int, key: str = "", *, text: str = "", content: Any = None, **args: int
    ) -> None:
        super().__init__(status, key)
        self.status = status
        self.key = key
        self.text = text
        self.content = content
        self.args_ = args


def check_request_headers(headers: Headers, ours: Callable[[str], bool]) -> HttpError | None:
    """Check the headers of a request before anything else. Returns the refusal, or None.

    `ours` checks that a name belongs to this server.
    """
    if sum(len(name) + len(value) for name, value in headers.raw) > MAX_PAGE_HEADERS:
        return HttpError(431, "web.too_large", most=MAX_PAGE_HEADERS)
    host = headers.getlist("host")
    if len(host) != 1 or not ours(host[0]):
        return HttpError(421, "web.host")
    return None


async def read_body(request: Request, most: int) -> bytes:
    """Read the body of a request. Raises: HttpError if it is longer than `most`, or does not
    arrive.

    A body that is somewhat longer is read to its end and ignored. Otherwise a client that still
    sends would not receive the answer.
    """
    read = bytearray()
    size = int(request.headers.get("content-length", 0))
    if size <= OVERSIZE_FACTOR * most:
        size = 0
        try:
            async with asyncio.timeout(PAGE_SECONDS):
                async for chunk in request.stream():
                    size += len(chunk)
                    if size <= most:
                        read += chunk
                    if size > OVERSIZE_FACTOR * most:
                        break
        except TimeoutError:
            raise HttpError(408, "web.slow") from None
    if size > most:
        raise HttpError(413, "web.too_large", most=most)
    return bytes(read)


async def read_json_body(
    request: Request, fields: Mapping[str, type], optional: Collection[str] = ()
) -> dict[str, Any]:
    """Read a JSON object with exactly these fields; those in `optional` may be missing. A `list`
    contains whole numbers.

    Raises: HttpError.
    """
    try:
        value = json.loads(await read_body(request, MAX_PAGE_BODY) or b"{}")
        # fails for half of a surrogate pair, which is no text
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise HttpError(400, "web.wrong") from None
    if not isinstance(value, dict) or not set(fields) - set(optional) <= set(value) <= set(fields):
        raise HttpError(400, "web.wrong")
    if not all(_fits(value[name], fields[name]) for name in value):
        raise HttpError(400, "web.wrong")
    return value


def _fits(value: Any, kind: type) -> bool:
    if isinstance(value, list) and not all(type(each) is int for each in value):
        return False
    return type(value) is kind


def query_number(request: Request, name: str) -> int:
    """Return a whole number from the query. Raises: HttpError."""
    given = request.query_params.getlist(name)
    if len(given) != 1 or not (given[0].isascii() and given[0].isdigit() and len(given[0]) < 10):
        raise HttpError(400, "web.wrong")
    return int(given[0])


def file_response(name: str, data: bytes) -> Response:
    """Return a file for the browser to save, with the name's characters that a header permits."""
    named = re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)
    headers = {"Content-Disposition": f'attachment; filename="{named}"'}
    return Response(data, media_type="application/octet-stream", headers=headers)
