"""A plugin's folder, or a listing of its tools, read from beginning to end within a time limit."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from capdeco.check.analyze.declared import Declarations
from capdeco.check.analyze.files import LANGUAGES, Clock, Limits, SourceFile, TimeUp, Tree, load, walk
from capdeco.check.analyze.javascript.module import JsProject
from capdeco.check.analyze.javascript.reader import JavaScriptReader
from capdeco.check.analyze.python.module import Unparsable
from capdeco.check.analyze.python.project import Project, module_name
from capdeco.check.analyze.python.reader import PythonReader
from capdeco.check.analyze.records import Found, FoundTool, Unread
from capdeco.check.analyze.settings import tool_modules
from capdeco.codes import DECLARATION
from capdeco.errors import AnalysisError, Diagnostic, Place

_LONG_LIST = 200
"""Files that the time limit kept from being read are listed one by one up to here."""


def analyze_folder(path: Path, limits: Limits | None = None) -> Found:
    """Read a plugin's source, without importing, running or writing anything.

    Raises:
        AnalysisError: there is nothing at *path*.
    """
    limits = limits or Limits()
    clock = Clock(limits.seconds)
    try:
        root = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "it cannot be followed"
        raise AnalysisError(
            Diagnostic(DECLARATION, f"{path} cannot be read: {reason}", "name a folder, or one source file")
        ) from None
    tree = walk(root, clock) if root.is_dir() else _single(root)
    reader = _Readers(root if root.is_dir() else root.parent, tree, limits, clock)
    with warnings.catch_warnings(), _no_collector():
        # What the parser thinks of somebody's string escapes is not ours to print.
        warnings.simplefilter("ignore")
        reader.read_all()
        return reader.result(str(path))


@contextmanager
def _no_collector() -> Iterator[None]:
    """Keep Python from searching for circles: syntax trees are many objects, hold none, and cost most of the search."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _single(path: Path) -> Tree:
    language = LANGUAGES.get(path.suffix.lower())
    if language is None:
        return Tree(unread=[Unread(path.name, "no Python, JavaScript or TypeScript by its name")])
    return Tree(sources=[SourceFile(path.name, str(path), language)])


@attrs.define(eq=False)
class _Readers:
    root: Path
    tree: Tree
    limits: Limits
    clock: Clock
    declarations: Declarations = attrs.field(factory=Declarations)
    read: int = 0
    tools: list[FoundTool] = attrs.field(factory=list)
    _python: PythonReader = attrs.field(init=False)
    _javascript: JavaScriptReader = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        by_path = {source.path: source for source in self.tree.sources}

        def bytes_of(path: str) -> bytes | None:
            found = load(by_path[path], self.limits) if path in by_path else None
            return found if isinstance(found, bytes) else None

        python = {module_name(path): path for path, source in by_path.items() if source.language == "python"}
        project = Project(python, self.root.name, bytes_of)
        self._python = PythonReader(project, self.declarations, self.clock)
        javascript = {path: source.language for path, source in by_path.items() if source.language != "python"}
        self._javascript = JavaScriptReader(JsProject(javascript, bytes_of, self.clock), self.declarations)
        modules = tool_modules(self._settings) if python else ()
        self.declarations.tool_modules = {each: project.path_named(tuple(each.split("."))) for each in modules}

    def _settings(self, name: str) -> bytes | None:
        found = load(SourceFile(name, str(self.root / name), "python"), self.limits)
        return found if isinstance(found, bytes) else None

    def read_all(self) -> None:
        """Read every file that the time allows."""
        try:
            self._read_each()
        finally:
            self._python.project.close()

    def _read_each(self) -> None:
        for number, source in enumerate(self.tree.sources):
            try:
                self.clock.check()
                unread = self._read(source)
            except TimeUp:
                self._out_of_time(number)
                break
            if unread is not None:
                self.tree.unread.append(unread)

    def _read(self, source: SourceFile) -> Unread | None:
        data = load(source, self.limits)
        if isinstance(data, Unread):
            return data
        reader: Callable[[str, bytes], Unread | None] = (
            self._read_python if source.language == "python" else self._javascript.read
        )
        try:
            unread = reader(source.path, data)
        except RecursionError:
            return Unread(source.path, "nested too deeply: not read whole")
        self.read += unread is None or unread.partly
        return unread

    def _read_python(self, path: str, data: bytes) -> Unread | None:
        try:
            self._python.read(path, data)
        except Unparsable as error:
            return Unread(path, str(error))
        return None

    def _out_of_time(self, number: int) -> None:
        left = self.tree.sources[number:]
        self.tree.complete = False
        self.tree.unread += [Unread(each.path, "the time limit was reached") for each in left[:_LONG_LIST]]
        if len(left) > _LONG_LIST:
            self.tree.unread.append(Unread(f"{len(left) - _LONG_LIST} more files", "the time limit was reached"))

    def result(self, source: str) -> Found:
        tools = sorted(self._python.tools + self._javascript.finish(), key=_order)
        return Found(
            source=source,
            kind="folder",
            tools=tuple(tools),
            capabilities=tuple(sorted(self.declarations.found(), key=lambda each: (each.place, each.id))),
            diagnostics=self.declarations.diagnostics(tools),
            read=self.read,
            unread=tuple(sorted(self.tree.unread)),
            other=self.tree.other,
            complete=self.tree.complete,
        )


def _order(tool: FoundTool) -> tuple[Place, str]:
    return tool.place, repr(tool.name)
