"""Loading: every way in which a plugin gets into a host, and out of it again. The plugins are real packages on disk."""

from __future__ import annotations

import gc
import importlib.resources
import importlib.util
import runpy
import sys
import weakref
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from textwrap import dedent
from typing import cast

import pytest

from capdeco import Binder, CapdecoError, EmbeddedHost, Tool
from capdeco.errors import BindError, WiringError
from tests.unit.test_binder_scopes import QuietHost

NOTES = '''
from capdeco import Step, capability, operation, tool

@tool
def note_find(word: str) -> list[str]:
    """Find notes."""
    return [word]

@capability(id="notes", description="Notes.")
class Notes:
    @operation(steps=[Step(note_find)])
    def review(self, word: str) -> None:
        """Review notes."""
'''

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Write files below a folder on sys.path; what was imported from it is forgotten afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def write_files(**files: str) -> Path:
        for name, text in files.items():
            path = tmp_path / (name.replace("__", "/") + ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text), encoding="utf-8")
        importlib.invalidate_caches()
        return tmp_path

    yield write_files
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


def init(text: str = "") -> str:
    return text or '"""A package."""\n'


def names(host: EmbeddedHost) -> list[str]:
    return list(host.catalog())


# Modules and packages


def test_a_module_is_loaded_tools_first(write: Write) -> None:
    write(plug_a=NOTES)
    host = EmbeddedHost()
    registration = Binder(host).load("plug_a")
    assert names(host) == ["note_find", "notes_review"]
    registration.close()
    assert names(host) == []


def test_a_package_is_loaded_with_what_is_below_it(write: Write) -> None:
    root = write(
        plug_b__tools='''
            from capdeco import tool

            @tool
            def note_find(word: str) -> list[str]:
                """Find notes."""
                return [word]
        ''',
        plug_b__deep__caps='''
            from capdeco import Step, capability, operation
            from plug_b.tools import note_find

            @capability(id="notes", description="Notes.")
            class Notes:
                @operation(steps=[Step(note_find)])
                def review(self, word: str) -> None:
                    """Review notes."""
        ''',
    )
    for folder in ("plug_b", "plug_b/deep"):
        (root / folder / "__init__.py").write_text(init())
    host = EmbeddedHost()
    Binder(host).load("plug_b")
    assert names(host) == ["note_find", "notes_review"]


def test_what_a_plugin_only_imported_is_not_its_own(write: Write) -> None:
    write(plug_c=NOTES, plug_d="from plug_c import Notes, note_find\n")
    host = EmbeddedHost()
    Binder(host).load("plug_d")
    assert names(host) == []


def test_a_tool_belongs_to_the_module_that_declared_it_whoever_wrote_its_function(write: Write) -> None:
    write(
        plug_lib='''
            from capdeco import Tool, tool

            def read(word: str) -> str:
                """Read."""
                return word

            class Store:
                def get(self, word: str) -> str:
                    """Get."""
                    return word

            def declare(function, name):
                return Tool.of(function, name=name)

            LIBRARY = Tool.of(read, name="library")
            internal = tool(expose=False)
        ''',
        plug_of='''
            from functools import partial, wraps

            from capdeco import Step, Tool, capability, operation, tool
            from plug_lib import LIBRARY, Store, declare, internal, read

            FUNCTION = Tool.of(read, name="function")
            PARTIAL = Tool.of(partial(read, word="ink"), name="partial")
            BOUND = Tool.of(Store().get, name="bound")
            HELPED = declare(read, "helped")

            @internal
            def own(word: str) -> str:
                """Own."""
                return word

            @tool(name="wrapping")
            @wraps(read)
            def wrapping(word: str) -> str:
                return read(word)
        ''',
        plug_uses="from plug_of import BOUND, FUNCTION, HELPED, PARTIAL, own, wrapping\n",
    )
    for plugin, expected in {
        "plug_of": ["bound", "function", "helped", "own", "partial", "wrapping"],
        "plug_lib": ["library"],
        "plug_uses": [],
    }.items():
        host = EmbeddedHost()
        registration = Binder(host).load(plugin)
        assert sorted(registration.tools) == expected


