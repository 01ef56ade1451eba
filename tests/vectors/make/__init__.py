"""Generator of the project's own test vectors: every byte format of docs/protocol, from fixed
seeds.

Each module has `vectors()`, which returns a list of `forms.Vector` for one JSON file. The
operations of the vectors are in the same modules, and use the code of `protocol/`.
`tests/conformance/test_vectors.py` compares the files with them.
"""
