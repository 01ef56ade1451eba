"""A `--help` that ends with much that nobody else wants to know: it is put together for who
asks.
"""

import argparse
from collections.abc import Callable
from typing import Any


class HelpParser(argparse.ArgumentParser):
    """A parser whose `ending` says how its help ends; for `commands` of it, too. Line breaks stay
    as they are.
    """

    def __init__(self, *args: Any, ending: Callable[[], str] | None = None, **more: Any) -> None:
        super().__init__(*args, **{"formatter_class": argparse.RawDescriptionHelpFormatter} | more)
        self.epilog_builder = ending

    def format_help(self) -> str:
        """All of it."""
        if self.epilog_builder is not None:
            self.epilog = self.epilog_builder()
        return super().format_help()
