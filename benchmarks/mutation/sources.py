"""Mutants: copies of a module with one small change each."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.MatMult: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
#: Arguments that change only how an object is shown or compared by name.
UNSEEN_ARGUMENTS = {"repr", "compare", "exc_info", "extra", "stacklevel"}


@dataclass(frozen=True)
class Mutant:
    """One change of one file: the text from ``start`` to ``end`` (in bytes) becomes another."""

    path: str
    line: int
    #: First line of the innermost function around the change, its decorators included; 0 outside of functions.
    function: int
    kind: str
    start: int
    end: int
    before: str
    after: str

    @property
    def name(self) -> str:
        """The change in one line: unique, and the same whichever tests are run."""
        return f"{self.path}:{self.line} {self.kind}: {_short(self.before)} -> {_short(self.after)}"

    def applied(self, source: bytes) -> bytes:
        """Return the source of the file with the change."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants(root: Path, path: Path) -> list[Mutant]:
    """Return all mutants of a file that still compile.

    Annotations, docstrings, messages of errors and what is logged stay as they are: tests need not hold them.
    """
    source = path.read_bytes()
    offsets = [0]
    for line in source.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    found = []
    for (node, kind, text), function in _changes(ast.parse(source), 0):
        start = offsets[node.lineno - 1] + node.col_offset
        end = offsets[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        before = source[start:end].decode()
        mutant = Mutant(str(path.relative_to(root)), node.lineno, function, kind, start, end, before, text)
        try:
            compile(mutant.applied(source), str(path), "exec")
        except SyntaxError:  # a part of an f-string has no place of its own
            continue
        found.append(mutant)
    return found


Change = tuple["ast.expr | ast.stmt", str, str]


def _changes(node: ast.AST, function: int) -> Iterator[tuple[Change, int]]:
    """Yield what can be changed in a node, with the first line of the function that it stands in."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        for decorator in node.decorator_list:
            yield from _changes(decorator, function)
        function = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        children: list[ast.AST] = [node.args, *node.body]
    elif isinstance(node, ast.AnnAssign):
        children = [node.value] if node.value else []
    elif isinstance(node, ast.arg) or _is_left_alone(node):
        return
    else:
        children = list(ast.iter_child_nodes(node))
    yield from ((change, function) for change in _own_changes(node))
    for child in children:
        yield from _changes(child, function)


def _is_left_alone(node: ast.AST) -> bool:
    match node:
        case ast.Raise() | ast.Import() | ast.ImportFrom() | ast.JoinedStr() | ast.Assert():
            return True
        case ast.keyword(arg=name):
            return name in UNSEEN_ARGUMENTS
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="logger")))):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__" | "logger")]):
            return True
    return False


def _own_changes(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=comparators) if type(operator) in COMPARISONS:
            swapped = ast.Compare(left, [COMPARISONS[type(operator)]()], comparators)
            yield node, "comparison", f"({ast.unparse(swapped)})"
        case ast.BoolOp(op=operator, values=values):
            other = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield node, "and/or", f"({ast.unparse(ast.BoolOp(other, values))})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, "not", f"({ast.unparse(operand)})"
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in ARITHMETIC and not _is_text(node):
            yield node, "arithmetic", f"({ast.unparse(ast.BinOp(left, ARITHMETIC[type(operator)](), right))})"
        case ast.Constant(value=bool(value)):
            yield node, "constant", str(not value)
        case ast.Constant(value=int() | float() as number):
            yield node, "constant", repr(number + 1)
            yield node, "constant", f"({number - 1!r})"
        case ast.Return(value=ast.expr()) if ast.unparse(node) != "return None":
            yield node, "return", "return None"
        case ast.Expr() | ast.AugAssign() | ast.Delete() | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield node, "statement", "pass"
        case ast.If(test=test) | ast.IfExp(test=test) if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
            yield test, "not", f"(not ({ast.unparse(test)}))"


def _is_text(node: ast.BinOp) -> bool:
    """Whether strings are put together: any other operator would be a TypeError, which proves nothing."""
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str | bytes))
        for side in (node.left, node.right)
    )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."
