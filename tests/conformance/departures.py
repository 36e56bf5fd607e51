"""Where we depart from the recorded host, on purpose: the table of scenarios, and the decisions that are rules.

`../shared/conformance/departures.md` has the decisions. A scenario that differs and is not here is a failure; so is an
entry of the table whose scenario passes as recorded.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from capdeco.host.lossless import readable
from tests.conformance.corpus import decode, has_lone_surrogate
from tests.conformance.replay import Child, Replay, compact

Expected = dict[str, Any]


@attrs.frozen
class Departure:
    """One scenario that ends differently, and what is expected instead: position of the action -> its new `expect`."""

    decision: str
    why: str
    instead: Mapping[int, Expected]


def _refused(kind: str, *mentions: str, step: int | None = None) -> Expected:
    return {"ok": False, "refused": kind, "mentions": list(mentions), **({} if step is None else {"step": step})}


def _unknown(tool: str) -> Expected:
    return {
        "is_error": True,
        "error": {"message": {"$message": [tool]}, "code": "UNKNOWN_TOOL"},
        "content": "error_text",
        "trace": [],
    }


_OK: Expected = {"ok": True}

TABLE: dict[str, Departure] = {
    "surface/unknown-fields-ignored": Departure(
        "D1",
        "unknown keys of capability, operation and step are refused",
        {
            0: _refused("capability_shape", "map", "version"),
            1: {"capabilities": []},
            2: {"names": ["map_trace", "map_grid"]},
            3: _unknown("map_survey"),
        },
    ),
    "surface/misspelt-from-silently-ignored": Departure(
        "D1",
        "the misspelt key is refused, with the near miss named",
        {0: _refused("step_shape", "map", "survey", "form", "from", step=1), 1: _unknown("map_survey")},
    ),
    "declaration/description-control-blanks": Departure(
        "D2",
        "a description without a visible character is refused",
        {
            0: _refused("capability_description", "map"),
            1: _refused("capability_description", "maq"),
            2: _refused("capability_description", "mar"),
            3: {"capabilities": []},
            4: {"names": ["map_trace", "map_grid"]},
        },
    ),
    "declaration/registry-accepts-names-steps-cannot-use": Departure(
        "D3",
        "the registry does not take the dotted name either",
        {0: {"names": []}, 1: _unknown("map.trace")},
    ),
    "lifecycle/agent-scope-gone-listing-stays": Departure(
        "D5",
        "the capability ends with its scope: it is not listed, and its id is free",
        {
            3: {"names": []},
            4: {"capabilities": []},
            5: _OK,
            7: {"capabilities": [{"id": "map", "description": "Everything about map.", "tools": ["map_survey"]}]},
            8: _refused("duplicate_capability", "map"),
        },
    ),
    "lifecycle/layer-unmounted": Departure(
        "D6",
        "a closed binder withdraws what it registered, in every layer",
        {5: {"names": ["map_trace", "map_grid"]}, 6: _unknown("two_survey"), 8: {"names": []}},
    ),
    "lifecycle/declare-after-unmount": Departure(
        "D6",
        "a closed binder refuses every declaration",
        {
            3: _refused("inactive_scope"),
            4: {"capabilities": []},
            5: {"names": ["map_trace", "map_grid"]},
        },
    ),
    "scopes/without-agent-option": Departure(
        "D7",
        "steps are checked in the view of the scope that takes the operation",
        {1: _OK, 2: _refused("duplicate_capability", "desk")},
    ),
    "scopes/wrong-agent": Departure(
        "D7",
        "one argument cannot contradict itself: the step is not visible where the operation would go",
        {
            1: _refused("unknown_step_tool", "desk", "read", "desk_trace", step=1),
            2: {"names": []},
            3: _unknown("desk_read"),
        },
    ),
    "restrict/declare-over-hidden-tool": Departure(
        "D7",
        "the scope that takes the operation hides the step: refused however it is named",
        {
            2: _refused("unknown_step_tool", "run", "all", "a", step=1),
            3: {"names": []},
            4: _unknown("run_all"),
        },
    ),
}


# Decisions that are rules over scenarios, for the ones that nobody has seen.


def expected_of(replay: Replay, action: Mapping[str, Any], expect: Expected) -> tuple[Expected, set[str]]:
    """Apply the rules to what a call was recorded to give; also says which decisions changed something."""
    decisions: set[str] = set()
    for decision, rule in RULES:
        changed = rule(replay, action, copy.deepcopy(expect))
        if changed != expect:
            decisions.add(decision)
            expect = changed
    return expect, decisions


@attrs.frozen
class Operation:
    """An operation as a scenario declares it."""

    capability: str
    name: str
    steps: Sequence[Mapping[str, Any]]

    @property
    def tool(self) -> str:
        return f"{self.capability}_{self.name}"

    def step_id(self, call: str, number: int) -> str:
        return f"{call}:{self.capability}.{self.name}:{number}"


def operations(scenario: Mapping[str, Any]) -> dict[str, Operation]:
    """Give the operations that a scenario declares: tool name -> operation."""
    found: dict[str, Operation] = {}
    for action in scenario["actions"]:
        declaration = decode(action["capability"]) if action["do"] == "register_capability" else None
        if not isinstance(declaration, dict) or not action["expect"].get("ok"):
            continue
        for each in declaration["operations"]:
            operation = Operation(declaration["id"], each["name"], each["steps"])
            found[operation.tool] = operation
    return found


def tools(scenario: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Give the tools that a scenario registers, wherever: name -> tool."""
    given = [*scenario.get("tools", []), *(a["tool"] for a in scenario["actions"] if a["do"] == "register_tool")]
    plain = [{"name": tool} if isinstance(tool, str) or "$repeat" in tool else tool for tool in given]
    return {decode(tool["name"]): tool for tool in plain}


