"""Files in deploy/ fit the program: options, folders, times, ports. (`check_deploy` checks their
form.)
"""

import re
import shlex
import tomllib
from collections import defaultdict

import pytest
import yaml

from commandline.exit_codes import WRONG_AGAIN
from commandline.option_file import option_actions
from directory.command import PORT
from directory.command import make_parser as directory_parser
from fairdeal.host_arguments import make_parser
from protocol import limits
from relay.command import make_parser as relay_parser
from table.__main__ import read_command
from table.control.command import make_parser as control_parser
from table.net.listeners.arguments import parse_relays
from table.net.listeners.trusted_proxies import parse_networks
from table.ops.signer_program import make_parser as signer_parser
from table.standby.command import make_parser as standby_parser
from table.storage.disk.keys import KEY_FILE, LINK_FILE
from tests.support.docs import ROOT
from tests.support.sample_config import ENVIRONMENT, SAMPLE, sample

UNIT = (ROOT / "deploy/systemd/fairdeal-table.service").read_text("utf-8")
SERVICE_PARSERS = {"relay": (relay_parser, 7590), "directory": (directory_parser, PORT)}
TIMERS = sorted((ROOT / "deploy/systemd").glob("*.timer"))
JOBS = [timer.with_suffix(".service") for timer in TIMERS]
UNITS = sorted((ROOT / "deploy/systemd").glob("*.service"))
SERVICES = [unit for unit in UNITS if unit not in JOBS]
STANDBY = (ROOT / "deploy/systemd/fairdeal-standby.service").read_text("utf-8")
IMAGE = (ROOT / "deploy/container/Containerfile").read_text("utf-8")
COMPOSE = yaml.safe_load((ROOT / "deploy/container/compose.yaml").read_text("utf-8"))
INSTALLED = "/etc/fairdeal/table.toml"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def settings(unit=UNIT):
    """Return a unit's settings, each with its values in order."""
    found = defaultdict(list)
    for line in unit.splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found[name].append(value)
    return found


def config_of(words):
    """Return the configuration; the sample stands for the file on the machine."""
    return read_command([str(SAMPLE) if word == INSTALLED else word for word in words]).config()


def test_unit_starts_table_with_existing_options():
    program, command, *words = shlex.split(*settings()["ExecStart"])
    assert (program.rsplit("/")[-1], command, words[-1]) == ("fairdeal", "host", INSTALLED)
    config = config_of(words)
    assert (config.host, config.port) == ("0.0.0.0", 7500)
    assert str(config.data) == "${STATE_DIRECTORY}"
    assert str(config.key) == f"${{CREDENTIALS_DIRECTORY}}/{KEY_FILE}"
    name, _, source = settings()["LoadCredential"][0].partition(":")
    assert name == KEY_FILE and source in UNIT.split("[Unit]")[0]
    assert f"/var/lib/private/{settings()['StateDirectory'][0]}/{LINK_FILE}" in UNIT
    assert f"install -m 644 {SAMPLE.name} {INSTALLED}" in UNIT


def test_unit_reload_asks_the_table_of_the_same_folder():
    program, command, *words = shlex.split(*settings()["ExecReload"])
    assert (program, command, words.pop(0)) == (
        shlex.split(*settings()["ExecStart"])[0],
        "table",
        "reload",
    )
    asked = control_parser().parse_args(["reload", *words])
    assert str(asked.data) == "${STATE_DIRECTORY}"


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.stem)
def test_unit_restarts_by_no_exit_code_that_is_wrong_again(unit):
    found = settings(unit.read_text("utf-8"))
    assert set(map(int, found["RestartPreventExitStatus"][0].split())) == WRONG_AGAIN
    assert found["Restart"] == ["on-failure"]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_unit_sends_errors_to_the_journal(unit):
    found = settings(unit.read_text("utf-8"))
    # errors go where the output goes, unless the unit says otherwise
    assert "null" not in found["StandardOutput"] or found["StandardError"] == ["journal"]


