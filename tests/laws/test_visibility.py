"""Any sequence of changes gives the view of the contract's three steps: for catalog, lookup and invoke alike."""

from __future__ import annotations

import gc
import itertools
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Protocol

import attrs
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from capdeco import Call, Context, EmbeddedHost
from capdeco.errors import HostError
from capdeco.host.policy import Change, ToolCall
from capdeco.host.protocol import Body, Scope, ToolSpec
from capdeco.host.scope import EmbeddedScope
from capdeco.result import Failure, Success
from tests.laws.model import Entry, Held, Model, ModelHook, ModelMask, ModelScope, Refused
from tests.laws.running import run

NAMES = ("a", "b", "c", "d")

names = st.frozensets(st.sampled_from(NAMES), max_size=3)
tools = st.tuples(st.sampled_from(NAMES), st.booleans(), names)


@attrs.frozen(eq=False)
class Pair:
    """A scope of the host, and of the model; `None` is the global layer."""

    real: EmbeddedScope | None
    model: ModelScope | None


EVERYWHERE = Pair(None, None)


class Closable(Protocol):
    def close(self) -> None: ...


@attrs.frozen(eq=False)
class Added:
    """A registration of the host, and what it holds in the model."""

    real: Closable
    held: list[Held]
    layer: Pair


