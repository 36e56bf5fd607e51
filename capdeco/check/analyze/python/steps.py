"""The `steps=` of an operation in Python source, written out, added up or by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import Final

import attrs

from capdeco.check.analyze.declared import Declarations, ReadStep
from capdeco.check.analyze.python.marks import ours
from capdeco.check.analyze.python.module import Scope, clipped
from capdeco.check.analyze.python.project import External
from capdeco.check.analyze.python.shapes import Shapes
from capdeco.check.analyze.python.tools import ToolReader
from capdeco.check.analyze.records import Dynamic
from capdeco.declare import faults
from capdeco.errors import Place

_MOST_STEPS: Final = 1000
_DEEPEST_STEPS: Final = 20
"""Steps of one operation, and lists within lists of them: names that hold each other are as long as they like."""


@attrs.frozen(eq=False)
class StepReader:
    """Reads the steps of operations."""

    shapes: Shapes
    """Strict ones."""
    into: Declarations

    def read(self, node: ast.expr | None, name: str, place: Place, scope: Scope) -> tuple[ReadStep, ...]:
        """Read the `steps=` of the operation *name*; what is refused is noted."""
        if node is None:
            self.into.refuse(faults.no_steps(name), place)
            return ()
        written = self.shapes.project.definition(node, scope)
        if written is not None and isinstance(written[0], ast.Constant | ast.Dict | ast.Set | ast.JoinedStr):
            value = written[0].value if isinstance(written[0], ast.Constant) else None
            shown = repr(value) if isinstance(written[0], ast.Constant) else clipped(written[0])
            self.into.refuse(faults.steps_are_no_list(name, shown), place)
            return ()
        items = list(islice(self._items(node, scope, None), _MOST_STEPS))
        if not items:
            self.into.refuse(faults.no_steps(name), Place(scope.module.path, node.lineno))
        if all(each is None for each, _, _ in items):
            return ()
        steps = [
            self._step(each, f"step {number} of {name}", where, at)
            for number, (each, where, at) in enumerate(items, start=1)
        ]
        return tuple(each for each in steps if each is not None)

    def _items(
        self, node: ast.expr, scope: Scope, at: Place | None, depth: int = 0
    ) -> Iterator[tuple[ast.expr | None, Scope, Place]]:
        """What a list of steps holds, `None` for a part that is computed, and where to point, by names too: at them."""
        here = at or Place(scope.module.path, node.lineno)
        found = self.shapes.project.definition(node, scope) if depth < _DEEPEST_STEPS else None
        written, where = found or (node, scope)
        if written is not node:
            at = here
        if isinstance(written, ast.List) and isinstance(node, ast.Name):
            changed = node.id in where.module.scope.used_as_objects | scope.module.scope.used_as_objects
            written = node if changed else written
        match written:
            case ast.List(elts=items) | ast.Tuple(elts=items):
                for each in items:
                    if isinstance(each, ast.Starred):
                        yield from self._items(each.value, where, at, depth + 1)
                    else:
                        yield each, where, at or Place(where.module.path, each.lineno)
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                yield from self._items(left, where, at, depth + 1)
                yield from self._items(right, where, at, depth + 1)
            case _:
                yield None, where, here

    def _step(self, node: ast.expr | None, subject: str, scope: Scope, place: Place) -> ReadStep | None:
        if node is None:
            return ReadStep(Dynamic(), Dynamic(), place)
        found = self.shapes.project.definition(node, scope)
        written, scope = found or (node, scope)
        computed = ReadStep(Dynamic(clipped(written)), Dynamic(clipped(written)), place)
        if isinstance(written, ast.Dict):
            return self._step_mapping(written, subject, place, scope)
        if not isinstance(written, ast.Call):
            if isinstance(written, ast.Constant | ast.Tuple | ast.List):
                shown = repr(written.value) if isinstance(written, ast.Constant) else clipped(written)
                flaw = faults.no_step(shown, is_list=not isinstance(written, ast.Constant))
                self.into.refuse(flaw, place, subject)
                return None
            return computed
        called = self.shapes.project.resolve(written.func, scope)
        if not (isinstance(called, External) and ours(called.name, "Step")):
            return computed
        options = {each.arg: each.value for each in written.keywords}
        tool = written.args[0] if written.args else options.get("tool")
        source = written.args[1] if len(written.args) > 1 else options.get("from_")
        if tool is None or None in options:
            return computed
        return self._read_step(written, tool, source, subject, place, scope)

    def _step_mapping(self, node: ast.Dict, subject: str, place: Place, scope: Scope) -> ReadStep | None:
        found: dict[str, ast.expr] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            name = self.shapes.project.value(key, scope) if key is not None else Dynamic()
            if not isinstance(name, str):
                return ReadStep(Dynamic(clipped(node)), Dynamic(clipped(node)), place)
            flaw = faults.step_key(name)
            if flaw:
                self.into.refuse(flaw, place, subject)
                return None
            found[name] = value
        flaw = faults.step_without_tool() if "tool" not in found else None
        if isinstance(source := found.get("from"), ast.Constant):
            flaw = flaw or faults.step_from(source.value)
        if flaw:
            self.into.refuse(flaw, place, subject)
            return None
        return self._read_step(node, found["tool"], found.get("from"), subject, place, scope)

    def _read_step(
        self, step: ast.expr, tool: ast.expr, source: ast.expr | None, subject: str, place: Place, scope: Scope
    ) -> ReadStep | None:
        named = ToolReader(self.shapes, self.into).named_by(tool, scope)
        name, takes, flaw = named.name, named.takes, named.flaw
        if isinstance(name, str):
            flaw = flaw or faults.step_tool(name)
        from_ = self.shapes.project.text(source, scope)
        if from_ == "" or (isinstance(from_, Dynamic) and isinstance(source, ast.Constant)):
            flaw = flaw or faults.step_from(source.value if isinstance(source, ast.Constant) else from_)
        if flaw:
            self.into.refuse(flaw, place, subject)
            return None
        # Where the step is but a name, its parts stand elsewhere, and right for others perhaps.
        is_here = place == Place(scope.module.path, step.lineno)
        return ReadStep(
            name,
            from_,
            place,
            tool_place=Place(place.file, tool.lineno) if is_here else None,
            from_place=Place(place.file, source.lineno) if is_here and source is not None else None,
            takes=takes,
        )
