"""Tool modules are named in pyproject.toml or mypy.ini; what cannot be meant is one clear error, never a crash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.typing.harness import parse

TOOLS = 'from capdeco import tool\n\n@tool\ndef known(path: str) -> None:\n    """d"""\n'
OPERATION = '''\
from capdeco import Step, capability, operation

@capability(id="c", description="d")
@operation(steps=[Step("{tool}")])
def run(path: str) -> None:
    """d"""
'''
PLUGIN = "plugins = capdeco.check.mypy_plugin\n"
TOML = '[tool.mypy]\nplugins = ["capdeco.check.mypy_plugin"]\n'


def check(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *(arguments or ("ops.py",))]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)


def codes(directory: Path, *arguments: str) -> list[tuple[int, str]]:
    done = check(directory, *arguments)
    assert not done.stderr, done.stderr
    return [(each.line, each.code) for each in parse(done.stdout)]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "my_tools.py").write_text(TOOLS)
    (tmp_path / "ops.py").write_text(OPERATION.format(tool="unknown"))
    return tmp_path


@pytest.mark.parametrize(
    "files",
    [
        {"mypy.ini": f"[mypy]\n{PLUGIN}[capdeco]\ntool_modules = my_tools\n"},
        {"mypy.ini": f"[mypy]\n{PLUGIN}[capdeco]\ntool_modules =\n    my_tools\n    ops\n"},
        {"mypy.ini": f"[mypy]\n{PLUGIN}[capdeco]\ntool_modules = ops, my_tools,\n"},
        {"setup.cfg": f"[mypy]\n{PLUGIN}[capdeco]\ntool_modules = my_tools\n"},
        {"pyproject.toml": f'{TOML}[tool.capdeco]\ntool_modules = ["my_tools"]\n'},
        {"pyproject.toml": f'{TOML}[tool.capdeco]\ntool_modules = ["my_tools"]\nplugins = ["pdf", {{name = "git"}}]\n'},
        {"mypy.ini": f"[mypy]\n{PLUGIN}", "pyproject.toml": '[tool.capdeco]\ntool_modules = ["my_tools"]\n'},
    ],
    ids=["ini", "lines", "commas", "cfg", "toml", "toml with a profile", "toml beside ini"],
)
def test_tool_modules_are_read_from(files: dict[str, str], project: Path) -> None:
    for name, text in files.items():
        (project / name).write_text(text)
    expected = [] if "ops" in next(iter(files.values())) else [(4, "capdeco-tool")]
    assert codes(project) == expected
    (project / "ops.py").write_text(OPERATION.format(tool="known"))
    assert codes(project) == []


def test_a_project_of_several_is_asked_before_what_is_beside_the_configuration_of_them_all(project: Path) -> None:
    (project / "mypy.ini").write_text(f"[mypy]\n{PLUGIN}")
    (project / "pyproject.toml").write_text('[tool.capdeco]\ntool_modules = ["elsewhere"]\n')
    inner = project / "inner"
    inner.mkdir()
    (project / "my_tools.py").rename(inner / "my_tools.py")
    (project / "ops.py").rename(inner / "ops.py")
    (inner / "pyproject.toml").write_text('[tool.capdeco]\ntool_modules = ["my_tools"]\n')
    assert codes(inner) == [(4, "capdeco-tool")]


def test_a_stub_package_is_a_tool_module(project: Path) -> None:
    stub = project / "stubs" / "far" / "tools.pyi"
    stub.parent.mkdir(parents=True)
    (stub.parent / "__init__.pyi").write_text("")
    stub.write_text('from capdeco import tool\n@tool(name="far_read")\ndef read(path: int) -> None: ...\n')
    (project / "mypy.ini").write_text(f"[mypy]\nmypy_path = stubs\n{PLUGIN}[capdeco]\ntool_modules = far.tools\n")
    (project / "ops.py").write_text(OPERATION.format(tool="far_read"))
    assert codes(project) == [(4, "capdeco-type")]


def test_without_tool_modules_names_are_unchecked(project: Path) -> None:
    (project / "mypy.ini").write_text(f"[mypy]\n{PLUGIN}enable_error_code = capdeco-unchecked\n")
    assert codes(project) == [(4, "capdeco-unchecked")]


def test_a_module_that_reexports_capdeco_is_unchecked(project: Path) -> None:
    (project / "mypy.ini").write_text(
        f"[mypy]\n{PLUGIN}enable_error_code = capdeco-unchecked\n[capdeco]\ntool_modules = my_tools\n"
    )
    (project / "front.py").write_text(
        "from capdeco import Step as Step, capability as capability, operation as operation\n"
    )
    (project / "ops.py").write_text(OPERATION.format(tool="unknown").replace("from capdeco", "from front"))
    assert codes(project) == [(4, "capdeco-unchecked")]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("mypy.ini", f"[mypy]\n{PLUGIN}[capdeco]\ntool_module = x\n", "tool_modules"),
        ("mypy.ini", f"[mypy]\n{PLUGIN}[capdeco]\ntool_modules = not a module\n", "not a module"),
        ("pyproject.toml", f"{TOML}[tool.capdeco]\ntool_modules = 3\n", "list of module names"),
        ("pyproject.toml", f'{TOML}[tool.capdeco]\ntool_modules = ["a", 3]\n', "list of module names"),
        ("pyproject.toml", f'{TOML}[tool]\n[tool.capdeco]\ntoolmodules = ["a"]\n', "tool_modules"),
        ("pyproject.toml", f"{TOML}[tool.capdeco.plugin]\nname = 3\n", 'did you mean "plugins"?'),
        ("mypy.ini", f"[mypy]\n{PLUGIN}[capdeco]\nplugins = pdf\n", "settings: tool_modules"),
    ],
)
def test_what_cannot_be_meant_is_one_clear_error(name: str, text: str, says: str, project: Path) -> None:
    (project / name).write_text(text)
    done = check(project)
    printed = done.stdout + done.stderr
    assert done.returncode == 2
    assert says in printed
    assert "Traceback" not in printed
    assert len([line for line in printed.splitlines() if says in line]) == 1


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("mypy.ini", f"[mypy]\n{PLUGIN}[capdeco]\ntool_modules = my_tool, ops\n"),
        ("pyproject.toml", f'{TOML}[tool.capdeco]\ntool_modules = ["my_tool", "ops"]\n'),
    ],
)
def test_a_tool_module_that_is_nowhere_is_one_error_however_many_files_need_it(
    file: str, text: str, project: Path
) -> None:
    (project / file).write_text(text)
    for number in range(3):
        (project / f"more_{number}.py").write_text(OPERATION.format(tool="known"))
    done = check(project, ".")
    assert done.returncode == 2
    section = "[capdeco]" if file == "mypy.ini" else "[tool.capdeco]"
    assert (done.stdout + done.stderr).splitlines() == [
        f'{file}: {section}: tool_modules: there is no module "my_tool"; did you mean "my_tools"?'
    ]
    (project / "my_tool.py").write_text(TOOLS)
    assert check(project, "more_0.py").returncode == 0


def test_a_tool_module_in_a_package_is_missed_by_its_whole_name(project: Path) -> None:
    (project / "acme").mkdir()
    (project / "acme" / "tools.py").write_text(TOOLS)
    (project / "mypy.ini").write_text(f"[mypy]\n{PLUGIN}[capdeco]\ntool_modules = acme.toolz\n")
    done = check(project)
    assert done.returncode == 2
    assert 'there is no module "acme.toolz"; did you mean "acme.tools"?' in done.stdout + done.stderr


@pytest.mark.parametrize("files", [("src/ops.py",), ("tests_of/test_it.py", "src/ops.py"), ("src", "tests_of")])
def test_a_tool_module_beside_the_files_that_are_checked_is_found(files: tuple[str, ...], project: Path) -> None:
    for folder in ("src", "tests_of"):
        (project / folder).mkdir()
    (project / "my_tools.py").rename(project / "src" / "my_tools.py")
    (project / "ops.py").rename(project / "src" / "ops.py")
    (project / "tests_of" / "test_it.py").write_text("import capdeco\n")
    (project / "mypy.ini").write_text(f"[mypy]\n{PLUGIN}[capdeco]\ntool_modules = my_tools\n")
    assert codes(project, *files) == [(4, "capdeco-tool")]
    (project / "tests_of" / "test_it.py").write_text("import capdeco\n\n")
    assert codes(project, *files) == [(4, "capdeco-tool")]


def test_a_tool_module_that_mypy_does_not_read_is_one_error(project: Path) -> None:
    (project / "mypy.ini").write_text(f"[mypy]\n{PLUGIN}[capdeco]\ntool_modules = setuptools.command\n")
    done = check(project)
    assert done.returncode == 2
    assert 'mypy does not read "setuptools.command": it is installed without types' in done.stdout + done.stderr


def test_a_package_that_only_holds_tool_modules_leaves_names_unchecked(project: Path) -> None:
    (project / "acme").mkdir()
    (project / "acme" / "__init__.py").write_text("")
    (project / "acme" / "tools.py").write_text(TOOLS)
    config = f"[mypy]\n{PLUGIN}enable_error_code = capdeco-unchecked\n[capdeco]\ntool_modules = "
    (project / "mypy.ini").write_text(f"{config}acme\n")
    assert codes(project) == [(4, "capdeco-unchecked")]
    (project / "mypy.ini").write_text(f"{config}acme, acme.tools\n")
    assert codes(project) == [(4, "capdeco-tool")]


@pytest.mark.parametrize(
    "declared",
    [
        '@tool(name="a" + "b")\ndef f(path: str) -> None:\n    """d"""\n',
        'def f(path: str) -> None:\n    """d"""\n\nT = Tool.of(f, name="a" + "b")\n',
        "def make(name: str) -> Tool:\n    raise NotImplementedError\n\nT = make('ab')\n",
        "def internal(f: Any) -> Any:\n    return f\n\n@internal\ndef f(path: str) -> None: ...\n",
        'OPTIONS: dict[str, Any] = {}\n\n@tool(**OPTIONS)\ndef f(path: str) -> None:\n    """d"""\n',
    ],
)
def test_where_the_name_of_a_tool_is_computed_any_name_may_be_one(declared: str, project: Path) -> None:
    (project / "my_tools.py").write_text(f"from typing import Any\nfrom capdeco import Tool, tool\n\n{declared}")
    config = f"[mypy]\n{PLUGIN}enable_error_code = capdeco-unchecked\n[capdeco]\ntool_modules = my_tools\n"
    (project / "mypy.ini").write_text(config)
    assert codes(project) == [(4, "capdeco-unchecked")]


def test_an_installed_tool_module_is_found(project: Path) -> None:
    (project / "mypy.ini").write_text(f"[mypy]\n{PLUGIN}[capdeco]\ntool_modules = typing_extensions\n")
    assert codes(project) == [(4, "capdeco-tool")]


def test_a_daemon_says_what_is_wrong_with_the_configuration_and_goes_on(project: Path) -> None:
    def run() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mypy.dmypy", "run", "--", "--no-error-summary", "ops.py"]
        return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)

    try:
        for modules in ("my_tools", "my_toolz", "my_tools"):
            (project / "mypy.ini").write_text(f"[mypy]\n{PLUGIN}[capdeco]\ntool_modules = {modules}\n")
            done = run()
            if modules == "my_tools":
                assert "capdeco-tool" in done.stdout, done
            else:
                assert 'there is no module "my_toolz"; did you mean "my_tools"?' in done.stdout + done.stderr
                assert done.returncode == 2
            assert "Traceback" not in done.stdout + done.stderr
            assert "crash" not in done.stdout + done.stderr
    finally:
        subprocess.run([sys.executable, "-m", "mypy.dmypy", "stop"], cwd=project, check=False, capture_output=True)


def test_a_fault_of_the_plugin_is_a_note_and_no_more(project: Path) -> None:
    (project / "broken.py").write_text(
        "from capdeco.check.mypy import types\n"
        "from capdeco.check.mypy_plugin import plugin as plugin\n"
        "def fail(*args: object, **kwargs: object) -> None:\n    raise ValueError('planted')\n"
        "types.TypeReader.signature = fail  # type: ignore\n"
    )
    (project / "mypy.ini").write_text("[mypy]\nplugins = ./broken.py\nenable_error_code = capdeco-unchecked\n")
    (project / "ops.py").write_text(TOOLS + OPERATION.format(tool="known"))
    done = check(project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "a fault in capdeco's own plugin" in done.stdout
    assert "planted" in done.stdout


@pytest.mark.parametrize(
    "plugins", ["pydantic.mypy, capdeco.check.mypy_plugin", "capdeco.check.mypy_plugin, pydantic.mypy"]
)
def test_beside_pydantics_own_plugin(plugins: str, project: Path) -> None:
    (project / "mypy.ini").write_text(f"[mypy]\nplugins = {plugins}\n")
    (project / "ops.py").write_text('''\
import pydantic
from capdeco import Step, capability, operation, tool

class Given(pydantic.BaseModel):
    title: str = pydantic.Field(alias="name")
    size: int = 0

@tool
def take(name: str, size: int) -> None:
    """d"""

@tool
def wrong(title: str) -> None:
    """d"""

Given(name="x", wrong=1)

@capability(id="c", description="d")
class C:
    @operation(steps=[Step(take, from_="given")])
    def right(self, given: Given) -> None:
        """d"""

    @operation(steps=[Step(wrong, from_="given")])
    def wrong(self, given: Given) -> None:
        """d"""
''')
    assert codes(project) == [(24, "capdeco-missing")]
