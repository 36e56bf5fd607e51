"""The interpreter of scenarios: sets up a host and a binder, performs the actions, and says what was observed."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
import attrs
import msgspec

from capdeco.bind.binder import Binder
from capdeco.declare.parameters import compile_parameters, compile_value
from capdeco.errors import CapdecoError, ToolError
from capdeco.host.admission import RESERVED
from capdeco.host.policy import Accept, Allow, Answer, Ask, Block, Deny, Question, ToolCall
from capdeco.host.protocol import Call, Context, ToolSpec
from capdeco.host.registry import EmbeddedHost
from capdeco.host.scope import EmbeddedScope
from capdeco.host.signal import Signal
from capdeco.result import Failure, Success
from tests.conformance.corpus import decode

Outcome = Success | Failure
Observed = dict[str, Any]

DEADLINE = 0.01
"""Seconds until a `deadline` wrapper trips its signal: a body that waits is waiting by then."""


@attrs.frozen
class Child:
    """A nested dispatch as the host published it: what an operation had to report about a step."""

    call_id: str
    outcome: Outcome


class Replay:
    """One scenario on a fresh host. `perform` does one action and gives what its `expect` speaks about."""

    def __init__(self, scenario: Mapping[str, Any]) -> None:
        self.scenario = scenario
        self.host = EmbeddedHost()
        self.binder = Binder(self.host, check_wiring=scenario.get("wiring") != "unproven")
        self.scopes: dict[str, EmbeddedScope] = {}
        self.handles: dict[str, Any] = {}
        self.trace: list[Observed] = []
        self.children: list[Child] = []
        self.calls = 0
        self.changes = 0
        self.abort: Mapping[str, Any] | None = None
        self.signal: Signal | None = None
        self.answers = list(decode(scenario.get("approval", [])))

    def set_up(self) -> None:
        """Make what the scenario starts from."""
        self.host.on_change(lambda change: setattr(self, "changes", self.changes + 1))
        self.host.pre_execute(self._abort_at_gate)
        self.host.observe(self._keep_child)
        if "approval" in self.scenario:
            self.host.approval(self._approve)
        for agent in decode(self.scenario.get("agents", [])):
            spec = agent if isinstance(agent, dict) else {"name": agent}
            parent = self.scopes[spec["parent"]] if "parent" in spec else None
            self.scopes[spec["name"]] = self.host.scope(spec["name"], parent=parent)
        for tool in self.scenario.get("tools", []):
            # One that is refused (D3) is missed by the actions that need it.
            self._outcome(functools.partial(self._register_tool, {"tool": tool}))

    async def perform(self, action: Mapping[str, Any]) -> Observed:
        """Do *action*, and give what was observed."""
        before = self.changes
        observed: Observed = await getattr(self, f"_do_{action['do']}")(action)
        if self.scenario.get("count_changes") and action["do"] not in ("call", "calls_together"):
            observed["changes"] = self.changes - before
        return observed

    # Registering and looking.

    async def _do_register_tool(self, action: Mapping[str, Any]) -> Observed:
        return self._outcome(lambda: self._register_tool(action))

    async def _do_register_capability(self, action: Mapping[str, Any]) -> Observed:
        declaration = decode(action["capability"])

        def register() -> None:
            registration = self.binder.register(declaration, scope=self._scope(action))
            self.handles[action.get("as", "")] = registration

        observed = self._outcome(register)
        if action.get("tamper") and observed["ok"]:
            _ruin(declaration)
        return observed

    async def _do_dispose(self, action: Mapping[str, Any]) -> Observed:
        handle = self.handles.get(action["handle"])
        return self._outcome(lambda: handle.close() if handle is not None else None)

    async def _do_dispose_scope(self, action: Mapping[str, Any]) -> Observed:
        return self._outcome(self.scopes[action["agent"]].close)

    async def _do_unmount(self, action: Mapping[str, Any]) -> Observed:
        return self._outcome(self.binder.close)

    async def _do_list(self, action: Mapping[str, Any]) -> Observed:
        listing: Any = self.binder.list()
        shown = [{"id": each.id, "description": each.description, "tools": list(each.tools)} for each in listing]
        # A listing of frozen records cannot be emptied; whoever can, may: the next one is made anew.
        if action.get("tamper") and isinstance(listing, list):
            listing.clear()
        return {"capabilities": shown}

    async def _do_view(self, action: Mapping[str, Any]) -> Observed:
        catalog = self.host.catalog(self._agent(action))
        observed: Observed = {"names": list(catalog)}
        if "describe" in action:
            observed["described"] = {
                name: {"description": catalog[name].description, "parameters": catalog[name].input_schema}
                for name in decode(action["describe"])
                if name in catalog
            }
        return observed

    async def _do_lookup(self, action: Mapping[str, Any]) -> Observed:
        return {"found": self.host.lookup(decode(action["tool"]), self._agent(action)) is not None}

    async def _do_mode(self, action: Mapping[str, Any]) -> Observed:
        call = Call(name=decode(action["tool"]), arguments=decode(action.get("args", {})), scope=self._agent(action))
        return {"mode": self.host.concurrency(call)}

    async def _do_restrict(self, action: Mapping[str, Any]) -> Observed:
        def restrict() -> None:
            mask = self.host.restrict(
                scope=self._agent(action), allow=decode(action.get("allow")), deny=decode(action.get("deny"))
            )
            self.handles[action.get("as", "")] = mask

        return self._outcome(restrict)

    # Hooks.

    async def _do_guard(self, action: Mapping[str, Any]) -> Observed:
        matches = _Match(action)

        def guard(call: ToolCall) -> str | None:
            if not matches(call):
                return None
            self._note("guard", action, call)
            if "throws" in action:
                raise RuntimeError(decode(action["throws"]))
            reason: str | None = decode(action.get("deny"))
            return reason

        return self._hook(self.host.guard, guard, action)

    async def _do_pre(self, action: Mapping[str, Any]) -> Observed:
        matches = _Match(action)

        async def gate(call: ToolCall, proceed: Callable[[], Awaitable[Any]]) -> Any:
            if not matches(call):
                return await proceed()
            self._note("pre", action, call)
            await self._during(action)
            match action["decide"]:
                case "pass":
                    return await proceed()
                case "allow":
                    return Allow()
                case "override_allow":
                    await proceed()
                    return Allow()
                case "deny":
                    return Deny(decode(action["reason"]))
                case "ask":
                    return Ask(decode(action.get("reason")))
                case "throw":
                    raise _error(action)
            raise AssertionError(action["decide"])

        return self._hook(self.host.pre_execute, gate, action)

    async def _do_around(self, action: Mapping[str, Any]) -> Observed:
        matches = _Match(action)

        async def wrapper(call: ToolCall, proceed: Callable[..., Awaitable[Any]]) -> Any:
            if not matches(call):
                return await proceed()
            self._note("around", action, call)
            outcome = await self._wrap(action, proceed)
            self._note("around_done", action, call, is_error=not outcome.ok)
            return outcome

        return self._hook(self.host.around, wrapper, action)

    async def _wrap(self, action: Mapping[str, Any], proceed: Callable[..., Awaitable[Any]]) -> Any:
        private = Signal()
        match action["wrap"]:
            case "pass":
                return await proceed()
            case "retry":
                outcome = await proceed()
                for _ in range(action.get("times", 1)):
                    outcome = outcome if outcome.ok else await proceed()
                return outcome
            case "twice":
                await proceed()
                return await proceed()
            case "return":
                return _made_up(decode(action["value"]))
            case "fail":
                return Failure(message=decode(action["message"]), code=action.get("code"))
            case "throw":
                raise _error(action)
            case "own_signal":
                return await proceed(private)
            case "cancelled_first":
                private.set()
                return await proceed(private)
            case "deadline":
                async with anyio.create_task_group() as group:
                    group.start_soon(_set_later, private)
                    outcome = await proceed(private)
                    group.cancel_scope.cancel()
                if "code" in action and private.is_set:
                    return Failure(message=decode(action["message"]), code=action["code"])
                return outcome
        raise AssertionError(action["wrap"])

    async def _do_post(self, action: Mapping[str, Any]) -> Observed:
        matches = _Match(action)

        async def review(call: ToolCall, outcome: Outcome, proceed: Callable[[], Awaitable[Any]]) -> Any:
            if not matches(call):
                return await proceed()
            self._note("post", action, call, is_error=not outcome.ok)
            match action["decide"]:
                case "pass":
                    return await proceed()
                case "value":
                    return Accept(value=decode(action["value"]))
                case "content":
                    return Accept(content=decode(action["blocks"]))
                case "both":
                    return Accept(value=decode(action["value"]), content=decode(action["blocks"]))
                case "block":
                    return Block(decode(action["blocks"]))
                case "context":
                    rest = await proceed()
                    return attrs.evolve(rest, contexts=(*rest.contexts, decode(action["text"])))
                case "throw":
                    raise _error(action)
            raise AssertionError(action["decide"])

        return self._hook(self.host.post_execute, review, action)

    async def _do_observe(self, action: Mapping[str, Any]) -> Observed:
        def observer(call: ToolCall, outcome: Outcome) -> None:
            code = {} if outcome.ok or outcome.code is None else {"code": outcome.code}
            self._note("result", action, call, is_error=not outcome.ok, **code)
            if action.get("throws"):
                raise RuntimeError("observer")

        return self._hook(self.host.observe, observer, action)

    # Calls.

    async def _do_call(self, action: Mapping[str, Any]) -> Observed:
        self.trace, self.children = [], []
        self.abort = action.get("abort")
        self.signal = Signal()
        inner = self._abort_inside()
        if self.abort is not None and self.abort["at"] == "before":
            self.signal.set()
        outcome = await self.host.invoke(self._call(action, self.signal))
        for hook in inner:
            hook.close()
        return {**result(outcome), "trace": self.trace}

    async def _do_calls_together(self, action: Mapping[str, Any]) -> Observed:
        self.abort = None
        calls = [self._call(each, Signal()) for each in action["calls"]]
        results: list[Any] = [None] * len(calls)

        async def run(index: int) -> None:
            results[index] = result(await self.host.invoke(calls[index]))

        async with anyio.create_task_group() as group:
            for index in range(len(calls)):
                group.start_soon(run, index)
        return {"results": results}

    def _call(self, action: Mapping[str, Any], signal: Signal) -> Call:
        self.calls += 1
        return Call(
            name=decode(action["tool"]),
            arguments=decode(action.get("args", {})),
            scope=self._agent(action),
            signal=signal,
            call_id=decode(action.get("call", f"c{self.calls}")),
            root_id=decode(action.get("root")),
        )

    def _abort_now(self, at: str, tool: str) -> bool:
        return self.abort is not None and (self.abort["at"], decode(self.abort.get("tool"))) == (at, tool)

    def _abort_if(self, at: str, tool: str) -> None:
        if self.signal is not None and self._abort_now(at, tool):
            self.signal.set()

    def _abort_at_gate(self, call: ToolCall) -> None:
        self._abort_if("pre", call.name)

    def _abort_inside(self) -> list[Any]:
        """Add the innermost wrapper and reviewer, from which a call is aborted at the stages that say so."""
        if self.abort is None:
            return []

        async def wrapper(call: ToolCall, proceed: Callable[..., Awaitable[Any]]) -> Any:
            self._abort_if("around", call.name)
            outcome = await proceed()
            self._abort_if("after_body", call.name)
            return outcome

        def review(call: ToolCall, outcome: Outcome) -> None:
            self._abort_if("post", call.name)

        hooks: list[Any] = []
        if self.abort["at"] in ("around", "after_body"):
            hooks.append(self.host.around(wrapper))
        if self.abort["at"] == "post":
            hooks.append(self.host.post_execute(review))
        return hooks

    def _keep_child(self, call: ToolCall, outcome: Outcome) -> None:
        self.children.append(Child(call.call_id, outcome))
        self._abort_if("result", call.name)

    def _approve(self, question: Question) -> Any:
        call = question.call
        assert call.scope is not None
        self.trace.append(
            {
                "at": "approval",
                "tool": call.name,
                "call": call.call_id,
                "agent": call.scope.name,
                **({} if question.reason is None else {"reason": question.reason}),
            }
        )
        self._abort_if("approval", call.name)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    # Tools.

    def _register_tool(self, action: Mapping[str, Any]) -> None:
        given = decode(action["tool"])
        tool: dict[str, Any] = {"name": given} if isinstance(given, str) else given
        output = compile_value(tool.get("output", {"type": "object", "additionalProperties": True}))
        timeout = tool.get("timeout_ms")
        spec = ToolSpec(
            name=tool["name"],
            description=tool.get("description", "A tool of the corpus."),
            input_schema=compile_parameters(tool.get("parameters", {})),
            output_schema=output,
            body=self._body(tool),
            render=_renderer(tool.get("render", "json"), output),
            finalize=(lambda outcome: tool["finalize"]) if "finalize" in tool else None,
            concurrency=_classifier(tool["concurrency"]) if "concurrency" in tool else None,
            timeout=None if timeout is None else timeout / 1000,
        )
        registration = self.host.register(spec, scope=self._scope(action))
        self.handles[action.get("as", tool["name"])] = registration

    def _body(self, tool: Mapping[str, Any]) -> Callable[[dict[str, Any], Context], Awaitable[Any]]:
        runs = 0

        async def body(arguments: dict[str, Any], context: Context) -> Any:
            nonlocal runs
            runs += 1
            self.trace.append(_body_entry(tool, arguments, context))
            self._abort_if("body", tool["name"])
            await self._during(tool)
            if "defer_context" in tool:
                context.defer(tool["defer_context"])
            if tool.get("conclude_turn"):
                context.conclude()
            return await self._does(tool.get("does", {"kind": "echo"}), tool["name"], arguments, context, runs)

        return body

    async def _does(
        self, does: Mapping[str, Any], tool: str, arguments: dict[str, Any], context: Context, run: int
    ) -> Any:
        match does["kind"]:
            case "echo":
                return {"echo": arguments}
            case "return":
                return does["value"]
            case "throw":
                raise _error(does)
            case "mutate_args":
                arguments["added"] = True
                return {"changed": True}
            case "wait_for_cancel":
                async with anyio.create_task_group() as group:
                    if self.signal is not None and self._abort_now("waiting", tool):
                        group.start_soon(_set_later, self.signal)
                    await context.signal.wait()
                return await self._does(does["then"], tool, arguments, context, run)
            case "by_call":
                calls = does["calls"]
                return await self._does(calls[min(run, len(calls)) - 1], tool, arguments, context, run)
        raise AssertionError(does["kind"])

    # What the rest stands on.

    async def _during(self, holder: Mapping[str, Any]) -> None:
        for action in holder.get("during", []):
            observed = await self.perform(action)
            self.trace.append({"at": "action", "do": action["do"], "ok": observed.get("ok", True)})

    def _hook(self, add: Callable[..., Any], hook: Callable[..., Any], action: Mapping[str, Any]) -> Observed:
        def register() -> None:
            self.handles[action.get("as", "")] = add(hook, scope=self._scope(action))

        return self._outcome(register)

    def _scope(self, action: Mapping[str, Any]) -> EmbeddedScope | None:
        return self.scopes[action["scope"]] if "scope" in action else None

    def _agent(self, action: Mapping[str, Any]) -> EmbeddedScope | None:
        return self.scopes[action["agent"]] if "agent" in action else None

    def _note(self, at: str, action: Mapping[str, Any], call: ToolCall, **more: Any) -> None:
        agent = {} if call.scope is None else {"agent": call.scope.name}
        self.trace.append({"at": at, "hook": action["name"], "tool": call.name, "call": call.call_id, **agent, **more})

    def _outcome(self, act: Callable[[], object]) -> Observed:
        try:
            act()
        except CapdecoError as error:
            return {"ok": False, "refused": self._kind(error), "message": str(error)}
        return {"ok": True}

    def _kind(self, error: CapdecoError) -> str:
        """Map the rule of a diagnostic to the corpus's kind of refusal: the same word, but for these."""
        first = error.diagnostics[0]
        match first.rule:
            case "closed":
                return "inactive_scope"
            case "unknown-step-tool" | "recursive-operation":
                # Two faults in one; the corpus names a taken name before a step that leads back.
                taken = any(f'becomes the tool "{name}"' in first.what for name in self.host.catalog())
                return "tool_exists" if taken else "unknown_step_tool"
            case "generated-name" if f'"{RESERVED}"' in first.what:
                return "reserved_name"
        return first.rule.replace("-", "_")


