"""Text format of the option `rows`, such as `1-3-5-7`."""

import re
from typing import Final

from protocol.limits import MAX_NIM_ROW, MAX_NIM_ROWS
from protocol.options import TextFormat, Value
from protocol.view.phrase import phrase

EXAMPLE_ROWS: Final = "1-3-5-7"
_ROWS_PATTERN: Final = re.compile(r"[1-9][0-9]*(-[1-9][0-9]*)*", re.ASCII)


def parse_rows(value: Value) -> tuple[int, ...] | None:
    """Parse rows from a text such as `1-3-5-7`; None if the text is malformed or exceeds the
    limits. A single number is one row.
    """
    if not _ROWS_PATTERN.fullmatch(str(value)):
        return None
    rows = tuple(map(int, str(value).split("-")))
    return rows if len(rows) <= MAX_NIM_ROWS and max(rows) <= MAX_NIM_ROW else None


ROWS_FORMAT: Final = TextFormat(
    lambda value: parse_rows(value) is not None,
    phrase("option.rows.form", example=EXAMPLE_ROWS, rows=MAX_NIM_ROWS, most=MAX_NIM_ROW),
)
