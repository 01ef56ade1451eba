"""Head of the HTTP request that opens a WebSocket, as bytes arrive."""

_METHOD = b"GET "
_END = b"\r\n\r\n"


class NotARequest(ValueError):
    """The bytes are not the head of such a request: they may be TLS, or of another program."""


def head_size(data: bytes) -> int | None:
    """Return the size of the head at the beginning of `data`; None as long as it is not complete.

    Raises: NotARequest as soon as the bytes cannot become a GET request.
    """
    if data[: len(_METHOD)] != _METHOD[: len(data)]:
        raise NotARequest
    end = data.find(_END)
    return None if end < 0 else end + len(_END)
