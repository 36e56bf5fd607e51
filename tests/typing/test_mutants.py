"""Every planted fault is found, at its line, and nothing else."""

from __future__ import annotations

import pytest

from tests.typing.mutants import main


def test_all_mutants_are_found_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    status = main()
    printed = capsys.readouterr().out
    assert status == 0, printed
    assert "(100.0%), 0 false alarms" in printed
