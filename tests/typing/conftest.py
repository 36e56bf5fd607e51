"""One mypy run for all cases of this folder, whatever number of tests looks at its messages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import pytest

from tests.shared.declaration_cases import FAULTS
from tests.shared.wiring_cases import CASES
from tests.typing.harness import CONFIG, Message, run_mypy, sources_of, write

TOOL_MODULES = ", ".join(
    f"tests.typing.{each}" for each in ("cases.catalog", "valid.tools", "valid.classes", "valid.functions")
)
PREFIX = "tests/typing/"


@pytest.fixture(scope="session")
def messages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Message]]:
    """File, as it is named below this folder -> what mypy says about it."""
    directory = tmp_path_factory.mktemp("typing")
    write(directory, {f"shared/{case.name}.py": case.source for case in (*CASES, *FAULTS)})
    write(directory, sources_of("cases") | sources_of("valid"))
    config = f"{CONFIG}enable_error_code = capdeco-unchecked\n[capdeco]\ntool_modules = {TOOL_MODULES}\n"
    found: dict[str, list[Message]] = defaultdict(list)
    for each in run_mypy(directory, config=config):
        found[each.file.removeprefix(PREFIX)].append(each)
    return found