def _call_id(replay: Replay, action: Mapping[str, Any]) -> str:
    return str(decode(action.get("call", f"c{replay.calls}")))


def _is_report(value: Any) -> bool:
    return isinstance(value, dict) and {"ok", "capability", "operation", "steps"} <= set(value)


def _own_result(scenario: Mapping[str, Any], tool: str) -> bool:
    """Say that no hook puts something in the place of the tool's own result."""
    return not any(
        (action["do"] == "post" and action.get("decide") in ("value", "content", "both", "block"))
        or (action["do"] == "around" and action.get("wrap") in ("return", "fail"))
        for action in scenario["actions"]
        if action["do"] in ("post", "around") and tool in _matched(action, tool)
    )


def _matched(action: Mapping[str, Any], tool: str) -> list[str]:
    names = decode(action.get("match", {})).get("tool", tool)
    return [names] if isinstance(names, str) else list(names)


def _rebuilt(report: Expected, steps: list[Expected]) -> Expected:
    """Make the report of an operation whose steps went like this, up to the first that failed."""
    failed = next((index for index, step in enumerate(steps) if not step["ok"]), None)
    rebuilt = {key: report[key] for key in ("ok", "capability", "operation")}
    rebuilt |= {"ok": failed is None, "steps": steps if failed is None else steps[: failed + 1]}
    if failed is not None:
        rebuilt |= {"failedStep": steps[failed]["tool"], "error": steps[failed]["error"]}
    return rebuilt


def d8_inner_failures_count(replay: Replay, action: Mapping[str, Any], expect: Expected) -> Expected:
    """An inner operation that reports `ok: false` is a failed step, and the pipeline stops."""
    known = operations(replay.scenario)
    dropped: list[str] = []

    def mended(report: Expected, call: str) -> Expected:
        operation = known.get(f"{report['capability']}_{report['operation']}")
        if operation is None:
            return report
        steps = []
        for number, step in enumerate(report["steps"], start=1):
            if not (step["ok"] and step["tool"] in known and _is_report(step.get("value"))):
                steps.append(step)
                continue
            inner = mended(step["value"], operation.step_id(call, number))
            if inner["ok"]:
                same = inner == step["value"] or isinstance(step["text"], dict)
                steps.append({**step, "value": inner, "text": step["text"] if same else compact(inner)})
                continue
            code = inner["steps"][-1].get("code")
            steps.append(
                {"tool": step["tool"], "ok": False, "error": inner["error"], **({} if code is None else {"code": code})}
            )
            dropped.extend(operation.step_id(call, later) for later in range(number + 1, len(report["steps"]) + 1))
            break
        return _rebuilt(report, steps)

    if _is_report(expect.get("value")):
        expect["value"] = mended(expect["value"], _call_id(replay, action))
        expect["trace"] = [entry for entry in expect["trace"] if not _below(entry, dropped)]
    return expect


