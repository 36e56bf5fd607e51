"""One call through every stage: intake, gates, approval, guards, wrappers, body, post policy, finaliser, observers."""

from __future__ import annotations

import asyncio
import inspect
import logging
import reprlib
from collections.abc import Callable, Iterable, Mapping
from time import perf_counter
from types import CoroutineType
from typing import Any, Final, get_args

import attrs

from capdeco.errors import ToolError, near_misses
from capdeco.host.body import run_body
from capdeco.host.frame import BodyContext, Frame, end, left
from capdeco.host.hooks import Chains, Hook, Hooks
from capdeco.host.lossless import NotLossless, from_json, readable, to_json
from capdeco.host.policy import (
    UNCHANGED,
    Accept,
    Allow,
    Answer,
    Ask,
    Block,
    Deny,
    Grant,
    Outcome,
    Progress,
    Question,
    finish,
)
from capdeco.host.prepared import PreparedTool, blocks_to_json, described
from capdeco.host.signal import Signal, following
from capdeco.host.visibility import Visibility
from capdeco.result import Failure, Success, text_of

UNKNOWN_TOOL: Final = "UNKNOWN_TOOL"
RECURSIVE_DISPATCH: Final = "RECURSIVE_DISPATCH"
ABORTED: Final = "ABORTED"
ABORTED_BEFORE_DISPATCH: Final = "ABORTED_BEFORE_DISPATCH"

NESTED_MOST: Final = 100
"""Calls inside each other, at most. Python's own limit would be met a little later, in the middle of anything."""

_HINTED: Final = 200
"""An unknown name is compared with this many presented names at most: the cost must not grow with the catalog."""

# A union of types is made anew wherever it stands in an expression, and records are not free either.
_VERDICTS: Final = (Allow, Deny, Ask)
_REASONS: Final = (str, Deny)
_ANSWERS: Final = (Success, Failure, Answer)
_REVIEWS: Final = (Accept, Block)
_ALLOW: Final = Allow()
_NO_OPINION: Final = Accept()

_log: Final = logging.getLogger("capdeco.host")


