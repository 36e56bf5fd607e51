"""Exit codes and errors of the command say what happened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from capdeco.check.analyze.listing import analyze_listing
from capdeco.errors import AnalysisError
from tests.analyze.test_golden import analyze

CATALOGS = Path(__file__).parents[3] / "shared" / "mcp-catalogs"


def test_no_path_is_a_wrong_command_line(tmp_path: Path) -> None:
    done = analyze(cwd=tmp_path)
    assert done.returncode == 2
    assert b"PATH" in done.stderr


def test_both_a_path_and_a_listing_is_a_wrong_command_line(tmp_path: Path) -> None:
    assert analyze(".", "--listing", "x.json", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize("option", ["--time-limit=0", "--time-limit=x", "--max-file-size=-1"])
def test_a_limit_that_is_none_is_a_wrong_command_line(option: str, tmp_path: Path) -> None:
    assert analyze(".", option, cwd=tmp_path).returncode == 2


@pytest.mark.parametrize("arguments", [("missing",), ("--listing", "missing.json")])
def test_a_path_that_is_not_there_is_an_error(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = analyze(*arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert b"missing" in done.stderr
    assert b"Traceback" not in done.stderr


def test_an_empty_folder_has_a_report(tmp_path: Path) -> None:
    done = analyze(".", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.decode().splitlines()[2] == "0 tools, 0 bytes of names, descriptions and schemas"
    assert b"PROPOSAL: none" in analyze(".", "--propose", cwd=tmp_path).stdout


def test_one_file_may_be_given_instead_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "one.js").write_text('server.tool("fine", async () => {})')
    assert b"fine" in analyze("one.js", cwd=tmp_path).stdout
    (tmp_path / "one.md").write_text("x")
    assert b"no Python" in analyze("one.md", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    "text", ["", "{", "[]x", '"x"', "{}", '{"tools": 3}', '{"tools": [{"no": "name"}]}', "[" * 100_000]
)
def test_a_listing_that_is_none_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(AnalysisError, match=r"x\.json"):
        analyze_listing(file)


ENTRY = {"name": "a_b", "description": "D.", "inputSchema": {"type": "object", "properties": {"p": {"type": "string"}}}}


@pytest.mark.parametrize(
    "listing",
    [
        {"tools": [ENTRY]},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [ENTRY]}},
        [ENTRY],
        [{"type": "function", "function": {"name": "a_b", "description": "D.", "parameters": ENTRY["inputSchema"]}}],
        [{"type": "function", "name": "a_b", "description": "D.", "parameters": ENTRY["inputSchema"]}],
        [{"name": "a_b", "description": "D.", "input_schema": ENTRY["inputSchema"]}],
        {
            "tools": [
                {"function_declarations": [{"name": "a_b", "description": "D.", "parameters": ENTRY["inputSchema"]}]}
            ]
        },
    ],
)
def test_a_listing_of_any_api_gives_the_same_tool(listing: object, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps(listing))
    report = json.loads(analyze("--listing", "x.json", "--json", cwd=tmp_path).stdout)
    (tool,) = report["tools"]
    assert (tool["name"], tool["description"], tool["bytes"], tool["exact"]) == ("a_b", "D.", 103, True)
    assert [each["name"] for each in tool["parameters"]] == ["p"]


@pytest.mark.parametrize(
    "schema", [3, [], {"type": 7}, {"properties": [1]}, {"required": 5}, {"$ref": "#/x"}, {"enum": [{}]}]
)
def test_a_schema_that_is_none_makes_the_parameters_dynamic(schema: object, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps([{"name": "a", "inputSchema": schema}]))
    done = analyze("--listing", "x.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not CATALOGS.is_dir(), reason="the recorded listings are not beside the repository")
def test_real_listings_are_read_whole(tmp_path: Path) -> None:
    files = sorted(CATALOGS.glob("*.json"))
    assert files
    for file in files:
        tools = json.loads(file.read_text("utf-8"))["tools"]
        found = analyze_listing(file)
        assert [tool.name for tool in found.tools] == [tool["name"] for tool in tools]
        done = analyze("--listing", str(file), "--json", cwd=tmp_path)
        report = json.loads(done.stdout)
        assert report["surface"]["exact"]
        assert all(tool["parameters"] is not None for tool in report["tools"])
