"""Names that are assigned more than once: which value they hold, the program decides, and no type may say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mypy.nodes import (
    AssignmentStmt,
    Block,
    ClassDef,
    Decorator,
    Expression,
    ForStmt,
    FuncDef,
    IfStmt,
    MatchStmt,
    MemberExpr,
    MypyFile,
    NameExpr,
    Statement,
    TryStmt,
    WhileStmt,
    WithStmt,
)


def assigned_again(module: MypyFile) -> set[Expression]:
    """Find the values of all names that are assigned more than once in what mypy takes to be reachable."""
    values: dict[object, list[Expression]] = {}
    for owner, statement in _statements(module.defs, module):
        for target in statement.lvalues:
            if isinstance(target, NameExpr) and target.node is not None:
                values.setdefault(target.node, []).append(statement.rvalue)
            elif isinstance(target, MemberExpr):
                values.setdefault((owner, target.name), []).append(statement.rvalue)
    return {value for found in values.values() if len(found) > 1 for value in found}


def _statements(body: Sequence[Statement], owner: object) -> Iterator[tuple[object, AssignmentStmt]]:
    """Give the assignments in *body* and below, and the class or module that each is in."""
    for each in body:
        if isinstance(each, AssignmentStmt):
            yield owner, each
        elif isinstance(each, ClassDef):
            yield from _statements(each.defs.body, each)
        else:
            for block in _blocks(each):
                if block is not None and not block.is_unreachable:
                    yield from _statements(block.body, owner)


def _blocks(statement: Statement) -> Sequence[Block | None]:
    match statement:
        case FuncDef(body=body) | Decorator(func=FuncDef(body=body)) | WithStmt(body=body):
            return [body]
        case IfStmt(body=bodies, else_body=last):
            return [*bodies, last]
        case ForStmt(body=body, else_body=last) | WhileStmt(body=body, else_body=last):
            return [body, last]
        case TryStmt():
            return [statement.body, *statement.handlers, statement.else_body, statement.finally_body]
        case MatchStmt(bodies=bodies):
            return bodies
    return []