class Pipeline:
    """Runs calls. Nothing is awaited but bodies and hooks, and nothing is made that no hook, budget or thread needs."""

    __slots__ = ("enforce_timeouts", "hooks", "state", "visibility")

    def __init__(self, visibility: Visibility, hooks: Hooks, state: Any, *, enforce_timeouts: bool) -> None:
        self.visibility = visibility
        self.hooks = hooks
        self.state = state
        self.enforce_timeouts = enforce_timeouts

    def reach(self, frame: Frame) -> PreparedTool | None:
        """Find what this call would run now. An internal tool is there only for the running tools that use it."""
        tool = self.visibility.resolve(frame.layer, frame.name)
        if tool is None:
            return None
        caller = frame.caller
        if caller is None:
            return tool if tool.expose else None
        # A body that has ended sees nothing any more: what it left behind must not pass for a nested dispatch.
        if frame.left_behind is not None or not (tool.expose or tool.name in caller.uses):
            return None
        return tool

    async def dispatch(self, frame: Frame) -> Outcome:
        """Run a call that a body makes."""
        if type(frame.name) is not str or type(frame.call_id) is not str:
            _must_be_text(frame.name, frame.call_id)
        if frame.depth > NESTED_MOST:
            return Failure(
                message=f"{frame.title}: more than {NESTED_MOST} calls inside each other", code=RECURSIVE_DISPATCH
            )
        tool = self.reach(frame)
        if tool is not None and tool.operation and frame.reenters(tool):
            return _recursive(frame)
        return await self.run(frame, tool)

    async def run(self, frame: Frame, tool: PreparedTool | None) -> Outcome:
        """Run the call to its end; what it raises is the cancellation of its task, or no `Exception` at all.

        *tool* is what it would reach now.
        """
        finalize = None if tool is None else tool.finalize
        try:
            outcome = await self._stages(frame, tool)
        except BaseException:
            frame.ended = True
            self._publish(frame, _aborted(frame, started=True))
            raise
        if finalize is not None:
            outcome = _finalized(outcome, finalize)
        frame.ended = True
        self._publish(frame, outcome)
        return outcome

    async def _stages(self, frame: Frame, tool: PreparedTool | None) -> Outcome:
        try:
            if isinstance(frame.arguments, bytes):
                frame.json, frame.copy = frame.arguments, from_json(frame.arguments)
            else:
                frame.json, frame.copy = to_json(_plain(frame.arguments))
        except NotLossless as error:
            return Failure(message=f"{frame.title}: the arguments are not lossless JSON: {readable(str(error))}")
        signal = frame.signal
        if signal is not None and signal.is_set:
            return _aborted(frame)
        chains = self.hooks.of(frame.layer)
        refusal: Outcome | None = None
        judged = bool(chains.pre_execute or chains.guard)
        if judged:
            refusal = await self._policy(frame, chains)
            if refusal is None and signal is not None and signal.is_set:
                refusal = _aborted(frame)
            chains = self.hooks.of(frame.layer)
        if refusal is not None:
            outcome = refusal
        elif chains.around:
            outcome = await self._wrapped(frame, chains)
        else:
            # Policy may have changed what there is.
            outcome = await self._body(frame, self.reach(frame) if judged else tool, None)
        if signal is not None and signal.is_set and outcome.ok:
            outcome = _overridden(frame, outcome)
        if not frame.layer.ended:
            # A scope that has ended by now took its hooks with it: those under which the call began judge its result.
            chains = self.hooks.of(frame.layer)
        if chains.post_execute and not frame.broken:
            outcome = await self._reviewed(frame, chains, outcome)
            if signal is not None and signal.is_set and outcome.ok:
                outcome = _overridden(frame, outcome)
        return outcome

    # Stages 2 to 4: gates, approval, guards.

    async def _policy(self, frame: Frame, chains: Chains) -> Failure | None:
        try:
            if chains.pre_execute:
                verdict = await self._verdict(frame, chains.pre_execute, 0)
                if isinstance(verdict, Deny):
                    return _denied(frame, verdict.reason)
                if isinstance(verdict, Ask):
                    refusal = await self._asked(frame, verdict.reason)
                    if refusal is not None:
                        return refusal
                chains = self.hooks.of(frame.layer)
            for guard in chains.guard:
                reason = guard.function(frame.facts)
                if reason is not None:
                    reason = await _settled(reason)
                if isinstance(reason, _REASONS):
                    return _denied(frame, reason.reason if isinstance(reason, Deny) else reason)
                if reason is not None:
                    return _broken(frame, _misbehaved("guard", guard, reason, "a reason (text), a Deny or None"))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - policy that breaks never lets a call through
            return _broken(frame, error)
        return None

    async def _verdict(self, frame: Frame, gates: tuple[Hook, ...], start: int) -> Allow | Deny | Ask:
        for index in range(start, len(gates)):
            gate = gates[index]
            if gate.walks:

                async def proceed(after: int = index + 1) -> Allow | Deny | Ask:
                    _still_running(frame)
                    return await self._verdict(frame, gates, after)

                verdict = await _settled(gate.function(frame.facts, proceed))
            else:
                verdict = gate.function(frame.facts)
                if verdict is not None:
                    verdict = await _settled(verdict)
            if isinstance(verdict, _VERDICTS):
                return verdict
            if verdict is not None:
                raise _misbehaved("pre-execute hook", gate, verdict, "Allow(), a Deny, an Ask or None")
        return _ALLOW

    async def _asked(self, frame: Frame, reason: str | None) -> Failure | None:
        approvals = self.hooks.of(frame.layer).approval
        if not approvals:
            return _denied(frame, reason or "", f"{frame.title} needs an approval, and nobody is there to give it")
        if frame.scope is None:
            return Failure(message=f"{frame.title} needs an approval, and this call has no agent to be asked about")
        # The nearest service, and of one layer's the latest, answers for the call.
        grant: object = await _settled(approvals[-1].function(Question(frame.facts, reason)))
        if not isinstance(grant, str) or str(grant) not in get_args(Grant):
            raise _misbehaved("approval", approvals[-1], grant, f"one of {', '.join(map(repr, get_args(Grant)))}")
        grant = str(grant)  # not what a subclass says that it equals
        if grant == "allowed-once":
            return None
        if grant == "cancelled" and frame.signal is not None and frame.signal.is_set:
            return _aborted(frame)
        return Failure(message=f"{frame.title} was not approved: the approval was {grant}")

    # Stage 5: wrappers and body.

    async def _wrapped(self, frame: Frame, chains: Chains) -> Outcome:
        made: list[Outcome] = []
        try:
            given = await self._through(frame, chains.around, 0, None, made)
            for outcome in made:
                if outcome is given:
                    return outcome
            return self._made_up(frame, given)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a wrapper that breaks fails the call
            return _broken(frame, error)

    def _made_up(self, frame: Frame, given: Outcome | Answer) -> Outcome:
        """Take what a wrapper answered instead of the body: its value is checked and rendered, its content dropped."""
        if isinstance(given, Failure):
            message = _shown(given.message, f"{frame.title} failed")
            return attrs.evolve(given, message=message, content=None)
        tool = self.reach(frame)
        if tool is None:
            return self._unknown(frame)
        checked = tool.result(given.value, given.contexts if isinstance(given, Success) else ())
        frame.broken = not checked.ok
        return checked

    async def _through(
        self, frame: Frame, wrappers: tuple[Hook, ...], index: int, signal: Signal | None, made: list[Outcome]
    ) -> Outcome | Answer:
        """Walk the chain from *index* on, as often as the wrapper before it wants."""
        if index == len(wrappers):
            outcome = await self._body(frame, self.reach(frame), signal)
            made.append(outcome)
            return outcome
        wrapper = wrappers[index]

        async def proceed(signal: Signal | None = signal) -> Outcome | Answer:
            _still_running(frame)
            return await self._through(frame, wrappers, index + 1, signal, made)

        given = await _settled(wrapper.function(frame.facts, proceed))
        if not isinstance(given, _ANSWERS):
            raise _misbehaved("wrapper", wrapper, given, "what proceed() gave, an Answer or a Failure")
        return given

    async def _body(self, frame: Frame, tool: PreparedTool | None, signal: Signal | None) -> Outcome:
        """Run *tool*, which is what the call reaches now, if anything."""
        upstream = frame.signal if signal is None or signal is frame.signal else following(signal, frame.signal)
        if upstream is not None and upstream.is_set:
            return _aborted(frame, started=False)
        if tool is None:
            return self._unknown(frame)
        if tool.operation and frame.reenters(tool):
            return _recursive(frame)
        arguments, frame.copy = frame.copy, None
        if arguments is None:
            arguments = from_json(frame.json or b"null")
        caller = frame.caller
        # A step of an operation is given the operation's whole input; what an author wrote out is all meant.
        if caller is not None and caller.operation and tool.input.closed is not None and type(arguments) is dict:
            arguments = tool.input.declared(arguments)
        refusal = tool.check(arguments)
        if refusal is not None:
            return refusal
        frame.tool = tool
        frame.body_started = True
        context = BodyContext(self, frame, tool, upstream)
        timeout = tool.timeout if self.enforce_timeouts else None
        try:
            if timeout is None and tool.is_async:
                value = await tool.body(arguments, context)
            else:
                value = await run_body(tool, arguments, context, timeout)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a body raises is a failed call
            return _failed(frame, error, left(context)[0])
        except asyncio.CancelledError as error:
            if not _from_inside():
                raise
            return _failed(frame, error, left(context)[0])
        finally:
            end(context)
        contexts, concludes = left(context)
        outcome = tool.result(value, contexts, concludes=concludes)
        if upstream is not None and upstream.is_set and outcome.ok:
            return _overridden(frame, outcome)
        return outcome

    # Stage 6: post policy.

    async def _reviewed(self, frame: Frame, chains: Chains, outcome: Outcome) -> Outcome:
        try:
            review = await self._review(frame, chains.post_execute, 0, outcome)
            if review is _NO_OPINION:
                return outcome
            contexts = tuple(readable(str(text)) for text in review.contexts)
            if isinstance(review, Block):
                blocks = blocks_to_json(review.blocks)
                message = _shown(text_of(review.blocks), f"the result of {frame.title} was blocked")
                return Failure(message=message, content=blocks, contexts=contexts)
            contexts = (*outcome.contexts, *contexts)
            if review.value is not UNCHANGED:
                return self._with_value(frame, outcome, review, contexts)
            if review.content is None:
                return attrs.evolve(outcome, contexts=contexts)
            content = blocks_to_json(review.content)
            if outcome.ok:
                return attrs.evolve(outcome, content=content, content_replaced=True, contexts=contexts)
            return attrs.evolve(outcome, content=content, contexts=contexts)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - post policy that breaks fails the call
            return _broken(frame, error)

    def _with_value(self, frame: Frame, outcome: Outcome, review: Accept, contexts: tuple[str, ...]) -> Outcome:
        if review.content is not None:
            raise TypeError(f"post policy of {frame.title} replaced both value and content")
        if not outcome.ok:
            raise TypeError(f"post policy of {frame.title} gave a value to a failure")
        tool = frame.tool or self.reach(frame)
        if tool is None:
            return self._unknown(frame)
        return tool.replaced(review.value, contexts, concludes=outcome.concludes_turn)

    async def _review(self, frame: Frame, reviewers: tuple[Hook, ...], start: int, outcome: Outcome) -> Accept | Block:
        for index in range(start, len(reviewers)):
            reviewer = reviewers[index]
            if reviewer.walks:

                async def proceed(after: int = index + 1) -> Accept | Block:
                    _still_running(frame)
                    return await self._review(frame, reviewers, after, outcome)

                review = await _settled(reviewer.function(frame.facts, outcome, proceed))
            else:
                review = reviewer.function(frame.facts, outcome)
                if review is not None:
                    review = await _settled(review)
            if isinstance(review, _REVIEWS):
                return review
            if review is not None:
                raise _misbehaved("post-execute hook", reviewer, review, "an Accept, a Block or None")
        return _NO_OPINION

    # Stage 8, and what stands beside the stages.

    def _publish(self, frame: Frame, outcome: Outcome) -> None:
        observers = self.hooks.of(frame.layer).observe
        if not observers:
            return
        facts = frame.facts
        tool = frame.tool or self.reach(frame)
        finish(facts, None if tool is None else tool.layer, perf_counter() - frame.started)
        tell(observers, facts, outcome)

    def report(self, frame: Frame, progress: Progress) -> None:
        """Tell those who watch how far a body is."""
        watchers = self.hooks.of(frame.layer).on_progress
        if watchers and not frame.ended:
            tell(watchers, frame.facts, progress)

    def _unknown(self, frame: Frame) -> Failure:
        """Hint only at what is presented to this scope: an internal tool is named to nobody."""
        if frame.left_behind is not None:
            ended = f"{frame.left_behind} has ended: nothing is called through its context"
            return Failure(message=ended, code=UNKNOWN_TOOL)
        if frame.layer.ended and frame.scope is not None:
            return Failure(message=readable(f"the scope {frame.scope.name} has ended"), code=UNKNOWN_TOOL)
        catalog = self.visibility.catalog(frame.layer)
        close = near_misses(frame.name, catalog) if len(catalog) <= _HINTED else []
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        return Failure(message=f"there is no tool {frame.title}{hint}", code=UNKNOWN_TOOL)


