"""Functions compiled by numba. Without the extra `science`, the import of this module raises
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
    """Hide PyYAML while numba is imported.

    numba reads `.numba_config.yaml` in the working directory with PyYAML. This file can name a
    folder of compiled functions, and numba unpickles the files in this folder. A folder of
    downloads could therefore run code in the program that has the keys.
    """
    found = sys.modules.get("yaml")
    # an entry of None makes the import of a module fail
    sys.modules["yaml"] = None  # type: ignore[assignment]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "A Numba config file is found")
            yield
    finally:
        del sys.modules["yaml"]
        if found is not None:
            sys.modules["yaml"] = found


# numba would load `libsvml` by its bare name, which macOS also looks up in the working directory
os.environ.setdefault("NUMBA_DISABLE_INTEL_SVML", "1")

with _without_yaml():
    from numba import njit
    from numba.core import config

# numba would look for its configuration file again before each compilation
config._config_fname = ""


def compile_function(function: F) -> F:
    """Compile a function at its first call, and cache the result on disk if numba finds a writable
    place.

    Other threads can run during the call. Functions that `function` calls must be in the same file:
    numba does not notice changes in other files.
    """
    try:
        made: Any = njit(cache=True, nogil=True)(function)
    except RuntimeError:
        made = njit(nogil=True)(function)
    found: F = made
    return found
