"""The drawings of the set of elements: fifty faces, made by `python -m scripts.faces` and shipped as files."""
