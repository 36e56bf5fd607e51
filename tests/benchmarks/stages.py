"""Where the time of an operation goes: the same operation with one thing after the other taken away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from capdeco import Call, Context, EmbeddedHost
from capdeco.host.protocol import ToolSpec
from capdeco.host.signal import Signal
from tests.benchmarks import composite
from tests.benchmarks.composite import ARGUMENTS, VALUES, bound, call_of
from tests.benchmarks.timing import Run, medians


async def measure() -> dict[str, Any]:
    """Time a call of each make, and say what each addition costs."""
    rows: dict[str, Run] = {
        "the bodies alone": composite.bare,
        "a call of a tool that does nothing": _nothing(),
        "its arguments checked, its result copied and checked": _checked(),
        "two nested dispatches of such tools": _nested(),
        "the operation (codec, plan, report)": call_of(bound()),
        "with a signal": _signalled(),
        **{f"with {kind}": call_of(_hooked(add)) for kind, add in HOOKS.items()},
        "with one hook of each kind": call_of(bound(1)),
    }
    seconds = await medians(rows)
    return {f"{name}, us": round(each * 1e6, 2) for name, each in seconds.items()}


async def _pass(call: object, proceed: Callable[[], Any]) -> Any:
    return await proceed()


HOOKS: dict[str, Callable[[EmbeddedHost], object]] = {
    "a gate": lambda host: host.pre_execute(lambda call: None),
    "a guard": lambda host: host.guard(lambda call: None),
    "a wrapper": lambda host: host.around(_pass),
    "a reviewer": lambda host: host.post_execute(lambda call, outcome: None),
    "an observer": lambda host: host.observe(lambda call, outcome: None),
}


def _hooked(add: Callable[[EmbeddedHost], object]) -> EmbeddedHost:
    host = bound()
    add(host)
    return host


def _nothing() -> Run:
    host = EmbeddedHost()

    async def body(arguments: dict[str, Any], context: Context) -> None:
        return None

    host.register(ToolSpec(name="nothing", description="-", input_schema={"type": "object"}, body=body))
    return lambda: host.invoke(Call("nothing"))


def _tools(host: EmbeddedHost) -> list[ToolSpec]:
    """The two steps with bodies that only give their value: no codec."""

    def giving(value: Any) -> Any:
        async def body(arguments: dict[str, Any], context: Context) -> Any:
            return value

        return body

    found = []
    for name, value in zip(("pdf_extract", "pdf_layout"), VALUES, strict=True):
        spec = host.lookup(name)
        assert spec is not None
        found.append(
            ToolSpec(
                name=f"plain_{name}",
                description="-",
                input_schema=spec.input_schema,
                output_schema=spec.output_schema,
                body=giving(value),
            )
        )
    return found


def _checked() -> Run:
    host = bound()
    host.register(*_tools(host))
    return lambda: host.invoke(Call("plain_pdf_extract", {"path": "a.pdf"}))


def _nested() -> Run:
    host = bound()
    host.register(*_tools(host))

    async def both(arguments: dict[str, Any], context: Context) -> None:
        await context.dispatch("plain_pdf_extract", {"path": "a.pdf"})
        await context.dispatch("plain_pdf_layout", {"columns": 2})

    host.register(ToolSpec(name="both", description="-", input_schema={"type": "object"}, body=both))
    return lambda: host.invoke(Call("both"))


def _signalled() -> Run:
    host, signal = bound(), Signal()
    return lambda: host.invoke(Call("pdf_analyze", ARGUMENTS, signal=signal))