def tell(hooks: Iterable[Hook], *facts: Any) -> None:
    """Call those who only listen; one that breaks is logged, and breaks nothing else."""
    for hook in hooks:
        try:
            hook.function(*facts)
        except (Exception, SystemExit):  # noqa: BLE001 - logged, whatever it is
            _log.exception("%s broke and is ignored", hook)


def _plain(arguments: Any) -> Any:
    return arguments if isinstance(arguments, dict) or not isinstance(arguments, Mapping) else dict(arguments)


async def _settled(given: Any) -> Any:
    """Give what a hook gave, awaited if it has to be."""
    if type(given) is not CoroutineType and not inspect.isawaitable(given):
        return given
    try:
        return await given
    except asyncio.CancelledError:
        if _from_inside():
            raise RuntimeError("something that it awaited was cancelled") from None
        raise


def _recursive(frame: Frame) -> Failure:
    return Failure(
        message=f"{frame.title} is already running in this call and cannot be entered again", code=RECURSIVE_DISPATCH
    )


def _from_inside() -> bool:
    """Say whether a CancelledError was raised by the body itself, say by a future of its own, and not by our caller."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return True  # under trio nobody is cancelled in asyncio's way
    return task is not None and task.cancelling() == 0


def _must_be_text(name: object, call_id: object) -> None:
    for what, given in (("a tool is called by its name", name), ("a call is told by an id that is text", call_id)):
        if not isinstance(given, str):
            raise TypeError(f"{what}, not with {reprlib.repr(given)} ({type(given).__name__})")


def _still_running(frame: Frame) -> None:
    if frame.ended:
        raise RuntimeError(f"the call {frame.call_id} has ended; nothing can be continued")


def _shown(text: str, instead: str) -> str:
    """Give *text* as it is, unless nothing of it would be seen."""
    visible = text.isalnum() or any(each.isprintable() and not each.isspace() for each in text)
    return readable(text) if visible else instead


def _denied(frame: Frame, reason: str, instead: str | None = None) -> Failure:
    return Failure(message=_shown(reason, instead or f"{frame.title} was denied"))


def _failed(frame: Frame, error: BaseException, contexts: tuple[str, ...] = (), who: str = "") -> Failure:
    if isinstance(error, SystemExit):
        return Failure(message=f"{who}{frame.title} tried to exit the process", contexts=contexts)
    if isinstance(error, RecursionError):
        why = described(error) or type(error).__name__
        return Failure(message=f"{who}{frame.title} went too deep: {why}", contexts=contexts)
    message = _shown(described(error), f"{frame.title} failed ({type(error).__name__})")
    if isinstance(error, ToolError):
        return Failure(message=message, code=error.code, details=error.details, contexts=contexts)
    return Failure(message=message, contexts=contexts)


def _broken(frame: Frame, error: BaseException) -> Failure:
    frame.broken = True
    return _failed(frame, error, who="policy of ")


def _misbehaved(kind: str, hook: Hook, given: object, wanted: str) -> TypeError:
    return TypeError(f"the {kind} {hook} gave {type(given).__name__}, which is no decision: it gives {wanted}")


def _aborted(frame: Frame, *, started: bool | None = None) -> Failure:
    if frame.body_started if started is None else started:
        return Failure(message=f"{frame.title} was cancelled", code=ABORTED)
    return Failure(message=f"{frame.title} was cancelled before it started", code=ABORTED_BEFORE_DISPATCH)


def _overridden(frame: Frame, outcome: Success) -> Failure:
    """A success that came after the caller gave up. What an operation had done by then is kept, for programs."""
    failure = _aborted(frame)
    steps = outcome.value.get("steps") if frame.tool is not None and frame.tool.operation else None
    return attrs.evolve(failure, details={"steps": steps} if steps else None, contexts=outcome.contexts)


def _finalized(outcome: Outcome, finalize: Callable[[Outcome], Any]) -> Outcome:
    """The tool's last word on its content. One that breaks has none: the result stays as it is."""
    try:
        blocks = finalize(outcome)
        return outcome if blocks is None else attrs.evolve(outcome, content=blocks_to_json(blocks))
    except (Exception, SystemExit):  # noqa: BLE001 - logged, whatever it is
        _log.exception("a content finaliser broke and is ignored")
        return outcome
