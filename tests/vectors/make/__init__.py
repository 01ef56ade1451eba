"""The project's own test vectors: every byte format of docs/protocol, made from fixed seeds by this
package.

A module here has `vectors()`, a list of `forms.Vector`, one JSON file each. The operations that
they name are in the same modules, done with the code of `protocol/`: that is what
`tests/conformance/test_vectors.py` holds the files against.
"""
