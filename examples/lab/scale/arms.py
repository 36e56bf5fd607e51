"""The ways in which a pool of 157 tools can stand in front of a model, beside 25 built-in ones."""

from __future__ import annotations

import attrs

from capdeco import Binder, Context, EmbeddedHost, Tool
from capdeco.host.protocol import ToolSpec
from capdeco.lab.measure import Arm, Trail
from capdeco.lab.search import Index, dispatched, search_tools
from examples.scale import pool
from examples.scale.store import Store


def raw(store: Store, trail: Trail, name: str = "raw") -> Arm:
    """Everything is shown."""
    host = EmbeddedHost(store)
    Binder(host).register(*pool.builtins(), *pool.tools(expose=True))
    return Arm(name, host, trail)


def search(store: Store, trail: Trail) -> Arm:
    """Two tools are shown: one finds the others, one calls them."""
    host = EmbeddedHost(store)
    Binder(host).register(*pool.builtins(), *pool.tools(expose=False))
    _add_search(host, primitives(host))
    return Arm("search", host, trail)


def facade(store: Store, trail: Trail, name: str = "facade") -> Arm:
    """The fifteen operations are shown, and nothing leads past them."""
    host = EmbeddedHost(store)
    Binder(host).register(*pool.builtins(), *pool.tools(expose=False), *pool.operations())
    return Arm(name, host, trail)


def facade_beside_search(store: Store, trail: Trail, name: str = "facade beside search") -> Arm:
    """The operations are shown, and the two tools of a search over the primitives."""
    arm = facade(store, trail, name)
    _add_search(arm.host, primitives(arm.host))
    return arm


def facade_under_search(store: Store, trail: Trail) -> Arm:
    """Two tools are shown; what they find is operations and primitives alike."""
    host = EmbeddedHost(store)
    Binder(host).register(*pool.builtins(), *pool.tools(expose=False))
    specs = operations(host)
    # An operation is always shown by the binder; as a ToolSpec it can be internal like any other tool.
    host.register(*(attrs.evolve(spec, expose=False) for spec in specs))
    _add_search(host, [*specs, *primitives(host)])
    return Arm("facade under search", host, trail)


def facade_with_names(store: Store, trail: Trail, name: str) -> Arm:
    """The operations are shown, and one tool that calls a primitive by its name; the names are in its description."""
    arm = facade(store, trail, name)
    names = [spec.name for spec in primitives(arm.host)]

    async def primitive_call(context: Context, name: str, arguments: dict[str, object]) -> object:
        return await dispatched(context, name, arguments, names)

    what = "Call a tool that is not shown, where no operation does what is needed. Arguments are checked. Names: "
    Binder(arm.host).register(Tool.of(primitive_call, description=what + " ".join(names), uses=names))
    return arm


def primitives(host: EmbeddedHost) -> list[ToolSpec]:
    """Give the pool's tools as *host* has them."""
    return [spec for tool in pool.tools(expose=False) if (spec := host.lookup(tool.name)) is not None]


def operations(host: EmbeddedHost) -> list[ToolSpec]:
    """Give the operations as tools, without leaving them in *host*."""
    with Binder(host) as binder:
        names = binder.register(*pool.operations()).tools
        return [spec for name in names if (spec := host.lookup(name)) is not None]


def _add_search(host: EmbeddedHost, specs: list[ToolSpec]) -> None:
    Binder(host).register(*search_tools(Index(specs)))
