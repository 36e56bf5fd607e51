"""Rendering: what the model is shown of results, descriptions and names."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from capdeco import Binder, Call, Content, Doc, EmbeddedHost, Step, Tool, capability, operation, tool
from capdeco.errors import CapdecoError, HostError
from capdeco.host.protocol import ToolSpec

IMAGE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"}
LINK = {"type": "resource_link", "uri": "file:///notes/tide.txt", "name": "tide.txt"}


def returning(value: Any) -> Tool:
    async def give() -> Any:
        """Give it."""
        return value

    return Tool.of(give)


async def shown(value: Any) -> tuple[Any, tuple[Any, ...]]:
    host = EmbeddedHost()
    Binder(host).register(returning(value))
    result = await host.invoke(Call("give"))
    assert result.ok
    return result.value, tuple(result.content)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is\n", "as it is\n"),
        ("", ""),
        ({"a": [1, 2.5, None, True]}, '{"a":[1,2.5,null,true]}'),
        (["één", "地図", "שלום"], '["één","地図","שלום"]'),
        (None, "null"),
        (7, "7"),
    ],
)
async def test_text_renders_as_itself_and_anything_else_as_compact_json(value: Any, text: str) -> None:
    assert await shown(value) == (value, ({"type": "text", "text": text},))


async def test_content_puts_blocks_beside_the_value() -> None:
    value, content = await shown(Content({"pages": 2}, [IMAGE, AUDIO, LINK]))
    assert value == {"pages": 2}
    assert content == ({"type": "text", "text": '{"pages":2}'}, IMAGE, AUDIO, LINK)


async def test_blocks_of_a_step_that_are_no_text_come_with_the_operations_report() -> None:
    scan = returning(Content("two pages", [IMAGE, LINK]))

    @capability(id="paper", description="Paper.")
    @operation(steps=[Step(scan), Step(scan)])
    def read() -> None:
        """Read paper."""

    host = EmbeddedHost()
    Binder(host).register(scan, read)
    result = await host.invoke(Call("paper_read"))
    assert result.ok
    assert [step["text"] for step in result.value["steps"]] == ["two pages", "two pages"]
    assert list(result.content)[1:] == [IMAGE, LINK, IMAGE, LINK]


def spec_of(*declarations: Any, name: str) -> ToolSpec:
    host = EmbeddedHost()
    Binder(host).register(*declarations)
    spec = host.lookup(name)
    assert spec is not None
    return spec


@tool
async def google(word: Annotated[str, Doc("A word: שלום.")], limit: int = 3, plain: int = 0) -> None:
    """Find notes — 地図, ملاحظات.

    It looks at every note,
    line by line.

    Args:
        word: not this text, since the annotation says more.
        limit: How many
            at the most.

    Returns:
        Nothing.
    """


@tool
async def numpy(limit: int = 3) -> None:
    """Find notes.

    Parameters
    ----------
    limit
        How many at the most.
    """


@tool
async def sphinx(limit: int = 3) -> None:
    """Find notes.

    :param limit: How many at the most.
    """


def test_parameters_are_described_by_their_annotation_else_by_the_docstring() -> None:
    spec = spec_of(google, name="google")
    properties = spec.input_schema["properties"]
    assert properties["word"]["description"] == "A word: שלום."
    assert properties["limit"]["description"].split() == ["How", "many", "at", "the", "most."]
    assert "description" not in properties["plain"]
    assert spec.description.startswith("Find notes — 地図, ملاحظات.\n\nIt looks at every note,\nline by line.\n")
    assert "not this text" not in spec.description
    assert "Returns:" in spec.description


@pytest.mark.parametrize("declared", [numpy, sphinx])
def test_every_style_of_docstring_gives_descriptions_and_is_left_without_them(declared: Any) -> None:
    spec = spec_of(declared, name=declared.__name__)
    assert spec.description == "Find notes."
    assert spec.input_schema["properties"]["limit"]["description"] == "How many at the most."


def test_a_name_of_64_characters_is_a_name_and_one_more_is_not() -> None:
    @capability(id="a" * 31, description="Long.")
    @operation(steps=[Step(numpy)], name="b" * 32)
    def longest(limit: int) -> None:
        """Find."""

    assert spec_of(numpy, longest, name=f"{'a' * 31}_{'b' * 32}").operation
    with pytest.raises(CapdecoError, match="64"):
        capability(id="a" * 32, description="Long.")(longest)


def test_names_that_collide_only_once_id_and_operation_are_joined_are_refused_and_nothing_is_registered() -> None:
    @capability(id="note_find", description="One.")
    @operation(steps=[Step(numpy)])
    def all(limit: int) -> None:
        """Find."""

    @capability(id="note", description="Two.")
    @operation(steps=[Step(numpy)])
    def find_all(limit: int) -> None:
        """Find."""

    host = EmbeddedHost()
    with pytest.raises(HostError, match="note_find_all"):
        Binder(host).register(numpy, all, find_all)
    assert dict(host.catalog()) == {}