def test_two_tools_of_one_name_are_refused_with_the_places_of_both(write: Write) -> None:
    again = '@tool(name="note_find")\ndef again(word: str) -> str:\n    """A."""\n    return word\n'
    write(plug_twins=NOTES + again)
    with pytest.raises(BindError) as caught:
        Binder(EmbeddedHost()).load("plug_twins")
    (found,) = caught.value.diagnostics
    assert found.what.startswith('the tool name "note_find" is already taken, at ')
    assert found.what.endswith("plug_twins.py:5")
    assert found.place is not None
    assert found.place.line == 15


def test_a_second_host_gets_the_same_set_whether_or_not_it_was_imported(write: Write) -> None:
    write(plug_e=NOTES)
    one, two = EmbeddedHost(), EmbeddedHost()
    Binder(one).load("plug_e")
    Binder(two).load("plug_e")
    assert names(one) == names(two) == ["note_find", "notes_review"]


def test_plain_imports_register_nothing(write: Write) -> None:
    write(plug_f=NOTES)
    host = EmbeddedHost()
    Binder(host)
    importlib.import_module("plug_f")
    assert names(host) == []


def test_packages_that_import_each_other_in_a_circle_load(write: Write) -> None:
    write(plug_g="import plug_h\n" + NOTES, plug_h="import plug_g\n")
    host = EmbeddedHost()
    Binder(host).load("plug_g")
    assert names(host) == ["note_find", "notes_review"]


def test_what_could_not_be_registered_is_not_imported(write: Write) -> None:
    write(plug_h1=NOTES)
    host = EmbeddedHost()
    binder = Binder(host)
    with host.scope("reader") as scope:
        pass
    with pytest.raises(BindError, match="the scope reader has ended"):
        binder.load("plug_h1", scope=scope)
    binder.close()
    with pytest.raises(BindError, match="this binder is closed"):
        binder.load("plug_h1")
    assert "plug_h1" not in sys.modules


def test_after_a_reload_the_new_declarations_are_loaded(write: Write) -> None:
    root = write(plug_i=NOTES)
    host = EmbeddedHost()
    binder = Binder(host)
    binder.load("plug_i").close()
    (root / "plug_i.py").write_text(NOTES.replace("note_find", "note_search_again"))
    importlib.reload(sys.modules["plug_i"])
    binder.load("plug_i")
    assert "note_search_again" in names(host)


def test_unloading_one_plugin_leaves_the_others(write: Write) -> None:
    write(plug_j=NOTES, plug_k=NOTES.replace("note", "task"))
    host = EmbeddedHost()
    binder = Binder(host)
    first = binder.load("plug_j")
    binder.load("plug_k")
    first.close()
    assert names(host) == ["task_find", "tasks_review"]
    assert [each.id for each in binder.list()] == ["tasks"]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("import no_such_module_anywhere\n", 1, "ModuleNotFoundError"),
        (NOTES + "\n1 / 0\n", NOTES.count("\n") + 2, "ZeroDivisionError"),
        (NOTES + "\nraise SystemExit(3)\n", NOTES.count("\n") + 2, "SystemExit"),
        ("def broken(:\n", 1, "SyntaxError"),
    ],
)
def test_an_import_that_fails_registers_nothing_and_says_which_line(
    write: Write, text: str, line: int, says: str
) -> None:
    root = write(plug_l=text)
    host = EmbeddedHost()
    with pytest.raises(BindError, match=says) as caught:
        Binder(host).load("plug_l")
    (found,) = caught.value.diagnostics
    assert found.place is not None
    assert (found.place.file, found.place.line) == (str(root / "plug_l.py"), line)
    assert names(host) == []


