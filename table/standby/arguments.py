"""What a table's command line says of its standby."""

import argparse

from net.addresses import parse_address
from protocol.errors import LocalError


def add_standby(made: "argparse._ActionsContainer") -> None:
    """The options of `fairdeal host`."""
    add = made.add_argument
    add(
        "--standby",
        metavar="HOST:PORT",
        help="help.host.standby",
    )
    add(
        "--alone",
        action="store_true",
        help="help.host.alone",
    )
    add(
        "--anyway",
        action="store_true",
        help="help.host.anyway",
    )


def standby_of(options: argparse.Namespace) -> tuple[str, int] | None:
    """The address of the standby that is asked for. Raises: LocalError."""
    if options.standby and options.alone:
        raise LocalError("wrong.together", one="standby", other="alone")
    if options.anyway and not options.alone:
        raise LocalError("wrong.needs_alone")
    # other machines have its matches already
    if options.cluster is not None and (options.standby or options.alone):
        raise LocalError(
            "wrong.choose.cluster_standby", other="standby" if options.standby else "alone"
        )
    return parse_address(options.standby) if options.standby else None
