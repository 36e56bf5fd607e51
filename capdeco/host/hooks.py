"""Hooks: plain functions added to a layer, and the chains that a call of a scope goes through."""

from __future__ import annotations

import functools
import inspect
import itertools
import reprlib
from collections.abc import Callable, Iterator
from pathlib import PurePath
from types import CodeType
from typing import Any, Final, Generic, TypeVar, overload

import attrs

from capdeco.codes import HOST
from capdeco.errors import Diagnostic, HostError, Place
from capdeco.host.prepared import is_async
from capdeco.host.protocol import Scope
from capdeco.host.registration import HookRegistration
from capdeco.host.visibility import Layer, Visibility

F = TypeVar("F", bound=Callable[..., Any])


@attrs.frozen
class Kind:
    """One kind of hook: how it is spelt, what it is called with, and whether it may be async."""

    name: str
    takes: tuple[str, ...]
    optional: int = 0
    """How many of `takes`, from the end, a hook may leave out."""
    sync: bool = False


GUARD: Final = Kind("guard", ("call",))
PRE_EXECUTE: Final = Kind("pre_execute", ("call", "proceed"), optional=1)
APPROVAL: Final = Kind("approval", ("question",))
AROUND: Final = Kind("around", ("call", "proceed"))
POST_EXECUTE: Final = Kind("post_execute", ("call", "outcome", "proceed"), optional=1)
OBSERVE: Final = Kind("observe", ("call", "outcome"), sync=True)
ON_PROGRESS: Final = Kind("on_progress", ("call", "progress"), sync=True)
ON_CHANGE: Final = Kind("on_change", ("change",), sync=True)


@attrs.frozen(eq=False)
class Hook:
    """One registered hook. `walks` says that it takes `proceed` and decides itself whether the rest is asked."""

    function: Callable[..., Any]
    walks: bool
    order: int

    def __str__(self) -> str:
        place = _place(self.function)
        # The file's name without its folders: a failure's message may reach the model.
        return _name(self.function) + (f" ({PurePath(place.file).name}:{place.line})" if place else "")


class Chains:
    """The hooks that calls of one layer go through, outermost first."""

    __slots__ = ("approval", "around", "guard", "observe", "on_progress", "post_execute", "pre_execute", "revision")

    def __init__(self, layers: list[Layer], revision: int) -> None:
        self.revision = revision
        self.pre_execute = _by_order(layers, PRE_EXECUTE)
        # Guards go layer by layer, from the global one to the caller's own; everything else goes by registration.
        self.guard = tuple(hook for layer in layers for hook in layer.hooks.get(GUARD.name, ()))
        self.approval = tuple(hook for layer in layers for hook in layer.hooks.get(APPROVAL.name, ()))
        self.around = _by_order(layers, AROUND)
        self.post_execute = _by_order(layers, POST_EXECUTE)
        self.observe = _by_order(layers, OBSERVE)
        self.on_progress = _by_order(layers, ON_PROGRESS)


def _by_order(layers: list[Layer], kind: Kind) -> tuple[Hook, ...]:
    hooks = [hook for layer in layers for hook in layer.hooks.get(kind.name, ())]
    return tuple(sorted(hooks, key=lambda hook: hook.order))


class Hooks:
    """All hooks of one host. Chains are rebuilt when a hook was added or taken off, and kept otherwise."""

    def __init__(self, visibility: Visibility, layer_of: Callable[[Scope | None], Layer]) -> None:
        self._visibility = visibility
        self._orders = itertools.count()
        self.layer_of = layer_of
        self.revision = 0

    def of(self, layer: Layer) -> Chains:
        """Give the hooks that a call of *layer* goes through now."""
        chains: Chains | None = layer.chains
        if chains is None or chains.revision != self.revision:
            layers = [self._visibility.root, *reversed(list(_up(layer, self._visibility.root)))]
            chains = layer.chains = Chains(layers, self.revision)
        return chains

    def listeners(self) -> tuple[Hook, ...]:
        """Give those who want to hear of changes; these are never limited to a scope."""
        return tuple(self._visibility.root.hooks.get(ON_CHANGE.name, ()))

    def add(self, kind: Kind, function: F, layer: Layer) -> HookRegistration[F]:
        """Add *function* to *layer*; it applies to calls of that scope and of its descendants."""
        hook = Hook(function, self._walks(kind, function), next(self._orders))
        layer.hooks.setdefault(kind.name, []).append(hook)
        self.revision += 1

        def undo() -> None:
            layer.hooks[kind.name].remove(hook)
            layer.registrations.pop(registration, None)
            self.revision += 1

        registration = HookRegistration(function, undo, f"{kind.name} {hook}")
        layer.registrations[registration] = None
        return registration

    def _walks(self, kind: Kind, function: Callable[..., Any]) -> bool:
        if not callable(function):
            raise _refused(kind, function, "is no function", f"give one that takes ({', '.join(kind.takes)})")
        if kind.sync and is_async(function):
            raise _refused(kind, function, "is async, and nothing waits for it", "make it a plain function")
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            raise _refused(kind, function, "does not say what it takes", "wrap it in a function of your own") from None
        for left_out in range(kind.optional + 1):
            takes = kind.takes[: len(kind.takes) - left_out]
            try:
                signature.bind(*takes)
            except TypeError:
                continue
            return "proceed" in takes
        wanted = ", ".join(kind.takes[: len(kind.takes) - kind.optional])
        more = f", and {kind.takes[-1]} if it wants to" if kind.optional else ""
        raise _refused(kind, function, f"does not take ({wanted})", f"a hook of this kind takes {wanted}{more}")


def _up(layer: Layer, root: Layer) -> Iterator[Layer]:
    each: Layer | None = layer
    while each is not None and each is not root:
        yield each
        each = each.parent


def _refused(kind: Kind, function: object, what: str, fix: str) -> HostError:
    return HostError(Diagnostic(HOST, f"{kind.name}: {_name(function)} {what}", fix, _place(function), rule="hook"))


def _name(function: object) -> str:
    return getattr(function, "__qualname__", None) or reprlib.repr(function)


def _place(function: object) -> Place | None:
    """Give where *function* is written; `None` for what has no source of its own, say a partial of a builtin."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(inspect.unwrap(function) if callable(function) else function, "__code__", None)
    return Place(code.co_filename, code.co_firstlineno) if isinstance(code, CodeType) else None


class HookPoint(Generic[F]):
    """One way into the host: `host.guard(function)`, `@host.guard`, or `@host.guard(scope=scope)`.

    Called with a function it returns the registration, which is still callable.
    """

    __slots__ = ("_hooks", "_kind")

    def __init__(self, hooks: Hooks, kind: Kind) -> None:
        self._hooks = hooks
        self._kind = kind

    def __repr__(self) -> str:
        return f"<hook point {self._kind.name}({', '.join(self._kind.takes)})>"

    @overload
    def __call__(self, function: F, /, *, scope: Scope | None = None) -> HookRegistration[F]: ...

    @overload
    def __call__(self, /, *, scope: Scope | None = None) -> Callable[[F], HookRegistration[F]]: ...

    def __call__(self, function: Callable[..., Any] | None = None, /, *, scope: Scope | None = None) -> Any:
        """Add *function*, or give what does."""
        layer = self._hooks.layer_of(scope)
        if function is None:
            return lambda function: self(function, scope=scope)
        return self._hooks.add(self._kind, function, layer)
