"""QR codes as an SVG path."""

from typing import Any


def qr_code(text: str) -> dict[str, Any]:
    """Return a QR code: the path of its dark squares, each one unit, and the number of squares on a
    side.
    """
    import segno  # a page shows a code only when somebody asks for one

    rows = segno.make(text, micro=False).matrix
    dark = (f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, bit in enumerate(row) if bit)
    return {"path": "".join(dark), "size": len(rows)}
