"""`scripts/vectors`: write all files. Read the diff before you commit it."""

from tests.vectors.make.files import texts
from tests.vectors.make.forms import FOLDER

for name, text in texts().items():
    (FOLDER / name).write_text(text)
    print(f"{name}: {len(text) // 1024} KiB")