class Layers(RuleBasedStateMachine):
    scopes: Bundle[Pair] = Bundle("scopes")
    added: Bundle[Added] = Bundle("added")
    anywhere = st.just(EVERYWHERE) | scopes

    def __init__(self) -> None:
        super().__init__()
        self.host = EmbeddedHost()
        self.model = Model()
        self.pairs = [EVERYWHERE]
        self.every: list[Added] = []
        self.bodies: list[weakref.ref[Body]] = []
        self.labels = map(str, itertools.count())
        self.trace: list[str] = []
        self.changes: list[Change] = []
        self.host.on_change(self.changes.append)

    @initialize(target=added)
    def tools_for_everybody(self) -> Any:
        return multiple(*(self.register(EVERYWHERE, [(name, True, frozenset(NAMES))]) for name in NAMES))

    @initialize(target=scopes)
    def a_family(self) -> Any:
        parent = self.open_scope(EVERYWHERE)
        return multiple(parent, self.open_scope(parent))

    @rule(target=scopes, parent=anywhere)
    def open_scope(self, parent: Pair) -> Any:
        if parent.model is not None and parent.model.ended:
            self.refused(lambda: self.host.scope("orphan", parent=parent.real))
            return multiple()
        real = self.host.scope(f"scope {len(self.pairs)}", parent=parent.real)
        self.pairs.append(Pair(real, self.model.scope(parent.model)))
        return self.pairs[-1]

    @rule(scope=scopes)
    def end_scope(self, scope: Pair) -> None:
        assert scope.real is not None
        assert scope.model is not None
        scope.real.close()
        self.heard("withdrawn", "lifted", self.model.end(scope.model))

    @rule(target=added, layer=anywhere, batch=st.lists(tools, min_size=1, max_size=3))
    def register(self, layer: Pair, batch: list[tuple[str, bool, frozenset[str]]]) -> Any:
        entries = [Entry(layer.model, name, next(self.labels), expose, uses) for name, expose, uses in batch]
        return self.both(
            lambda: self.host.register(*map(self.spec, entries), scope=layer.real),
            lambda: self.model.register(entries),
            layer,
        )

    @rule(target=added, scope=scopes, allow=st.none() | names, deny=st.none() | names, anything=st.booleans())
    def restrict(self, scope: Pair, allow: frozenset[str] | None, deny: frozenset[str] | None, anything: bool) -> Any:
        assert scope.model is not None
        if not anything:  # only what a mask may name
            inherited = self.model.inherited(scope.model)
            allow, deny = allow and allow & inherited, deny and deny & inherited
        mask = ModelMask(scope.model, allow, deny)
        return self.both(
            lambda: self.host.restrict(scope=scope.real, allow=allow, deny=deny),
            lambda: self.model.restrict(mask),
            scope,
        )

    @rule(target=added, layer=anywhere)
    def hook(self, layer: Pair) -> Any:
        """Add one hook of each kind that has no opinion, and only says that it was asked."""
        label = next(self.labels)
        return self.both(
            lambda: self.listen(label, layer.real), lambda: self.model.hook(ModelHook(layer.model, label)), layer
        )

    @rule(one=added)
    def close(self, one: Added) -> None:
        gone = self.model.close(one.held)
        one.real.close()
        self.heard("withdrawn", "lifted", gone)

    @rule(one=consumes(added))
    def close_twice(self, one: Added) -> None:
        self.close(one)
        self.close(one)

    @invariant()
    def everybody_sees_what_the_contract_says(self) -> None:
        for pair in self.pairs:
            real, model = pair.real, pair.model
            view = self.model.view(model)
            presented = [entry for entry in view if entry.expose]
            assert [spec.description for spec in self.host.catalog(real).values()] == [each.label for each in presented]
            assert list(self.host.catalog(real)) == [each.name for each in presented]
            for name in NAMES:
                found = self.model.find(model, name)
                spec = self.host.lookup(name, real)
                assert (spec and spec.description) == (found and found.label)
                self.invoked(real, name, model, found)
            if presented:
                self.nested(real, model, presented[0])

    def invoked(self, real: Scope | None, name: str, model: ModelScope | None, found: Entry | None) -> None:
        """A root call reaches what is presented, and nothing else; its hooks hear of it either way."""
        reached = found if found is not None and found.expose else None
        self.trace.clear()
        outcome = run(self.host.invoke(Call(name, scope=real)))
        assert seen(outcome) == (reached.label if reached else "UNKNOWN_TOOL")
        assert self.trace == self.model.trace(model, reached)

    def nested(self, real: Scope | None, model: ModelScope | None, outer: Entry) -> None:
        """A nested dispatch reaches what is presented, and the internal tools that the outer tool uses."""
        outcome = run(self.host.invoke(Call(outer.name, {"then": list(NAMES)}, scope=real)))
        assert outcome.ok
        for name, got in outcome.value.items():
            found = self.model.find(model, name)
            reached = found if found is not None and (found.expose or name in outer.uses) else None
            assert got == (reached.label if reached else "UNKNOWN_TOOL")

    def teardown(self) -> None:
        """Whatever the order was: when all is closed, the host is as it was, and holds on to nothing."""
        for one in self.every:
            one.real.close()
            self.model.close(one.held)
        self.everybody_sees_what_the_contract_says()
        assert self.model.held == []
        self.every.clear()
        gc.collect()
        assert not any(body() for body in self.bodies)

    # What the rules are made of.

    def both(self, real: Callable[[], Closable], model: Callable[[], list[Held]], layer: Pair) -> Any:
        """Do it in the model and in the host: either both refuse it, or both have it."""
        try:
            held = model()
        except Refused:
            self.refused(real)
            return multiple()
        registration = real()
        self.heard("added", "restricted", held)
        self.every.append(Added(registration, held, layer))
        return self.every[-1]

    def refused(self, real: Callable[[], object]) -> None:
        with pytest.raises(HostError):
            real()
        assert self.changes == []

    def heard(self, of_tool: str, of_mask: str, held: list[Held]) -> None:
        real = {pair.model: pair.real for pair in self.pairs}
        expected = [
            (of_tool, each.name, real[each.layer]) if isinstance(each, Entry) else (of_mask, None, real[each.layer])
            for each in held
            if not isinstance(each, ModelHook)
        ]
        assert [(change.kind, change.name, change.scope) for change in self.changes] == expected
        self.changes.clear()

    def spec(self, entry: Entry) -> ToolSpec:
        async def body(arguments: dict[str, Any], context: Context) -> Any:
            self.trace.append(entry.label)
            then = arguments.get("then")
            return entry.label if then is None else {name: seen(await context.call(name)) for name in then}

        self.bodies.append(weakref.ref(body))
        return ToolSpec(
            name=entry.name,
            description=entry.label,
            input_schema={"type": "object"},
            body=body,
            expose=entry.expose,
            uses=entry.uses,
        )

    def listen(self, label: str, scope: Scope | None) -> Closable:
        def asked(kind: str) -> Callable[..., None]:
            return lambda *_facts: self.trace.append(f"{kind} {label}")

        async def around(call: ToolCall, proceed: Callable[[], Any]) -> Any:
            asked("around")()
            return await proceed()

        host, added = self.host, ExitStack()
        added.enter_context(host.guard(lambda call: asked("guard")(), scope=scope))
        added.enter_context(host.pre_execute(lambda call: asked("pre_execute")(), scope=scope))
        added.enter_context(host.around(around, scope=scope))
        added.enter_context(host.post_execute(lambda call, outcome: asked("post_execute")(), scope=scope))
        added.enter_context(host.observe(lambda call, outcome: asked("observe")(), scope=scope))
        return added


def seen(outcome: Success | Failure) -> Any:
    return outcome.value if outcome.ok else outcome.code


TestLayers = Layers.TestCase