def _below(entry: Mapping[str, Any], calls: Sequence[str]) -> bool:
    call = str(entry.get("call", ""))
    return any(call == each or call.startswith(f"{each}:") for each in calls)


def _children(replay: Replay, operation: Operation, call: str) -> list[Child]:
    ids = {operation.step_id(call, number) for number in range(1, len(operation.steps) + 1)}
    return [child for child in replay.children if child.call_id in ids]


def d10_what_steps_attached_is_handed_on(replay: Replay, action: Mapping[str, Any], expect: Expected) -> Expected:
    """Context messages, the end-of-turn mark and blocks that are not text: as the steps' own results had them."""
    operation = operations(replay.scenario).get(decode(action["tool"]))
    if operation is None or not (expect.get("is_error") is False or expect["error"].get("code") == "ABORTED"):
        return expect
    if not _own_result(replay.scenario, operation.tool):
        return expect
    children = _children(replay, operation, _call_id(replay, action))
    contexts = [text for child in children for text in child.outcome.contexts]
    if contexts:
        expect["contexts"] = [*contexts, *expect.get("contexts", [])]
    if expect["is_error"]:
        return expect
    if any(child.outcome.ok and child.outcome.concludes_turn for child in children):
        expect["concludes_turn"] = True
    blocks = [b for child in children if child.outcome.ok for b in child.outcome.content if b["type"] != "text"]
    if blocks and expect["content"] == "json_of_value":
        expect["content"] = ["json_of_value", *blocks]
    return expect


def d11_redacted_steps_show_no_value(replay: Replay, action: Mapping[str, Any], expect: Expected) -> Expected:
    """A step whose content policy replaced reports the new text and no value."""
    operation = operations(replay.scenario).get(decode(action["tool"]))
    if operation is None or not _is_report(expect.get("value")):
        return expect
    redacted = {
        child.call_id: child.outcome
        for child in _children(replay, operation, _call_id(replay, action))
        if child.outcome.ok and child.outcome.content_replaced
    }
    for number, step in enumerate(expect["value"]["steps"], start=1):
        outcome = redacted.get(operation.step_id(_call_id(replay, action), number))
        if outcome is not None and step["ok"]:
            step.pop("value")
            step["text"] = outcome.text
    return expect


def d12_no_blank_reasons(replay: Replay, action: Mapping[str, Any], expect: Expected) -> Expected:
    """A blank reason or message is replaced by one that names the tool."""

    def said(text: Any, tool: str) -> Any:
        return {"$message": [tool]} if isinstance(text, str) and not text.strip() else text

    if "error" in expect:
        expect["error"]["message"] = said(expect["error"]["message"], decode(action["tool"]))
    if _is_report(expect.get("value")):
        report = expect["value"]
        for step in report["steps"]:
            if not step["ok"]:
                step["error"] = said(step["error"], step["tool"])
        if "error" in report:
            report["error"] = said(report["error"], report["failedStep"])
    return expect


def d13_every_continuation_runs_the_rest(replay: Replay, action: Mapping[str, Any], expect: Expected) -> Expected:
    """A wrapper that continues again runs the wrappers inside it again, not only the body."""
    again = {each["name"] for each in replay.scenario["actions"] if each.get("wrap") in ("twice", "retry")}
    opened: dict[str, list[str]] = {}
    inside: dict[tuple[str, str], list[str]] = {}
    trace: list[Expected] = []
    pending: list[Expected] = []
    for entry in expect["trace"]:
        if pending and entry["at"] != "action":
            trace += pending
            pending = []
        call, hook = entry.get("call", ""), entry.get("hook", "")
        stack = opened.setdefault(call, [])
        if entry["at"] == "around":
            for outer in stack:
                inside.setdefault((call, outer), []).append(hook)
            stack.append(hook)
        elif entry["at"] == "around_done":
            stack.remove(hook)
            last = trace[-1] if trace else {}
            if last.get("at") == "around_done" and last.get("call") == call and "attempt" in last:
                for each in trace:
                    # Only the last attempt's result is the wrapper's own; what it tried before had failed.
                    if each.get("attempt") is last["attempt"]:
                        each["is_error"] = entry["is_error"]
        elif entry["at"] == "body" and stack and stack[-1] in again and (call, stack[-1]) in inside:
            attempt = object()
            agent = {"agent": entry["agent"]} if "agent" in entry else {}
            same = [{"hook": each, "tool": entry["tool"], "call": call, **agent} for each in inside[call, stack[-1]]]
            trace += [{"at": "around", **each} for each in same]
            pending = [{"at": "around_done", **each, "is_error": True, "attempt": attempt} for each in reversed(same)]
        trace.append(entry)
    trace += pending
    return {**expect, "trace": [{key: value for key, value in each.items() if key != "attempt"} for each in trace]}


