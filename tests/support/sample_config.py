"""The sample configuration in deploy/, made from the options of `fairdeal host`.

`scripts/run tests.support.sample_config` writes it. Read the diff before you commit it.
"""

import os

from commandline.option_file import sample_text
from fairdeal.host_arguments import make_parser
from protocol.games.registry import BUILT_IN
from tests.support.docs import ROOT

SAMPLE = ROOT / "deploy" / "table.toml"
FIRST = (
    "Configuration of a table: `fairdeal host --config table.toml`.",
    "",
    "1. Copy this file, and remove the # in front of the keys that you want to set.",
    "2. `fairdeal host --config table.toml --show-config` checks it, and shows what is in force.",
    "3. Start the table. Later, change the file and type `fairdeal table reload`.",
    "",
    "The command line wins over this file. While a table runs, these keys can change: name,",
    "greeting, allow-create, allow-watch, log-level, log-format, log-addresses, and of bound the",
    "limits of people and tables. For all others, restart it. docs/host.md says more.",
)
# so that the file is the same on each machine
ENVIRONMENT = {
    "LANGUAGE": "en",
    "COLUMNS": "102",
    "HOME": "/home/YOU",
    "XDG_DATA_HOME": "/home/YOU/.local/share",
}


def sample() -> str:
    """Return the file, under `ENVIRONMENT`."""
    return sample_text(make_parser(BUILT_IN), FIRST)


if __name__ == "__main__":
    os.environ |= ENVIRONMENT
    SAMPLE.write_text(sample(), "utf-8")