@pytest.mark.parametrize("unit", JOBS, ids=lambda unit: unit.stem)
def test_job_of_timer_asks_the_table_while_it_runs(unit):
    text = unit.read_text("utf-8")
    found = settings(text)
    (command,) = found["ExecStart"]
    # what `systemctl edit` sets; the comment shows the same line
    assert text.count(f"Environment={found['Environment'][0]}\n") == 2
    variable, _, value = found["Environment"][0].partition("=")
    program, table, *words = shlex.split(command.replace(f"${{{variable}}}", value))
    assert (program.rsplit("/")[-1], table) == ("fairdeal", "table")
    asked = control_parser().parse_args(words)
    folder = f"/var/lib/private/{settings()['StateDirectory'][0]}"
    assert str(asked.data) == folder and found["ReadWritePaths"] == [folder]
    assert asked.command == unit.stem.removeprefix("fairdeal-")
    if asked.command == "backup":
        assert (str(asked.file), asked.keep) == ("${STATE_DIRECTORY}", 14)
        assert f"/var/lib/{found['StateDirectory'][0]}\n" in text
    for setting in ("Requisite", "After", "PartOf"):
        assert found[setting] == ["fairdeal-table.service"]
    assert (found["Type"], found["KillSignal"]) == (["oneshot"], ["SIGINT"])
    assert "AF_UNIX" in found["RestrictAddressFamilies"] and found["PrivateNetwork"] == ["yes"]
    # a folder of another user, with no other power of root
    assert found["CapabilityBoundingSet"] == ["CAP_DAC_OVERRIDE"]
    own = {"User", "DynamicUser", "PrivateUsers"}
    sandboxes = [settings(each.partition("UMask=")[2]) for each in (text, UNIT)]
    shared = [
        name
        for name in sandboxes[1]
        if name not in own | {"RemoveIPC", "CapabilityBoundingSet", "RestrictAddressFamilies"}
        and name not in ("SystemCallFilter", "WantedBy")
    ]
    assert {name: sandboxes[0][name] for name in shared} == {
        name: sandboxes[1][name] for name in shared
    }


@pytest.mark.parametrize("timer", TIMERS, ids=lambda timer: timer.stem)
def test_timer_fires_each_night_and_makes_up(timer):
    found = settings(timer.read_text("utf-8"))
    assert re.fullmatch(r"\*-\*-\* 0[34]:30", found["OnCalendar"][0])
    assert found["Persistent"] == ["yes"] and found["WantedBy"] == ["timers.target"]
    install = timer.with_suffix(".service").read_text("utf-8").split("[Unit]")[0]
    assert f"systemctl enable --now {timer.name}\n" in install


def test_sample_configuration_has_the_options_as_they_are(monkeypatch):
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    assert SAMPLE.read_text("utf-8") == sample()


def test_sample_configuration_is_a_file_that_a_table_takes(tmp_path):
    names = re.findall("^#([a-z-]+) = ", SAMPLE.read_text("utf-8"), re.MULTILINE)
    assert sorted(names) == sorted(option_actions(make_parser()))
    filled = re.sub("= (N|MS|PORT)$", "= 1", SAMPLE.read_text("utf-8"), flags=re.MULTILINE)
    values = tomllib.loads(re.sub("^#([a-z])", r"\1", filled, flags=re.MULTILINE))
    assert set(values) == set(names)


def test_signer_unit_uses_socket_path_of_table():
    unit = (ROOT / "deploy/systemd/fairdeal-signer.service").read_text("utf-8")
    program, command, *words = shlex.split(re.search("^ExecStart=(.*)$", unit, re.MULTILINE)[1])
    assert (program.rsplit("/")[-1], command) == ("fairdeal", "signer")
    options = signer_parser().parse_args(words)
    assert (
        str(options.listen) == "${RUNTIME_DIRECTORY}/signer.sock"
        and str(options.data) == "${STATE_DIRECTORY}"
    )
    assert str(options.key) == f"${{CREDENTIALS_DIRECTORY}}/{KEY_FILE}"
    _, _, *words = shlex.split(re.search("^#     ExecStart=(/.*)$", unit, re.MULTILINE)[1])
    assert words[-1] == INSTALLED
    assert str(config_of(words).signer) == "/run/fairdeal-signer/signer.sock"
    for line in (
        "RuntimeDirectory=fairdeal-signer",
        "RuntimeDirectoryMode=0700",
        "UMask=0077",
        "PrivateNetwork=yes",
    ):
        assert f"\n{line}\n" in unit


def test_unit_waits_for_table_start_and_stop():
    found = settings()
    assert found["Type"] == ["notify"]  # table/hosting/ready.py
    assert int(found["TimeoutStopSec"][0]) > 10 * limits.CLOSE_SECONDS
    assert found["StandardOutput"] == ["null"]  # the link may end in a secret
    assert found["DynamicUser"] == ["yes"] and found["ProtectSystem"] == ["strict"]
    assert "AF_UNIX" in found["RestrictAddressFamilies"][0].split()
    assert found["SystemCallFilter"][-1] == "prlimit64"


def test_standby_unit_uses_the_folder_of_the_table():
    words = shlex.split(re.search("ExecStart=(.*)", STANDBY)[1])
    assert words[0].endswith("/fairdeal") and words[1] == "standby"
    asked = standby_parser().parse_args(words[2:])
    assert (str(asked.data), asked.promote) == ("${STATE_DIRECTORY}", False)
    assert (
        f"StateDirectory={settings()['StateDirectory'][0]}\n" in STANDBY
        and "Conflicts=fairdeal-table.service" in STANDBY
    )


