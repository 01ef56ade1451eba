"""Every planted defect is found by a case of its kit, and the matrix says which cases find which."""

import pytest

from conformance.auditor.kit import cases_of
from conformance.auditor.matches import MATCHES
from tests.conformance import matrix
from tests.support import broken_auditor

# matches whose cases find these defects of auditors
SHARE = {
    "nim": ("ignores-refusals", "no-signatures", "any-receipt"),
    "owned-open-twice": ("any-copies",),
    "owned-open-dispute-lost": ("no-disputes",),
    "owned-open-given-away": ("any-owner",),
    "owned-closing-not-accepted": ("any-card",),
}


def test_every_defect_of_a_program_is_named_by_a_case():
    for kit, (found, _) in matrix.of_programs().items():
        assert found, kit
        assert [defect for defect, cases in found.items() if not cases] == []


def test_every_auditor_case_pattern_has_a_case_that_exists():
    wanted = {match: {case.name for case in cases_of(_match(match))} for match in SHARE}
    for match, defects in SHARE.items():
        assert wanted[match] and set(defects) <= set(broken_auditor.DEFECTS)


@pytest.mark.process
@pytest.mark.match
@pytest.mark.parametrize("match", SHARE)
def test_matrix_finds_each_broken_auditor_by_a_case(match):
    cases = cases_of(_match(match))
    names = [matrix.full_name(case) for case in cases]
    found = matrix.of_auditors(cases, SHARE[match])
    assert all(found.values()), found
    assert "not found" not in "".join(matrix.report_rows("auditors", found, names))


def test_cases_that_alone_find_a_defect_are_unique():
    found = {"a": frozenset({"x"}), "b": frozenset({"x", "y"}), "c": frozenset()}
    assert matrix.unique(found) == {"x"}
    rows = matrix.report_rows("kit", found, ["x", "y", "z"])
    assert rows[1:] == ["  not found: c", "  finds nothing: z"]


def _match(name):
    return next(wanted for wanted in MATCHES if wanted.name == name)
