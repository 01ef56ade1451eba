"""ristretto255 by libsodium through rbcl.

This module works around three properties of rbcl 1.1:

- `crypto_core_ristretto255_add` and `_sub` silently return the identity if an argument is not a
  point. The wrappers that check arguments do nothing in an installed package.
- libsodium returns -1 for a product that is the identity, but still writes its encoding, 32 zero
  bytes. `..._allow_scalar_zero` returns that encoding; the plain wrapper would raise RuntimeError.
- Importing rbcl writes 2.8 MB of libsodium to the temp directory and leaves the file there. This
  module removes the file right after loading, because POSIX systems do not need it once it is
  mapped. Windows locks the file, so there it stays.

A program that plays or hosts loads this module at its start (`table.manager.server`, `player.client.seat`),
even if its match does not need it. Otherwise a disk that fills up later would make the program fail
in the middle of its work.
"""

import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from protocol.errors import LocalError

try:
    import rbcl
except OSError as error:  # the temp directory is missing, full, read-only or mounted noexec
    raise LocalError("wrong.ours.libsodium") from error


def _remove_library_file() -> None:
    """Delete rbcl's copy of libsodium in the temp directory, and no file elsewhere."""
    written = getattr(sys.modules.get("rbcl._sodium"), "lib_path", None)
    if written is not None and Path(written).parent == Path(tempfile.gettempdir()):
        with suppress(OSError):
            Path(written).unlink()


_remove_library_file()

is_valid_point = rbcl.crypto_core_ristretto255_is_valid_point
add = rbcl.crypto_core_ristretto255_add
subtract = rbcl.crypto_core_ristretto255_sub
multiply = rbcl.crypto_scalarmult_ristretto255_allow_scalar_zero
times_base = rbcl.crypto_scalarmult_ristretto255_base_allow_scalar_zero
from_uniform = rbcl.crypto_core_ristretto255_from_hash
scalar_add = rbcl.crypto_core_ristretto255_scalar_add
scalar_subtract = rbcl.crypto_core_ristretto255_scalar_sub
scalar_multiply = rbcl.crypto_core_ristretto255_scalar_mul
scalar_invert = rbcl.crypto_core_ristretto255_scalar_invert
scalar_reduce = rbcl.crypto_core_ristretto255_scalar_reduce