class _Match:
    """Limits a hook to the calls that its action names; counts those it has seen."""

    def __init__(self, action: Mapping[str, Any]) -> None:
        self.match = decode(action.get("match", {}))
        self.seen = 0

    def __call__(self, call: ToolCall) -> bool:
        tools = self.match.get("tool", call.name)
        if call.name not in ([tools] if isinstance(tools, str) else tools):
            return False
        if self.match.get("nested", call.nested) != call.nested:
            return False
        self.seen += 1
        return bool(self.seen >= self.match.get("from_call", 1))


def result(outcome: Outcome) -> Observed:
    """Say what a call gave, in the corpus's words."""
    observed: Observed = {"is_error": not outcome.ok, "content": list(outcome.content)}
    if outcome.ok:
        observed["value"] = outcome.value
    else:
        observed["error"] = {"message": outcome.message, **({} if outcome.code is None else {"code": outcome.code})}
    if outcome.contexts:
        observed["contexts"] = list(outcome.contexts)
    if outcome.ok and outcome.concludes_turn:
        observed["concludes_turn"] = True
    return observed


def compact(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _body_entry(tool: Mapping[str, Any], arguments: dict[str, Any], context: Context) -> Observed:
    entry: Observed = {
        "at": "body",
        "tool": tool["name"],
        "call": context.call_id,
        "root": context.root_id,
        "args": copy.deepcopy(arguments),
    }
    if context.nested:
        # A body is not told what it is nested in. In the corpus that is an operation, whose id is in the step's.
        entry["parent"] = context.call_id.rsplit(":", 2)[0]
    if context.scope is not None:
        entry["agent"] = context.scope.name
    if "tag" in tool:
        entry["tag"] = tool["tag"]
    return entry


def _renderer(render: Any, output: Mapping[str, Any]) -> Callable[[Any], Any] | None:
    if render == "json":
        # The host shows text as itself; the corpus's "json" shows it as JSON.
        as_is = output.get("type") in ("object", "array", "number", "integer", "boolean", "null")
        return None if as_is else lambda value: [{"type": "text", "text": compact(value)}]
    if "blocks" in render:
        return lambda value: render["blocks"]

    def broken(value: Any) -> Any:
        raise RuntimeError(render["throws"])

    return broken


def _classifier(answer: Any) -> Callable[[Mapping[str, Any]], object]:
    def classify(arguments: Mapping[str, Any]) -> object:
        match answer:
            case "safe" | "unsafe":
                return answer == "safe"
            case "truthy":
                return "yes"
            case {"when": field}:
                return arguments.get(field) is True
        raise RuntimeError("classifier")

    return classify


def _error(spec: Mapping[str, Any]) -> Exception:
    message, code = decode(spec["message"]), spec.get("code")
    if code is None:
        return RuntimeError(message)
    if spec.get("foreign"):
        return ForeignError(message, code)
    return ToolError(message, code)


class ForeignError(Exception):
    """Some other library's error, which merely has a code too."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def _made_up(value: Any) -> Any:
    """Answer as a wrapper would that brings content of its own, which must not be shown."""
    try:
        return Success(
            json=json.dumps(value, allow_nan=False, ensure_ascii=False).encode(),
            content=[{"type": "text", "text": "made up"}],
        )
    except (TypeError, ValueError):
        return Answer(value)


async def _set_later(signal: Signal) -> None:
    await anyio.sleep(DEADLINE)
    signal.set()


def _ruin(declaration: Any) -> None:
    if isinstance(declaration, dict):
        for item in declaration.values():
            _ruin(item)
        declaration.clear()
        declaration["ruined"] = True
    elif isinstance(declaration, list):
        for item in declaration:
            _ruin(item)
        declaration.clear()
