"""One mypy run for all cases of this folder, whatever number of tests looks at its messages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.shared.wiring_cases import CASES
from tests.typing.harness import CONFIG, Message, run_mypy, write

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def messages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Message]]:
    """File, as it is named below this folder -> what mypy says about it."""
    directory = tmp_path_factory.mktemp("typing")
    sources = {f"shared/{case.name}.py": case.source for case in CASES}
    for folder in ("cases", "valid"):
        for path in sorted((HERE / folder).rglob("*.py")):
            sources[str(path.relative_to(HERE))] = path.read_text()
    write(directory, {**sources, "shared/__init__.py": ""})
    config = CONFIG + "enable_error_code = capdeco-unchecked\n[capdeco]\ntool_modules = cases.catalog\n"
    found: dict[str, list[Message]] = defaultdict(list)
    for each in run_mypy(directory, config=config):
        found[each.file].append(each)
    return found
