"""The one answer to "what does this scope see?", for presentation, lookup and dispatch alike."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import attrs

from capdeco.host.protocol import ToolSpec

if TYPE_CHECKING:
    from capdeco.host.prepared import PreparedTool
    from capdeco.host.protocol import Scope
    from capdeco.host.registration import Undo


GLOBAL: Final = "global"
"""What the layer below all scopes is called; no scope may be."""


@attrs.frozen(eq=False)
class Mask:
    """Names that stay visible (`allow`; `None`: all) and names that do not. It holds names, not tools."""

    allow: frozenset[str] | None
    deny: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """All names that it speaks of."""
        return self.deny if self.allow is None else self.allow | self.deny


class Layer:
    """What one scope, or the host itself, contributed."""

    __slots__ = (
        "_catalog",
        "_seen",
        "_view",
        "allow",
        "chains",
        "deny",
        "ended",
        "hooks",
        "masks",
        "parent",
        "registrations",
        "revision",
        "scope",
        "tools",
    )

    def __init__(self, scope: Scope | None, parent: Layer | None) -> None:
        self.scope = scope
        self.parent = parent
        self.tools: dict[str, PreparedTool] = {}
        self.masks: list[Mask] = []
        self.allow: frozenset[str] | None = None
        self.deny: frozenset[str] = frozenset()
        self.hooks: dict[str, list[Any]] = {}
        self.chains: Any = None
        self.registrations: dict[Undo, None] = {}
        self.ended = False
        self.revision = 0
        self._seen: tuple[int, ...] | None = None
        self._view: dict[str, PreparedTool] = {}
        self._catalog: Mapping[str, ToolSpec] | None = None

    @property
    def label(self) -> str:
        """How the layer is called in messages and in the audit."""
        return GLOBAL if self.scope is None else self.scope.name

    def set_mask(self, mask: Mask) -> None:
        """Narrow what this layer and those over it inherit."""
        self.masks.append(mask)
        self._merge()

    def lift_mask(self, mask: Mask) -> None:
        """Undo `set_mask`."""
        self.masks.remove(mask)
        self._merge()

    def _merge(self) -> None:
        allows = [mask.allow for mask in self.masks if mask.allow is not None]
        self.allow = frozenset.intersection(*allows) if allows else None
        self.deny = frozenset().union(*(mask.deny for mask in self.masks))
        self.revision += 1

    def end(self) -> None:
        """From now on nothing is seen through this layer: what it hid must not come to light because it is gone."""
        self.ended = True
        self.revision += 1

    def admits(self, name: str) -> bool:
        """Say whether this layer's own masks let *name* through."""
        return name not in self.deny and (self.allow is None or name in self.allow)


class Visibility:
    """Resolves names for a layer: its own tools, then its ancestors' and the global ones through every mask between."""

    __slots__ = ("root",)

    def __init__(self) -> None:
        self.root = Layer(None, None)

    def resolve(self, layer: Layer, name: str) -> PreparedTool | None:
        """Find what *name* means in *layer*: a few probes along its chain, whatever else the host holds."""
        found = layer.tools.get(name)
        if layer is self.root:
            return found
        if layer.ended:
            return None
        if found is not None:
            return found
        each: Layer | None = layer
        while each is not None:
            if not each.admits(name):
                return None
            each = each.parent
        each = layer.parent
        while each is not None:
            found = each.tools.get(name)
            if found is not None:
                return found
            each = each.parent
        return self.root.tools.get(name)

    def view(self, layer: Layer) -> Mapping[str, PreparedTool]:
        """Give all that *layer* sees, in order; built when asked for, and kept until something in its chain changes."""
        seen = tuple(each.revision for each in self._chain(layer))
        if layer._seen != seen:
            layer._view, layer._catalog, layer._seen = self._laid(layer), None, seen
        return layer._view

    def catalog(self, layer: Layer) -> Mapping[str, ToolSpec]:
        """Give what is presented to *layer*: its view without internal tools."""
        view = self.view(layer)
        if layer._catalog is None:
            presented = {name: tool.spec for name, tool in view.items() if tool.spec.expose}
            layer._catalog = MappingProxyType(presented)
        return layer._catalog

    def inherited(self, layer: Layer, names: Collection[str]) -> set[str]:
        """Give those of *names* that *layer* inherits, masked or not: the ones that a mask may name."""
        above = list(self._chain(layer))[1:]
        return {name for name in names if any(name in each.tools for each in above)}

    def _laid(self, layer: Layer) -> dict[str, PreparedTool]:
        if layer.ended:
            return {}
        chain = list(self._chain(layer))
        view: dict[str, PreparedTool] = {}
        for each in reversed(chain[1:]):
            # A dict keeps the place of a name that it holds already: a shadow stays where the shadowed name was.
            view.update(each.tools)
        masked = [each for each in chain if each.masks]
        if masked:
            view = {name: tool for name, tool in view.items() if all(each.admits(name) for each in masked)}
        view.update(layer.tools)
        return view

    def _chain(self, layer: Layer) -> Iterator[Layer]:
        """Walk from *layer* to the global layer, which is above every chain of parents."""
        each: Layer | None = layer
        while each is not None:
            yield each
            each = each.parent
        if layer is not self.root:
            yield self.root