@pytest.mark.parametrize(
    ("plugin", "says", "fix"),
    [
        ("plug_absnt", 'there is no module "plug_absnt"', 'did you mean "plug_absent"?'),
        ("plug_folder.tols", 'there is no module "plug_folder.tols"', 'did you mean "plug_folder.tools"?'),
        ("no_such_anywhere.tools", 'there is no module "no_such_anywhere"', "name one as in package.module, "),
        ("json.decoder.x", 'there is no module "json.decoder.x"', "name one as in package.module, "),
        ("", '"" is no name of a module', "name one as in package.module, "),
        (".tools", '".tools" is no name of a module', "name one as in package.module, "),
    ],
)
def test_a_module_that_is_nowhere_is_no_fault_of_a_plugin(write: Write, plugin: str, says: str, fix: str) -> None:
    root = write(plug_absent=NOTES, plug_folder__tools=NOTES)
    (root / "plug_folder" / "__init__.py").write_text(init())
    with pytest.raises(BindError) as caught:
        Binder(EmbeddedHost()).load(plugin)
    (found,) = caught.value.diagnostics
    assert (found.what, found.place) == (says, None)
    assert found.fix.startswith(fix)


def test_a_module_that_a_plugin_fails_to_import_is_a_fault_of_the_plugin(write: Write) -> None:
    root = write(plug_l1__tools="import plug_l1.no_such_part\n")
    (root / "plug_l1" / "__init__.py").write_text(init())
    with pytest.raises(BindError, match="failed to load: ModuleNotFoundError") as caught:
        Binder(EmbeddedHost()).load("plug_l1.tools")
    assert str(caught.value.diagnostics[0].place) == f"{root / 'plug_l1' / 'tools.py'}:1"


