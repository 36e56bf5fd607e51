"""A capability declared as data: the seed's mapping, read into the same records that the decorators make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from capdeco.codes import DECLARATION
from capdeco.declare.capabilities import Capability, make_capability
from capdeco.declare.faults import located
from capdeco.declare.names import identifier_fault, is_blank, quoted
from capdeco.declare.operations import Operation, SchemaInput, read_steps
from capdeco.declare.parameters import compile_parameters
from capdeco.errors import DeclarationError, Diagnostic, did_you_mean

_CAPABILITY: Final = ("id", "description", "operations")
_OPERATION: Final = ("name", "description", "parameters", "steps")


def read_capability(declared: object) -> Capability:
    """Read `{"id", "description", "operations": [{"name", "description", "parameters", "steps"}]}`, copying all of it.

    Raises:
        DeclarationError: a part is missing, unknown or not as it must be; it names capability, operation and step.
    """
    if not isinstance(declared, Mapping):
        raise _refused("capability-shape", "", f"a capability is a mapping, not {declared!r}")
    id_ = declared.get("id")
    fault = identifier_fault(id_, "a capability id") if "id" in declared else 'the key "id" is missing'
    if fault:
        raise _refused("capability-id", "", fault)
    subject = str(id_)
    _known(declared, _CAPABILITY, "capability-shape", subject)
    if is_blank(declared.get("description")):
        raise _refused("capability-description", subject, "a capability has a description that is text and not blank")
    operations = declared.get("operations")
    if not isinstance(operations, list | tuple) or not operations:
        raise _refused("operations", subject, "the operations are a list, and there is at least one")
    return make_capability(id_, declared["description"], [_operation(each, subject) for each in operations])


def _operation(declared: object, capability: str) -> Operation:
    if not isinstance(declared, Mapping | list | tuple):
        raise _refused("operation-shape", capability, f"an operation is a mapping, not {declared!r}")
    name = declared.get("name") if isinstance(declared, Mapping) else None
    fault = identifier_fault(name, "an operation name")
    if fault or not isinstance(declared, Mapping):
        raise _refused("operation-name", capability, str(fault))
    subject = f"{capability}.{name}"
    _known(declared, _OPERATION, "operation-shape", subject)
    if is_blank(declared.get("description")):
        raise _refused("operation-description", subject, "an operation has a description that is text and not blank")
    with _about(subject):
        schema = compile_parameters(declared.get("parameters", {}))
    with _about(subject):
        steps = read_steps(declared.get("steps"), subject, None, plain=True)
    return Operation(name=str(name), description=declared["description"], takes=SchemaInput(schema), steps=steps)


class _about:  # noqa: N801 - reads as a phrase
    """Name the declaration in whatever is refused inside."""

    def __init__(self, subject: str) -> None:
        self._subject = subject

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, DeclarationError):
            raise located(error, subject=self._subject) from None


def _known(declared: Mapping[str, object], keys: Iterable[str], rule: str, subject: str) -> None:
    for key in declared:
        if key not in keys:
            raise _refused(rule, subject, f"there is no key {quoted(key)}", did_you_mean(str(key), keys, "keys"))


def _refused(rule: str, subject: str, what: str, fix: str = "") -> DeclarationError:
    return DeclarationError(Diagnostic(DECLARATION, what, fix or "correct the declaration", subject=subject, rule=rule))