def d14_mappings_are_checked_first(replay: Replay, action: Mapping[str, Any], expect: Expected) -> Expected:
    """A step without its input fails before the first dispatch, and is then the only step of the report."""
    known = operations(replay.scenario)
    operation = known.get(decode(action["tool"]))
    arguments = decode(action.get("args", {}))
    if operation is None or not isinstance(arguments, dict):
        return expect
    at = next(
        (
            n
            for n, step in enumerate(operation.steps, 1)
            if "from" in step and not isinstance(arguments.get(step["from"]), dict)
        ),
        None,
    )
    call = _call_id(replay, action)
    ran = any(_below(entry, [operation.step_id(call, 1)]) for entry in expect["trace"])
    if at is None or at == 1 or not ran:
        return expect
    tool, field = operation.steps[at - 1]["tool"], operation.steps[at - 1]["from"]
    message = {"$message": [field, tool]}
    report = {"ok": False, "capability": operation.capability, "operation": operation.name}
    step = {"tool": tool, "ok": False, "error": message}
    nested = [operation.step_id(call, number) for number in range(1, len(operation.steps) + 1)]
    mended: Expected = {
        "is_error": False,
        "value": _rebuilt(report, [step]),
        "content": "json_of_value",
        "trace": [_settled_well(entry, call) for entry in expect["trace"] if not _below(entry, nested)],
    }
    return mended if expect["is_error"] is False or expect["error"].get("code") == "ABORTED" else expect


def _settled_well(entry: Expected, call: str) -> Expected:
    """The operation's own entries: what was aborted in a step that never runs is not aborted."""
    if entry.get("call") == call and "is_error" in entry:
        return {key: value for key, value in {**entry, "is_error": False}.items() if key != "code"}
    return entry


def d15_arguments_are_isolated(replay: Replay, action: Mapping[str, Any], expect: Expected) -> Expected:
    """A body may change its own copy: it succeeds, and nobody else sees the change."""
    registered = tools(replay.scenario)
    changers = {name for name, tool in registered.items() if tool.get("does", {}).get("kind") == "mutate_args"}
    name, call, arguments = decode(action["tool"]), _call_id(replay, action), decode(action.get("args", {}))
    if name in changers and expect["is_error"] and any(entry["at"] == "body" for entry in expect["trace"]):
        return {
            "is_error": False,
            "value": {"changed": True},
            "content": "json_of_value",
            "trace": [_settled_well(entry, call) for entry in expect["trace"]],
        }
    operation = operations(replay.scenario).get(name)
    report: Any = expect.get("value")
    if operation is None or not _is_report(report) or report.get("failedStep") not in changers:
        return expect
    steps = report["steps"][:-1]
    trace = [entry for entry in expect["trace"] if not (entry["at"] == "result" and entry["call"] == call)]
    for number in range(len(steps) + 1, len(operation.steps) + 1):
        step = operation.steps[number - 1]
        given = arguments if "from" not in step else arguments[step["from"]]
        value = {"changed": True} if step["tool"] in changers else {"echo": given}
        steps.append({"tool": step["tool"], "ok": True, "text": compact(value), "value": value})
        if number > len(report["steps"]):
            root = decode(action.get("root", call))
            entry = {"at": "body", "tool": step["tool"], "call": operation.step_id(call, number), "root": root}
            trace.append({**entry, "parent": call, "args": given})
    return {**expect, "value": _rebuilt(report, steps), "trace": trace}


