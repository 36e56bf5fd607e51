"""The binder: all or nothing, loud, and gone without a trace when it is closed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capdeco import Binder, Call, CapdecoError, EmbeddedHost, Step, Tool, capability, operation, tool
from capdeco.errors import BindError, DeclarationError, HostError, WiringError
from capdeco.host.protocol import ToolSpec

GOLDEN = Path(__file__).parents[1] / "golden"


@attrs.frozen
class LayoutOptions:
    columns: int = 1


@tool(expose=False)
async def pdf_extract(path: str) -> dict[str, int]:
    """Extract the text layer of a PDF."""
    return {"pages": len(path)}


@tool(expose=False)
async def pdf_layout(columns: int = 1) -> dict[str, int]:
    """Compute layout blocks."""
    return {"blocks": columns}


@capability(id="pdf", description="Read a PDF document: text, layout and OCR in one deterministic sequence.")
class Pdf:
    @operation(steps=[Step(pdf_extract), Step(pdf_layout, from_="layout")])
    def analyze(self, path: str, layout: LayoutOptions) -> None:
        """Extract text and layout from a PDF in one call."""


SEED: dict[str, Any] = {
    "id": "pdf",
    "description": "Read a PDF document: text, layout and OCR in one deterministic sequence.",
    "operations": [
        {
            "name": "analyze",
            "description": "Extract text and layout from a PDF in one call.",
            "parameters": {"path": {"type": "string", "required": True}},
            "steps": [{"tool": "pdf_extract"}, {"tool": "pdf_layout", "from": "layout"}],
        }
    ],
}


def picture(host: EmbeddedHost) -> dict[str, Any]:
    """All that a scope-less caller can tell apart."""
    return {name: (spec.description, spec.input_schema) for name, spec in host.catalog().items()}


def refusal(register: Callable[[], object]) -> CapdecoError:
    with pytest.raises(CapdecoError) as caught:
        register()
    return caught.value


# What the model sees


def test_the_description_is_the_seeds_word_for_word() -> None:
    host = EmbeddedHost()
    Binder(host).register(pdf_extract, pdf_layout, Pdf)
    spec = host.lookup("pdf_analyze")
    assert spec is not None
    assert spec.description == (GOLDEN / "seed_description.txt").read_text(encoding="utf-8").rstrip("\n")


async def test_the_result_is_the_seeds_key_for_key_and_in_that_order() -> None:
    host = EmbeddedHost()
    Binder(host).register(pdf_extract, pdf_layout, Pdf)
    result = await host.invoke(Call("pdf_analyze", {"path": "ab", "layout": {"columns": 7}}))
    assert result.ok
    assert result.json.decode() + "\n" == (GOLDEN / "seed_result.json").read_text(encoding="utf-8")


def test_the_seeds_own_example_reads_a_field_that_it_does_not_declare() -> None:
    """`from: 'layout'` names no declared parameter there: our wiring check refuses it; declared, it works."""
    host = EmbeddedHost()
    binder = Binder(host)
    binder.register(pdf_extract, pdf_layout)
    error = refusal(lambda: binder.register(SEED))
    assert [found.code for found in error.diagnostics] == ["capdeco-from"]
    declared = {"type": "object", "additionalProperties": False, "properties": {"columns": {"type": "integer"}}}
    operation = SEED["operations"][0]
    parameters = {**operation["parameters"], "layout": {**declared, "required": True}}
    binder.register({**SEED, "operations": [{**operation, "parameters": parameters}]})
    assert list(host.catalog()) == ["pdf_analyze"]


# All or nothing


def test_a_step_may_name_a_tool_of_the_same_batch() -> None:
    host = EmbeddedHost()
    Binder(host).register(Pdf, pdf_layout, pdf_extract)
    assert list(host.catalog()) == ["pdf_analyze"]


FAULTS: list[Any] = [
    {"id": "Bad", "description": "x", "operations": []},
    {"id": "bad", "description": "x", "operations": [{"name": "a", "description": "A.", "steps": [{"tool": "gone"}]}]},
    {**SEED, "id": "pdf2"},
    "no declaration",
    LayoutOptions,
    len,
    Tool.of(len, name="pdf_extract", description="A second tool of this name.", types={}),
]


@given(st.data())
def test_a_refused_batch_leaves_the_host_as_it_was(data: st.DataObject) -> None:
    host = EmbeddedHost()
    binder = Binder(host)
    before = data.draw(st.booleans())
    if before:
        binder.register(pdf_extract, pdf_layout, Pdf)
    seen, listed = picture(host), binder.list()
    good: list[Any] = [] if before else [pdf_extract, pdf_layout, Pdf]
    batch = data.draw(st.permutations([*good, data.draw(st.sampled_from(FAULTS))]))
    refusal(lambda: binder.register(*batch))
    assert picture(host) == seen
    assert binder.list() == listed
    if not before:
        binder.register(*good)  # and nothing of it blocks the corrected batch


@given(st.permutations([0, 1, 2, 3]))
def test_closing_undoes_exactly_what_was_added_in_any_order(order: list[int]) -> None:
    host = EmbeddedHost()
    binder = Binder(host)
    empty = picture(host)
    tools = binder.register(pdf_extract, pdf_layout)
    made = [tools, binder.register(Pdf), binder.register(other("a")), binder.register(other("b"))]
    for number in order:
        made[number].close()
        made[number].close()
    assert picture(host) == empty
    assert binder.list() == ()


def other(name: str) -> Any:
    return {
        "id": name,
        "description": "Another.",
        "operations": [{"name": "go", "description": "Go.", "steps": [{"tool": "pdf_layout"}]}],
    }


def test_closing_the_binder_withdraws_everything_and_ends_registration() -> None:
    host = EmbeddedHost()
    with Binder(host) as binder:
        binder.register(pdf_extract, pdf_layout, Pdf)
    assert picture(host) == {}
    error = refusal(lambda: binder.register(pdf_extract))
    assert isinstance(error, BindError)


def test_two_hosts_in_one_process_share_nothing() -> None:
    one, two = EmbeddedHost(), EmbeddedHost()
    first = Binder(one).register(pdf_extract, pdf_layout, Pdf)
    Binder(two).register(pdf_extract, pdf_layout, Pdf)
    first.close()
    assert list(one.catalog()) == []
    assert list(two.catalog()) == ["pdf_analyze"]


def test_a_binder_that_declares_nothing_changes_nothing() -> None:
    host = EmbeddedHost()
    host.register(*bare_specs())
    seen = picture(host)
    with Binder(host) as binder:
        assert picture(host) == seen
        assert hooks(host) == 0
        assert binder.list() == ()
        binder.register(pdf_extract, pdf_layout, Pdf).close()
        assert picture(host) == seen
        assert hooks(host) == 0
    assert picture(host) == seen


def hooks(host: EmbeddedHost) -> int:
    """How many hooks the global layer holds, of all kinds: nobody but the host itself needs to know."""
    return sum(len(each) for each in host._visibility.root.hooks.values())


def bare_specs() -> list[Any]:
    return [
        ToolSpec(name="echo", description="Echo.", input_schema={"type": "object"}, body=lambda arguments, _: arguments)
    ]


# Loud


def test_a_refusal_says_what_where_and_what_to_do() -> None:
    @capability(id="pdf", description="Read a PDF.")
    class Misspelt:
        @operation(steps=[Step(pdf_extract), Step(pdf_layout, from_="layuot")])  # type: ignore[capdeco-from]
        def analyze(self, path: str, layout: LayoutOptions) -> None:
            """Extract text and layout."""

    error = refusal(lambda: Binder(EmbeddedHost()).register(pdf_extract, pdf_layout, Misspelt))
    (found,) = error.diagnostics
    assert isinstance(error, WiringError)
    assert (found.code, found.subject) == ("capdeco-from", "step 2 of pdf.analyze")
    assert found.place is not None
    assert found.place.file == __file__
    assert "def analyze" in Path(__file__).read_text().splitlines()[found.place.line - 1]
    assert '"layout"' in found.fix


def test_every_fault_of_a_batch_is_reported() -> None:
    @capability(id="pdf", description="Read a PDF.")
    class Wrong:
        @operation(steps=[Step(pdf_extract)])  # type: ignore[capdeco-missing]
        def one(self, file: str) -> None:
            """Extract."""

        @operation(steps=[Step("pdf_ocr")])
        def two(self, path: str) -> None:
            """Scan."""

    error = refusal(lambda: Binder(EmbeddedHost()).register(pdf_extract, Wrong))
    assert [found.code for found in error.diagnostics] == ["capdeco-missing", "capdeco-tool"]


def test_wiring_that_cannot_be_proved_registers_on_request() -> None:
    host = EmbeddedHost()
    binder = Binder(host, check_wiring=False)
    binder.register(pdf_extract, pdf_layout, SEED)
    assert list(host.catalog()) == ["pdf_analyze"]


def test_an_id_is_taken_once_in_a_layer() -> None:
    binder = Binder(EmbeddedHost())
    held = binder.register(pdf_extract, pdf_layout, Pdf)
    assert isinstance(refusal(lambda: binder.register(Pdf)), BindError)
    held.close()
    binder.register(pdf_extract, pdf_layout, Pdf)


def test_a_tool_name_that_the_host_already_has_is_refused() -> None:
    host = EmbeddedHost()
    binder = Binder(host)
    binder.register(pdf_extract)
    assert isinstance(refusal(lambda: binder.register(pdf_layout, pdf_extract)), HostError)
    assert host.lookup("pdf_layout") is None


def test_operations_that_run_each_other_in_a_circle_are_refused() -> None:
    one = {**other("one"), "operations": [{"name": "go", "description": "Go.", "steps": [{"tool": "two_go"}]}]}
    two = {**other("two"), "operations": [{"name": "go", "description": "Go.", "steps": [{"tool": "one_go"}]}]}
    error = refusal(lambda: Binder(EmbeddedHost()).register(one, two))
    assert [found.code for found in error.diagnostics] == ["capdeco-tool"]


def test_an_operation_may_name_an_operation_of_the_same_batch_that_comes_later() -> None:
    host = EmbeddedHost()
    outer = {**other("outer"), "operations": [{"name": "go", "description": "Go.", "steps": [{"tool": "inner_go"}]}]}
    Binder(host).register(pdf_layout, outer, other("inner"))
    assert list(host.catalog()) == ["outer_go", "inner_go"]


def test_what_carries_no_declaration_is_refused_saying_what_is_missing() -> None:
    class Sub(Pdf):
        pass

    @operation(steps=[Step(pdf_extract)])
    def alone(path: str) -> None:
        """Extract."""

    binder = Binder(EmbeddedHost())
    assert "put @capability on it too" in str(refusal(lambda: binder.register(Sub)))
    assert "above it" in str(refusal(lambda: binder.register(alone)))
    assert isinstance(refusal(lambda: binder.register(len)), DeclarationError)


# What changes after


def test_a_tool_that_changes_under_a_bound_operation_is_reported() -> None:
    host = EmbeddedHost()
    reported: list[str] = []
    binder = Binder(host, on_fault=lambda found: reported.append(f"{found.code} {found.subject}"))
    extract = binder.register(pdf_extract)
    binder.register(pdf_layout, Pdf)
    extract.close()
    assert reported == ["capdeco-tool step 1 of pdf.analyze"]

    async def changed(pages: int) -> None:
        """Extract by page."""

    host_registration = binder.register(Tool.of(changed, name="pdf_extract", expose=False))
    assert reported[1:] == ["capdeco-missing step 1 of pdf.analyze"]
    host_registration.close()
    binder.register(pdf_extract)
    assert reported[2:] == ["capdeco-tool step 1 of pdf.analyze"]


def test_a_plugin_that_is_closed_reports_nothing() -> None:
    host = EmbeddedHost()
    reported: list[object] = []
    binder = Binder(host, on_fault=reported.append)
    binder.register(pdf_extract, pdf_layout, Pdf).close()
    binder.register(pdf_extract, pdf_layout)
    binder.register(Pdf)
    binder.close()
    assert reported == []


async def test_an_ended_scope_takes_its_capabilities_with_it_and_reports_nothing() -> None:
    host = EmbeddedHost()
    reported: list[object] = []
    binder = Binder(host, on_fault=reported.append)
    async with host.scope("reader") as scope:
        binder.register(pdf_extract, pdf_layout, Pdf, scope=scope)
        assert [each.id for each in binder.list()] == ["pdf"]
        assert list(host.catalog(scope)) == ["pdf_analyze"]
    assert binder.list() == ()
    assert reported == []
    binder.register(pdf_extract, pdf_layout, Pdf)


A_DECLARATION = "give what carries @capability or @tool, or a mapping with id, description and operations"
A_SCOPE = "give a scope made by host.scope(name) or None"


@pytest.mark.parametrize(
    ("use", "says", "fix"),
    [
        (lambda binder: binder.load(3), "Binder.load: plugin is 3 (int)", "give str"),
        (
            lambda binder: binder.watch_imports("json", None),
            "Binder.watch_imports: packages is None (NoneType)",
            "give str",
        ),
        (
            lambda binder: binder.load_installed(profile=3),
            "Binder.load_installed: profile is 3 (int)",
            "give str or Path or None",
        ),
        (lambda binder: binder.load("json", scope="reader"), "Binder.load: scope is 'reader' (str)", A_SCOPE),
        (
            lambda binder: binder.register(pdf_extract, Pdf, scope="reader"),
            "Binder.register: scope is 'reader' (str)",
            A_SCOPE,
        ),
        (lambda binder: binder.register(None), "Binder.register: declarations is None (NoneType)", A_DECLARATION),
        (lambda binder: binder.register(Pdf, 3), "Binder.register: declarations is 3 (int)", A_DECLARATION),
        (
            lambda binder: Binder("no host"),  # type: ignore[arg-type]
            "Binder.__init__: host is 'no host' (str)",
            "give an object with register, lookup, catalog and invoke",
        ),
        (
            lambda binder: Binder(EmbeddedHost(), on_fault=5),  # type: ignore[arg-type]
            "Binder.__init__: on_fault is 5 (int)",
            "give Callable[[Diagnostic], object] or None",
        ),
        (
            lambda binder: Binder(EmbeddedHost(), check_wiring="no"),  # type: ignore[arg-type]
            "Binder.__init__: check_wiring is 'no' (str)",
            "give bool",
        ),
    ],
)
def test_arguments_of_a_wrong_type_are_refused_by_name_and_change_nothing(
    use: Callable[[Any], object], says: str, fix: str
) -> None:
    host = EmbeddedHost()
    binder = Binder(host)
    error = refusal(lambda: use(binder))
    assert isinstance(error, BindError)
    assert [(each.what, each.fix, each.rule) for each in error.diagnostics] == [(says, fix, "argument")]
    assert picture(host) == {}
    assert binder.list() == ()


def test_two_of_one_name_in_a_batch_are_refused_by_name_and_place() -> None:
    def twice(path: str) -> None:
        """Read it."""

    with pytest.raises(BindError, match=r'the tool name "same" is already taken, at .*test_binder\.py:\d+'):
        Binder(EmbeddedHost()).register(Tool.of(twice, name="same"), Tool.of(twice, name="same"))

    tool_ = Tool.of(twice, name="twice")

    @capability(id="same", description="One.")
    @operation(steps=[Step(tool_)])
    def one(path: str) -> None:
        """Do it."""

    @capability(id="same", description="Two.")
    @operation(steps=[Step(tool_)], name="other")
    def two(path: str) -> None:
        """Do it."""

    with pytest.raises(BindError, match=r'the capability id "same" is already taken, at .*test_binder\.py:\d+'):
        Binder(EmbeddedHost()).register(tool_, one, two)


def test_the_class_of_a_host_is_no_host() -> None:
    with pytest.raises(BindError, match="host is the class EmbeddedHost") as refused:
        Binder(EmbeddedHost)  # type: ignore[arg-type]
    assert refused.value.diagnostics[0].fix == "give an object, as in EmbeddedHost()"