def test_an_installed_plugin_whose_module_is_nowhere_is_reported_so(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(plug_l2=NOTES)
    install(root, one="plug_l3", two="plug_l3:setup")
    (root / "capdeco.toml").write_text('plugins = ["one", "two"]\n')
    monkeypatch.chdir(root)
    for plugin in Binder(EmbeddedHost()).load_installed().loaded:
        assert plugin.error is not None
        assert 'there is no module "plug_l3"' in str(plugin.error)
        assert 'did you mean "plug_l2"' in str(plugin.error)


def test_a_plugin_with_one_fault_is_not_half_loaded(write: Write) -> None:
    write(plug_m=NOTES.replace("def review(self, word", "def review(self, wort"))
    host = EmbeddedHost()
    with pytest.raises(WiringError):
        Binder(host).load("plug_m")
    assert host.lookup("note_find") is None


def test_an_operation_without_capability_is_never_dropped_in_silence(write: Write) -> None:
    write(
        plug_n='''
            from capdeco import Step, operation

            @operation(steps=[Step("x")])
            def alone(word: str) -> None:
                """Alone."""
        '''
    )
    with pytest.raises(CapdecoError, match="put @capability"):
        Binder(EmbeddedHost()).load("plug_n")


# On import


def test_watching_binds_at_plain_imports_of_the_packages_named_and_no_others(write: Write) -> None:
    write(plug_o=NOTES, plug_p=NOTES.replace("note", "task"))
    host = EmbeddedHost()
    finders = list(sys.meta_path)
    with Binder(host).watch_imports("plug_o"):
        importlib.import_module("plug_p")
        assert names(host) == []
        importlib.import_module("plug_o")
        assert names(host) == ["note_find", "notes_review"]
    assert names(host) == []
    assert sys.meta_path == finders


def test_two_binders_may_watch_one_package(write: Write) -> None:
    write(plug_q=NOTES)
    one, two = EmbeddedHost(), EmbeddedHost()
    with Binder(one) as first, Binder(two) as second:
        first.watch_imports("plug_q")
        second.watch_imports("plug_q")
        importlib.import_module("plug_q")
        assert names(one) == names(two) == ["note_find", "notes_review"]


def test_a_package_that_is_imported_already_is_bound_at_once(write: Write) -> None:
    write(plug_r=NOTES)
    importlib.import_module("plug_r")
    host = EmbeddedHost()
    Binder(host).watch_imports("plug_r")
    assert names(host) == ["note_find", "notes_review"]


def test_where_a_watched_declaration_is_refused_the_import_fails_and_nothing_is_registered(write: Write) -> None:
    write(plug_s=NOTES.replace("def review(self, word", "def review(self, wort"))
    host = EmbeddedHost()
    with Binder(host) as binder:
        binder.watch_imports("plug_s")
        with pytest.raises(WiringError):
            importlib.import_module("plug_s")
    assert "plug_s" not in sys.modules
    assert names(host) == []


def test_a_watch_that_is_closed_leaves_nothing_behind(write: Write) -> None:
    write(plug_s1=NOTES)
    finders = list(sys.meta_path)
    binder = Binder(EmbeddedHost())
    left = weakref.ref(binder.watch_imports("plug_s1"))
    found = left()
    assert found is not None
    found.close()
    del found
    gc.collect()
    assert left() is None
    assert sys.meta_path == finders


def test_a_binder_that_is_closed_watches_nothing(write: Write) -> None:
    write(plug_s2=NOTES)
    finders = list(sys.meta_path)
    binder = Binder(EmbeddedHost())
    binder.watch_imports("plug_s2")
    binder.close()
    assert sys.meta_path == finders
    with pytest.raises(BindError, match="this binder is closed"):
        binder.watch_imports("plug_s2")
    importlib.import_module("plug_s2")  # and it is nobody's concern any more


@pytest.mark.parametrize("kind", [EmbeddedHost, QuietHost])
def test_a_watch_ends_with_its_scope(write: Write, kind: type[EmbeddedHost]) -> None:
    write(plug_s3=NOTES, plug_s4=NOTES)
    host = kind()
    binder = Binder(host)
    finders = list(sys.meta_path)
    with host.scope("reader") as scope:
        binder.watch_imports("plug_s3", "plug_s4", scope=scope)
        importlib.import_module("plug_s3")
        assert list(host.catalog(scope)) == ["note_find", "notes_review"]
    importlib.import_module("plug_s4")
    assert binder.list() == ()
    assert sys.meta_path == finders
    with pytest.raises(BindError, match="the scope reader has ended"):
        binder.watch_imports("plug_s3", scope=scope)


READS_ITSELF = """
import importlib.resources
import inspect
import pkgutil
import sys

GREETING = importlib.resources.files(__name__).joinpath("greeting.txt").read_text()
DATA = pkgutil.get_data(__name__, "greeting.txt")
SOURCE = inspect.getsource(sys.modules[__name__])
"""


def test_a_watched_package_finds_its_resources_and_its_source_while_it_is_imported(write: Write) -> None:
    root = write(plug_s5__tools=NOTES)
    (root / "plug_s5" / "__init__.py").write_text(READS_ITSELF)
    (root / "plug_s5" / "greeting.txt").write_text("hello")
    host = EmbeddedHost()
    with Binder(host).watch_imports("plug_s5"):
        module = importlib.import_module("plug_s5")
        assert (module.GREETING, module.DATA, module.SOURCE) == ("hello", b"hello", READS_ITSELF)
        assert names(host) == ["note_find", "notes_review"]
        assert importlib.resources.files("plug_s5").joinpath("greeting.txt").is_file()


def test_what_finds_a_watched_package_without_importing_it_sees_it_as_it_is(write: Write) -> None:
    root = write(plug_s6=NOTES)
    plain = importlib.util.find_spec("plug_s6")
    host = EmbeddedHost()
    with Binder(host).watch_imports("plug_s6"):
        watched = importlib.util.find_spec("plug_s6")
        assert plain is not None
        assert watched is not None
        assert watched.origin == plain.origin == str(root / "plug_s6.py")
        theirs, ours = plain.loader, watched.loader
        assert isinstance(theirs, SourceFileLoader)
        for name in dir(theirs):
            assert hasattr(ours, name), name
        assert cast("SourceFileLoader", ours).get_source("plug_s6") == theirs.get_source("plug_s6")
        assert names(host) == []


def test_a_watched_module_runs_as_a_program_without_being_bound(write: Write) -> None:
    root = write(plug_s7="ANSWER = 42\n", plug_s8__tools=NOTES)
    (root / "plug_s8" / "__init__.py").write_text(init())
    (root / "plug_s8" / "__main__.py").write_text("ANSWER = 43\n")
    host = EmbeddedHost()
    with Binder(host).watch_imports("plug_s7", "plug_s8"):
        assert runpy.run_module("plug_s7")["ANSWER"] == 42
        assert names(host) == []
        assert runpy.run_module("plug_s8")["ANSWER"] == 43
        assert names(host) == ["note_find", "notes_review"]  # to run what is in a package imports the package


def test_a_package_that_was_found_before_its_watch_was_closed_is_not_bound(write: Write) -> None:
    write(plug_s9=NOTES)
    host = EmbeddedHost()
    with Binder(host) as binder:
        binder.watch_imports("plug_s9")
        spec = importlib.util.find_spec("plug_s9")
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert names(host) == []


# Installed plugins


def install(root: Path, **entries: str) -> None:
    """Install distributions as an installer does: a dist-info folder with entry points."""
    for name, target in entries.items():
        folder = root / f"{name}-1.2.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        (folder / "entry_points.txt").write_text(f"[capdeco.plugins]\n{name} = {target}\n")
    importlib.invalidate_caches()


SETUP = (
    NOTES
    + """
def setup(binder, options):
    if options.get("fail"):
        binder.register(note_find)
        raise RuntimeError(options["fail"])
    binder.register(note_find, Notes)
"""
)


def test_without_a_profile_nothing_is_loaded_and_what_is_installed_is_listed(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(plug_t=NOTES)
    install(root, tee="plug_t")
    monkeypatch.chdir(root)
    host = EmbeddedHost()
    plugins = Binder(host).load_installed()
    assert plugins.loaded == ()
    assert "tee" in plugins.installed
    assert names(host) == []
    assert "plug_t" not in sys.modules


def test_a_profile_is_loaded_in_its_order_with_its_options(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(
        plug_u=NOTES,
        plug_v="""
            from capdeco import Tool

            def setup(binder, options):
                binder.register(Tool.of(lambda: 1, name=options["name"], description="One."))
        """,
    )
    install(root, you="plug_u", vee="plug_v:setup")
    (root / "capdeco.toml").write_text('plugins = [{name = "vee", options = {name = "${TOOL_NAME}_tool"}}, "you"]\n')
    monkeypatch.chdir(root)
    monkeypatch.setenv("TOOL_NAME", "my")
    host = EmbeddedHost()
    with Binder(host) as binder:
        plugins = binder.load_installed()
        assert names(host) == ["my_tool", "note_find", "notes_review"]
        assert [(each.name, each.version, each.error) for each in plugins.loaded] == [
            ("vee", "1.2", None),
            ("you", "1.2", None),
        ]
        plugins.loaded[0].close()
        assert names(host) == ["note_find", "notes_review"]


def test_a_plugin_that_fails_is_withdrawn_whole_and_the_others_stay_up(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(plug_w=SETUP, plug_x=NOTES.replace("note", "task"))
    install(root, double="plug_w:setup", ex="plug_x")
    (root / "pyproject.toml").write_text(
        '[tool.capdeco]\nplugins = [{name = "double", options = {fail = "no disk"}}, "ex"]\n'
    )
    monkeypatch.chdir(root)
    host = EmbeddedHost()
    plugins = Binder(host).load_installed()
    assert names(host) == ["task_find", "tasks_review"]
    (failed, _) = plugins.loaded
    assert failed.error is not None
    (found,) = failed.error.diagnostics
    assert "no disk" in found.what
    assert found.place is not None
    assert found.place.line == SETUP.splitlines().index('        raise RuntimeError(options["fail"])') + 1


def test_strict_stops_at_the_first_failure_with_nothing_left(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(plug_y=NOTES, plug_z="1 / 0\n")
    install(root, why="plug_y", zed="plug_z")
    (root / "capdeco.toml").write_text('plugins = ["why", "zed"]\n')
    monkeypatch.chdir(root)
    host = EmbeddedHost()
    with pytest.raises(BindError, match="ZeroDivisionError"):
        Binder(host).load_installed(strict=True)
    assert names(host) == []


def test_strict_withdraws_the_last_one_first(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(plug_y1=NOTES, plug_y2=NOTES.replace("note", "task"), plug_y3="1 / 0\n")
    install(root, y1="plug_y1", y2="plug_y2", y3="plug_y3")
    (root / "capdeco.toml").write_text('plugins = ["y1", "y2", "y3"]\n')
    monkeypatch.chdir(root)
    host = EmbeddedHost()
    gone: list[str | None] = []
    host.on_change(lambda change: gone.append(change.name) if change.kind == "withdrawn" else None)
    with pytest.raises(BindError, match="ZeroDivisionError"):
        Binder(host).load_installed(strict=True)
    assert gone == ["task_find", "tasks_review", "note_find", "notes_review"]


WATCHES = """
def setup(binder, options):
    binder.watch_imports("plug_later")
    if options.get("interrupt"):
        raise KeyboardInterrupt
    if options.get("fail"):
        raise RuntimeError("no disk")
"""


@pytest.fixture
def watches(write: Write, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A plugin that watches imports, installed; and the package that it waits for."""
    root = write(plug_watches=WATCHES, plug_later=NOTES)
    install(root, watches="plug_watches:setup")
    monkeypatch.chdir(root)
    finders = list(sys.meta_path)
    yield root
    assert sys.meta_path == finders


def wants(root: Path, **options: object) -> None:
    """Write the profile that names the watching plugin."""
    given = ", ".join(f"{key} = {str(value).lower()}" for key, value in options.items())
    (root / "capdeco.toml").write_text(f'plugins = [{{name = "watches", options = {{{given}}}}}]\n')


def test_a_plugin_that_fails_is_withdrawn_with_its_watches(watches: Path) -> None:
    wants(watches, fail=True)
    host = EmbeddedHost()
    (failed,) = Binder(host).load_installed().loaded
    assert failed.error is not None
    importlib.import_module("plug_later")
    assert names(host) == []


def test_a_plugin_that_is_interrupted_is_withdrawn_too(watches: Path) -> None:
    wants(watches, interrupt=True)
    host = EmbeddedHost()
    with pytest.raises(KeyboardInterrupt):
        Binder(host).load_installed()
    importlib.import_module("plug_later")
    assert names(host) == []


def test_a_plugin_is_unloaded_with_what_its_watches_bound_and_watches_no_more(watches: Path) -> None:
    wants(watches)
    host = EmbeddedHost()
    plugins = Binder(host).load_installed()
    (plugin,) = plugins.loaded
    assert not plugin.registrations
    importlib.import_module("plug_later")
    assert names(host) == ["note_find", "notes_review"]
    assert [each.tools for each in plugin.registrations] == [("note_find", "notes_review")]
    plugins.close()
    assert names(host) == []
    importlib.reload(sys.modules["plug_later"])
    assert names(host) == []


def test_a_plugin_that_is_unloaded_unimported_watches_no_more(watches: Path) -> None:
    wants(watches)
    host = EmbeddedHost()
    Binder(host).load_installed().close()
    importlib.import_module("plug_later")
    assert names(host) == []


@pytest.mark.parametrize(
    "text",
    [
        "async def setup(binder, options):\n    binder.register(note_find)\n",
        "def setup(binder, options):\n    binder.register(note_find)\n    yield\n",
        "async def setup(binder, options):\n    binder.register(note_find)\n    yield\n",
        "async def wait(): ...\ndef setup(binder, options):\n    binder.register(note_find)\n    return wait()\n",
    ],
    ids=["async", "a generator", "an async generator", "half async"],
)
def test_a_setup_that_nobody_would_run_to_its_end_is_refused(
    write: Write, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    root = write(plug_async=NOTES + text)
    install(root, later="plug_async:setup")
    (root / "capdeco.toml").write_text('plugins = ["later"]\n')
    monkeypatch.chdir(root)
    host = EmbeddedHost()
    (plugin,) = Binder(host).load_installed().loaded
    assert plugin.error is not None
    (found,) = plugin.error.diagnostics
    assert "which nobody waits for" in found.what
    assert (
        found.fix == "let it register everything before it returns, in a plain function; nothing of it was registered"
    )
    assert found.place is not None
    line = next(number for number, line in enumerate((NOTES + text).splitlines(), 1) if "def setup" in line)
    assert (found.place.file, found.place.line) == (str(root / "plug_async.py"), line)
    assert names(host) == []


def test_a_setup_may_give_back_what_it_registered(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(plug_gives=NOTES + "setup = lambda binder, options: binder.register(note_find)\n")
    install(root, gives="plug_gives:setup")
    (root / "capdeco.toml").write_text('plugins = ["gives"]\n')
    monkeypatch.chdir(root)
    host = EmbeddedHost()
    Binder(host).load_installed(strict=True)
    assert names(host) == ["note_find"]


def test_a_plugin_that_fails_takes_its_own_with_it_and_nothing_else(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(
        plug_own="""
            import importlib
            from capdeco import Tool

            def make(name):
                return Tool.of(lambda: 1, name=name, description="One.")

            def setup(binder, options):
                binder.register(make("own_first"))
                binder.earlier.close()
                importlib.import_module("plug_theirs")
                binder.register(make("own_second"))
                raise RuntimeError("no disk")
        """,
        plug_theirs=NOTES,
    )
    install(root, own="plug_own:setup")
    (root / "capdeco.toml").write_text('plugins = ["own"]\n')
    monkeypatch.chdir(root)
    host = EmbeddedHost()
    with Binder(host) as binder:
        for name in ("first", "earlier", "last"):
            held = binder.register(Tool.of(lambda: 1, name=name, description="One."))
            if name == "earlier":
                binder.earlier = held  # type: ignore[attr-defined]
        binder.watch_imports("plug_theirs")
        binder.load_installed()
        # What it closed stays closed, and what somebody else's watch bound meanwhile is theirs.
        assert names(host) == ["first", "last", "note_find", "notes_review"]


def test_a_profile_that_is_nowhere_is_said_to_be_nowhere(tmp_path: Path) -> None:
    with pytest.raises(BindError) as caught:
        Binder(EmbeddedHost()).load_installed(tmp_path / "no.toml")
    (found,) = caught.value.diagnostics
    assert (found.what, found.fix) == ("there is no such file", "check the path")
    assert str(found.place) == str(tmp_path / "no.toml")


@pytest.mark.parametrize(
    ("profile", "says"),
    [
        ("plugins = ['ye']\n", 'did you mean "yes"'),
        ("plugin = []\n", 'did you mean "plugins"'),
        ("plugins = 'yes'\n", "a list"),
        ("plugins = [3]\n", "a name or a table"),
        ("plugins = ['yes', 'yes']\n", "twice"),
        ("plugins = [{name = 'yes', option = {}}]\n", 'did you mean "options"'),
        ("plugins = [{name = 'yes', options = {a = '${NO_SUCH_VARIABLE_HERE}'}}]\n", "NO_SUCH_VARIABLE_HERE"),
        ("plugins = [", "cannot be read"),
    ],
)
def test_a_wrong_profile_is_refused_with_its_file_and_what_to_do(write: Write, profile: str, says: str) -> None:
    root = write(plug_yes=NOTES)
    install(root, yes="plug_yes")
    path = root / "capdeco.toml"
    path.write_text(profile)
    with pytest.raises(BindError, match="capdeco-host") as caught:
        Binder(EmbeddedHost()).load_installed(path)
    (found,) = caught.value.diagnostics
    assert says in str(found)
    assert found.place is not None
    assert found.place.file == str(path)
