"""Functions that numba compiles, where the extra `science` is installed; else importing this is an
ImportError.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


@contextmanager
def _without_yaml() -> Iterator[None]:
    """Let nothing find PyYAML, for as long as numba is imported.

    numba reads `.numba_config.yaml` in the working directory, and does so with PyYAML. That file
    can name a folder of compiled functions. numba unpickles what lies there, so a folder of
    downloads could run code beside the keys.
    """
    found = sys.modules.get("yaml")
    # An import fails where None stands.
    sys.modules["yaml"] = None  # type: ignore[assignment]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "A Numba config file is found")
            yield
    finally:
        del sys.modules["yaml"]
        if found is not None:
            sys.modules["yaml"] = found


# numba would load `libsvml` by its bare name. macOS looks for such a name in the working directory,
# too.
os.environ.setdefault("NUMBA_DISABLE_INTEL_SVML", "1")

with _without_yaml():
    from numba import njit
    from numba.core import config

# numba looks for its file again whenever it compiles.
config._config_fname = ""


def compile_function(function: F) -> F:
    """Compiled when it is first called, and kept for the next program if numba finds a place on
    disk that it may write.

    Other threads go on while it runs. What it calls must stand in its own file: numba does not
    notice when another one has changed.
    """
    try:
        made: Any = njit(cache=True, nogil=True)(function)
    except RuntimeError:
        made = njit(nogil=True)(function)
    found: F = made
    return found
