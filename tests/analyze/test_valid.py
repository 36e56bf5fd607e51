"""The corpus of valid declarations is clean, and next to nothing of it is left unchecked."""

from __future__ import annotations

from pathlib import Path

from capdeco.check.analyze.analysis import analyze_folder
from capdeco.codes import UNCHECKED
from tests.typing.harness import sources_of, write

ANY_JSON = "an object, or value, may hold any JSON"
COMPUTED = "only running it tells"
LEFT_UNCHECKED = {
    "step 1 of containers.any_value": ANY_JSON,
    "step 1 of containers.anything": ANY_JSON,
    "step 1 of models.opened": ANY_JSON,
    "step 1 of models.generated_aliases": COMPUTED,
    "step 1 of unprovable.conditional": COMPUTED,
    "unprovable.comprehension": COMPUTED,
    "unprovable.computed": COMPUTED,
    "unprovable.mappings": COMPUTED,
}
"""What no reader of source could check, and why."""


def test_the_valid_corpus_is_clean(tmp_path: Path) -> None:
    write(tmp_path, sources_of("valid"))
    found = analyze_folder(tmp_path)
    assert sum(len(each.operations) for each in found.capabilities) >= 150
    assert [str(each) for each in found.diagnostics if each.code != UNCHECKED] == []
    assert {each.subject for each in found.diagnostics} == set(LEFT_UNCHECKED)


def test_each_file_of_it_is_clean_without_the_others(tmp_path: Path) -> None:
    for path, source in sources_of("valid").items():
        file = tmp_path / Path(path).name
        file.write_text(source, "utf-8")
        found = analyze_folder(file)
        assert [str(each) for each in found.diagnostics if each.code != UNCHECKED] == []
