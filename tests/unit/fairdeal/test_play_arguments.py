"""Folders of `fairdeal play`: logs go where the data folder is, unless another folder is named."""

from pathlib import Path

import pytest

from fairdeal.play_arguments import LOGS, log_folder, make_parser
from player.storage.data_directory import default_data


@pytest.mark.parametrize(
    ("words", "folder"),
    [
        ([], default_data() / LOGS),
        (["--data", "mine"], Path("mine") / LOGS),
        (["--logs", "logs"], Path("logs")),
        (["--data", "mine", "--logs", "logs"], Path("logs")),
    ],
)
def test_logs_are_kept_in_the_data_folder(words, folder):
    assert log_folder(make_parser().parse_args(["nim", *words])) == folder
