"""Argument parser with a long ending of its `--help` text, which is built only on request."""

import argparse
from collections.abc import Callable
from typing import Any


class HelpParser(argparse.ArgumentParser):
    """Parser that calls `ending` for the end of its help text. Subparsers have the same class. Line
    breaks in the text stay as they are.
    """

    def __init__(self, *args: Any, ending: Callable[[], str] | None = None, **more: Any) -> None:
        super().__init__(*args, **{"formatter_class": argparse.RawDescriptionHelpFormatter} | more)
        self.epilog_builder = ending

    def format_help(self) -> str:
        """Return the complete help text."""
        if self.epilog_builder is not None:
            self.epilog = self.epilog_builder()
        return super().format_help()
