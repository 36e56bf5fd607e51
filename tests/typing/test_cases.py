"""Each file of `cases/` gets exactly the messages that its `# E:` comments announce; those of `valid/` get none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.typing.harness import Message, expected_in, found_in

HERE = Path(__file__).parent
CASES = sorted(str(path.relative_to(HERE)) for path in (HERE / "cases").rglob("*.py"))
VALID = sorted(str(path.relative_to(HERE)) for path in (HERE / "valid").rglob("*.py"))


@pytest.mark.parametrize("file", CASES)
def test_mypy_says_what_the_comments_announce(file: str, messages: Mapping[str, list[Message]]) -> None:
    expected = expected_in((HERE / file).read_text())
    assert found_in(messages[file]) == expected, "\n".join(f"{each.line}: {each.text}" for each in messages[file])


@pytest.mark.parametrize("file", VALID)
def test_a_valid_declaration_is_clean(file: str, messages: Mapping[str, list[Message]]) -> None:
    assert [each for each in messages[file] if each.code != "capdeco-unchecked"] == []
