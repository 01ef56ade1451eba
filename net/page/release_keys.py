"""Public keys of those who release fairdeal: each signs the manifests of pages.

`scripts/release_key` makes a key outside of the checkout, and prints the line for this list. The list
is empty until somebody releases a version: then no signature is accepted but of a key that the
person names.
"""

RELEASE_KEYS: tuple[bytes, ...] = ()
