"""What a command line says of a table of several hosts."""

import argparse

from protocol.errors import LocalError
from protocol.identity.address import is_address
from table.config import Membership
from table.storage.shared.match_notes import MAX_HOST_NAME


def add_cluster(made: "argparse._ActionsContainer") -> None:
    """Add the options."""
    add = made.add_argument
    add(
        "--cluster",
        metavar="STORE",
        help="help.host.cluster",
    )
    add(
        "--host-name",
        metavar="NAME",
        help="help.host.host_name",
    )
    add(
        "--address",
        metavar="HOST:PORT|wss://…",
        help="help.host.address",
    )


def membership_of(options: argparse.Namespace) -> Membership | None:
    """What is asked for. Raises: LocalError."""
    if options.cluster is None:
        for flag in ("host_name", "address"):
            if getattr(options, flag) is not None:
                raise LocalError("wrong.cluster.alone", flag=flag.replace("_", "-"))
        return None
    if options.witness or options.witness_for:
        raise LocalError("wrong.choose.cluster_witness")
    if options.key is None and options.signer is None:
        raise LocalError("wrong.cluster.key")
    if (
        not options.host_name
        or len(options.host_name) > MAX_HOST_NAME
        or not options.host_name.isprintable()
    ):
        raise LocalError("wrong.cluster.unnamed", most=MAX_HOST_NAME)
    if options.address is not None and not is_address(options.address):
        raise LocalError("wrong.cluster.address")
    return Membership(options.cluster, options.host_name, options.address or "")
