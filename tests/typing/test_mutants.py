"""Every planted fault is found by every reader, at its line, and nothing else."""

from __future__ import annotations

import pytest

from tests.typing.mutants import main


def test_all_mutants_are_found_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(binder_takes_each=10)  # it is the slow one: `make mutants` hands it all of them
    printed = capsys.readouterr().out
    assert status == 0, printed
    assert "mypy 100.0%, binder 100.0%, analyzer 100.0%; 0 false alarms; 0 verdicts differ" in printed