def d20_half_pairs_are_no_text(replay: Replay, action: Mapping[str, Any], expect: Expected) -> Expected:
    """A text with half a surrogate pair has no JSON form: refused at intake, or as what a tool returned."""
    if has_lone_surrogate(action.get("args", {})):
        return {
            "is_error": True,
            "error": {"message": {"$message": [decode(action["tool"])]}},
            "content": "error_text",
            "trace": [{**entry, "is_error": True} for entry in expect["trace"] if entry["at"] == "result"][-1:],
        }
    registered = tools(replay.scenario)
    broken = {name for name, tool in registered.items() if has_lone_surrogate([tool.get("does"), tool.get("render")])}
    name = decode(action["tool"])
    failure = {"message": {"$message": [name]}, "code": "INVALID_TOOL_OUTPUT"}
    if name in broken and not expect["is_error"]:
        trace = [{**e, "is_error": True} if "is_error" in e else e for e in expect["trace"]]
        return {"is_error": True, "error": failure, "content": "error_text", "trace": trace}
    operation = operations(replay.scenario).get(name)
    if operation is not None and _is_report(expect.get("value")):
        steps = [
            {"tool": s["tool"], "ok": False, "error": {"$message": [s["tool"]]}, "code": "INVALID_TOOL_OUTPUT"}
            if s["ok"] and s["tool"] in broken
            else s
            for s in expect["value"]["steps"]
        ]
        report = _rebuilt(expect["value"], steps)
        call = _call_id(replay, action)
        later = range(len(report["steps"]) + 1, len(operation.steps) + 1)
        dropped = [operation.step_id(call, number) for number in later]
        expect = {**expect, "value": report, "trace": [e for e in expect["trace"] if not _below(e, dropped)]}
    readable_expect: Expected = _readable(expect)
    return readable_expect


def _has_ended(replay: Replay, action: Mapping[str, Any]) -> bool:
    scope = replay.scopes.get(decode(action["agent"])) if "agent" in action else None
    while scope is not None and not scope.closed:
        scope = scope.parent
    return scope is not None


def d22_an_ended_scope_reaches_nothing(replay: Replay, action: Mapping[str, Any], expect: Expected) -> Expected:
    """D22 is decided here: a scope is its agent's authority.

    Where the recorded host falls back to the global layer when a scope ends, without the masks and guards that it had,
    nothing is seen or reached through it any more. Policy of the global layer is asked as for any unknown tool.
    """
    if not _has_ended(replay, action):
        return expect
    call = _call_id(replay, action)
    ran = any(entry["at"] == "body" and entry["call"] == call for entry in expect["trace"])
    if expect["is_error"] and not ran:
        return expect
    mended = _unknown(f"the scope {decode(action['agent'])} has ended")
    for entry in expect["trace"]:
        if entry.get("call") == call and entry["at"] != "body":
            failed = {"is_error": True} if "is_error" in entry else {}
            mended["trace"].append({**entry, **failed, **({"code": "UNKNOWN_TOOL"} if entry["at"] == "result" else {})})
    return mended


def d22_an_ended_scope_sees_nothing(replay: Replay, action: Mapping[str, Any], expect: Expected) -> Expected:
    """The same for what is presented and found."""
    if not _has_ended(replay, action):
        return expect
    nothing = {"names": [], "described": {}, "found": False, "mode": "exclusive"}
    return {key: nothing.get(key, value) for key, value in expect.items()}


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        # One that the cut left behind is D4's; any other half pair comes from an error's message, and is escaped there.
        return value if value.endswith("…[+truncated]") else readable(value)
    if isinstance(value, list):
        return [_readable(item) for item in value]
    return {key: _readable(item) for key, item in value.items()} if isinstance(value, dict) else value


RULES = (
    ("D22", d22_an_ended_scope_reaches_nothing),
    ("D14", d14_mappings_are_checked_first),
    ("D15", d15_arguments_are_isolated),
    ("D20", d20_half_pairs_are_no_text),
    ("D13", d13_every_continuation_runs_the_rest),
    ("D8", d8_inner_failures_count),
    ("D11", d11_redacted_steps_show_no_value),
    ("D10", d10_what_steps_attached_is_handed_on),
    ("D12", d12_no_blank_reasons),
)
