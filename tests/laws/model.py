"""The host contract's layers, said as slowly and plainly as it can be: lists, and no cache.

Written apart from `capdeco.host`, and imports nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import attrs

GLOBAL = None


class Refused(Exception):
    """The host must refuse this, and change nothing."""


@attrs.define(eq=False)
class ModelScope:
    parent: ModelScope | None
    ended: bool = False


@attrs.frozen(eq=False)
class Entry:
    """One tool in one layer; `label` tells it from every other tool of its name."""

    layer: ModelScope | None
    name: str
    label: str
    expose: bool
    uses: frozenset[str]


@attrs.frozen(eq=False)
class ModelMask:
    layer: ModelScope
    allow: frozenset[str] | None
    deny: frozenset[str] | None

    def admits(self, name: str) -> bool:
        return (self.allow is None or name in self.allow) and (self.deny is None or name not in self.deny)


@attrs.frozen(eq=False)
class ModelHook:
    """One hook of each kind."""

    layer: ModelScope | None
    label: str


Held = Entry | ModelMask | ModelHook


@attrs.define
class Model:
    """What holds now, in the order in which it was added."""

    held: list[Held] = attrs.field(factory=list)
    scopes: list[ModelScope] = attrs.field(factory=list)

    def scope(self, parent: ModelScope | None) -> ModelScope:
        self.scopes.append(ModelScope(parent))
        return self.scopes[-1]

    def register(self, batch: Sequence[Entry]) -> list[Held]:
        for number, entry in enumerate(batch):
            _must_be_open(entry.layer)
            if any(entry.name == other.name for other in [*self._tools_of(entry.layer), *batch[:number]]):
                raise Refused
        self.held += batch
        return list(batch)

    def restrict(self, mask: ModelMask) -> list[Held]:
        _must_be_open(mask.layer)
        if mask.allow is None and mask.deny is None:
            raise Refused
        if not {*(mask.allow or ()), *(mask.deny or ())} <= self.inherited(mask.layer):
            raise Refused
        self.held.append(mask)
        return [mask]

    def inherited(self, scope: ModelScope) -> set[str]:
        return {entry.name for layer in self.above(scope) for entry in self._tools_of(layer)}

    def hook(self, hook: ModelHook) -> list[Held]:
        _must_be_open(hook.layer)
        self.held.append(hook)
        return [hook]

    def close(self, added: Iterable[Held]) -> list[Held]:
        """Give what was really taken away: nothing, the second time."""
        gone = [each for each in added if each in self.held]
        for each in gone:
            self.held.remove(each)
        return gone

    def end(self, scope: ModelScope) -> list[Held]:
        """End *scope*, and with it those that lie over it; of one that has ended nothing is left to take away."""
        scope.ended = True
        over = [each for each in self.scopes if not each.ended and each.parent is scope]
        gone = [held for each in reversed(over) for held in self.end(each)]
        return gone + self.close([each for each in self.held if each.layer is scope])

    def view(self, scope: ModelScope | None) -> list[Entry]:
        """The contract's three steps; through a scope that has ended nothing is seen."""
        if scope is not None and scope.ended:
            return []
        view: list[Entry] = []
        for layer in self.above(scope) if scope else [GLOBAL]:
            view = _laid_over(view, self._tools_of(layer))
        if scope is None:
            return view
        masks = [
            each for each in self.held if isinstance(each, ModelMask) and each.layer in [scope, *_ancestors(scope)]
        ]
        view = [entry for entry in view if all(mask.admits(entry.name) for mask in masks)]
        return _laid_over(view, self._tools_of(scope))

    def find(self, scope: ModelScope | None, name: str) -> Entry | None:
        return next((entry for entry in self.view(scope) if entry.name == name), None)

    def trace(self, scope: ModelScope | None, found: Entry | None) -> list[str]:
        """Who hears of a call, in order: hooks of the global layer and of the scope's chain, around the body."""
        layers = [*self.above(scope), scope] if scope else [GLOBAL]
        hooks = [each for each in self.held if isinstance(each, ModelHook) and each.layer in layers]

        by_layer = [hook for layer in layers for hook in hooks if hook.layer is layer]
        return [
            *(f"pre_execute {hook.label}" for hook in hooks),
            *(f"guard {hook.label}" for hook in by_layer),
            *(f"around {hook.label}" for hook in hooks),
            *([] if found is None else [found.label]),
            *(f"post_execute {hook.label}" for hook in hooks),
            *(f"observe {hook.label}" for hook in hooks),
        ]

    def above(self, scope: ModelScope) -> list[ModelScope | None]:
        """The layers that *scope* stands on: the global one, then its ancestors, farthest first."""
        return [GLOBAL, *reversed(list(_ancestors(scope)))]

    def _tools_of(self, layer: ModelScope | None) -> list[Entry]:
        return [each for each in self.held if isinstance(each, Entry) and each.layer is layer]


def _ancestors(scope: ModelScope) -> Iterator[ModelScope]:
    while scope.parent is not None:
        scope = scope.parent
        yield scope


def _laid_over(view: list[Entry], layer: list[Entry]) -> list[Entry]:
    """An entry replaces a same-named one in place; new names go to the end."""
    replaced = [next((over for over in layer if over.name == entry.name), entry) for entry in view]
    return replaced + [over for over in layer if all(over.name != entry.name for entry in view)]


def _must_be_open(layer: ModelScope | None) -> None:
    if layer is not None and layer.ended:
        raise Refused