SANDBOX = "DynamicUser=yes"  # first line of the part that is the same in all units but the signer's


@pytest.mark.parametrize("name", ["relay", "directory"])
def test_unit_of_service_starts_it_with_existing_options(name):
    text = (ROOT / f"deploy/systemd/fairdeal-{name}.service").read_text("utf-8")
    found = settings(text)
    (command,) = found["ExecStart"]
    # what `systemctl edit` sets; the comment shows the same line
    assert text.count(f"Environment={found['Environment'][0]}\n") == 2
    for each in found["Environment"][0].split():
        variable, _, value = each.partition("=")
        command = command.replace(f"${{{variable}}}", value)
    program, service, *words = shlex.split(command)
    assert (program.rsplit("/")[-1], service) == ("fairdeal", name)
    parser, port = SERVICE_PARSERS[name]
    options = parser().parse_args(words)
    assert options.listen.endswith(f":{port}")
    if name == "directory":
        assert str(options.data) == "${STATE_DIRECTORY}"
        assert f"/run/{found['RuntimeDirectory'][0]}/{options.file.name}" in text
        assert f"/var/lib/private/{found['StateDirectory'][0]}" in text
        # systemd keeps preserved folders of a dynamic user where only root may go
        assert not found["RuntimeDirectoryPreserve"] and found["RuntimeDirectoryMode"] == ["0755"]
        places = [f"${{{each}_DIRECTORY}}/{options.file.name}" for each in ("STATE", "RUNTIME")]
        assert found["ExecStartPre"] == [f"-install -m 644 {' '.join(places)}"]
        assert found["ExecStopPost"] == [f"-install -m 644 {' '.join(reversed(places))}"]
    else:
        assert parse_relays(options.url) and parse_networks(options.proxy)
    # it says when it is ready, over a Unix socket
    assert found["Type"] == ["notify"]
    assert "AF_UNIX" in found["RestrictAddressFamilies"][0].split()
    assert int(found["TimeoutStopSec"][0]) > limits.CLOSE_SECONDS
    sandboxes = [settings(unit.partition(SANDBOX)[2]) for unit in (text, STANDBY)]
    assert sandboxes[0].pop("SystemCallFilter")[:2] == sandboxes[1].pop("SystemCallFilter")
    assert sandboxes[0] == sandboxes[1]


OF_CHECKOUT = {"web"}  # builds the page for browsers, and is in no wheel


def test_image_has_all_packages_and_only_wheel_sources():
    taken = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        if line.startswith("!")
    }
    packages = set(PROJECT["tool"]["mypy"]["packages"]) - OF_CHECKOUT
    assert taken == packages | {
        "pyproject.toml",
        "LICENSE",
        "MANIFEST.in",
        PROJECT["project"]["readme"],
    }
    extras = re.search(r"'\.\[([\w,]+)\]'", IMAGE)[1].split(",")
    assert set(extras) <= set(PROJECT["project"]["optional-dependencies"])


def test_image_runs_unprivileged_table_with_healthcheck():
    start = re.search(
        r'ENTRYPOINT \["sh", "-c", "exec fairdeal host (.*) \\"\$@\\" >/dev/null", "table"\]', IMAGE
    )
    config = config_of([*start[1].split(), *COMPOSE["services"]["table"]["command"]])
    assert (str(config.data), config.port, config.host) == ("/data", 7500, "0.0.0.0")
    assert re.search(r"^USER (\d+):\1$", IMAGE, re.MULTILINE)
    assert "VOLUME /data\nEXPOSE 7500\n" in IMAGE
    assert f"/data/{LINK_FILE}" in IMAGE.split("HEALTHCHECK")[1]


def test_compose_file_adds_nothing_unneeded():
    table = COMPOSE["services"]["table"]
    assert table["image"] == f"fairdeal-table:{PROJECT['project']['version']}"
    assert (ROOT / "deploy/container" / table["build"]["context"]).resolve() == ROOT
    assert (ROOT / table["build"]["dockerfile"]).is_file()
    assert (
        table["read_only"]
        and table["cap_drop"] == ["ALL"]
        and table["security_opt"] == ["no-new-privileges:true"]
    )
    assert table["volumes"] == ["table:/data"] and list(COMPOSE["volumes"]) == ["table"]
    assert int(table["stop_grace_period"].removesuffix("s")) > 10 * limits.CLOSE_SECONDS
    assert f"USER {table['user']}" in IMAGE
