"""What each code means, with an example that shows it and the same example mended; both are test cases."""

from __future__ import annotations

from textwrap import dedent
from typing import Final

import attrs

from capdeco.codes import DECLARATION, FROM, MISSING, TOOL, TYPE, UNCHECKED, UNUSED, Code


@attrs.frozen
class Explanation:
    """The page of one code."""

    code: Code
    says: str
    why: str
    failing: str
    mended: str


def _example(text: str) -> str:
    return dedent(text).strip() + "\n"


EXPLANATIONS: Final = (
    Explanation(
        DECLARATION,
        "the declaration is wrong in itself, whatever tools exist",
        "An illegal or duplicate name, no description, no steps, an unknown key, a body that would never run, a type\n"
        "or default that has no JSON form, a decorator that hides ours. The model would see a broken tool, or none.",
        _example('''
            from capdeco import Step, capability, operation, tool

            @tool
            def note_store(text: str) -> str:
                """Save a note."""
                return text

            @capability(id="notes", description="Notes.")
            class Notes:
                @operation(steps=[Step(note_store)])
                def save(self, text: str) -> None:
                    """Save a note."""
                    print("this would never run")
        '''),
        _example('''
            from capdeco import Step, capability, operation, tool

            @tool
            def note_store(text: str) -> str:
                """Save a note."""
                return text

            @capability(id="notes", description="Notes.")
            class Notes:
                @operation(steps=[Step(note_store)])
                def save(self, text: str) -> None:
                    """Save a note."""
        '''),
    ),
    Explanation(
        TOOL,
        "the step's tool does not exist, or is the operation itself",
        "A step is dispatched by name. A name that nothing is registered under fails at every call; the name of the\n"
        "operation's own tool would run it for ever.",
        _example('''
            from capdeco import Step, capability, operation, tool

            @tool
            def notes_save(text: str) -> str:
                """Save a note."""
                return text

            @capability(id="notes", description="Notes.")
            class Notes:
                @operation(steps=[Step(notes_save)])
                def save(self, text: str) -> None:
                    """Save a note: the operation becomes the tool notes_save too."""
        '''),
        _example('''
            from capdeco import Step, capability, operation, tool

            @tool
            def note_store(text: str) -> str:
                """Save a note."""
                return text

            @capability(id="notes", description="Notes.")
            class Notes:
                @operation(steps=[Step(note_store)])
                def save(self, text: str) -> None:
                    """Save a note."""
        '''),
    ),
    Explanation(
        FROM,
        "`from` names no field of the input, or one that is not surely an object",
        "With `from_`, the step's tool receives the object in that one field. A field that is not there, is no object\n"
        "or may be absent would fail the step when it is reached.",
        _example('''
            import attrs
            from capdeco import Step, capability, operation, tool

            @attrs.frozen
            class Layout:
                columns: int = 1

            @tool
            def page_layout(columns: int = 1) -> str:
                """Lay a page out."""
                return str(columns)

            @capability(id="page", description="Pages.")
            class Page:
                @operation(steps=[Step(page_layout, from_="layuot")])
                def render(self, layout: Layout) -> None:
                    """Render a page."""
        '''),
        _example('''
            import attrs
            from capdeco import Step, capability, operation, tool

            @attrs.frozen
            class Layout:
                columns: int = 1

            @tool
            def page_layout(columns: int = 1) -> str:
                """Lay a page out."""
                return str(columns)

            @capability(id="page", description="Pages.")
            class Page:
                @operation(steps=[Step(page_layout, from_="layout")])
                def render(self, layout: Layout) -> None:
                    """Render a page."""
        '''),
    ),
    Explanation(
        MISSING,
        "a required parameter of the tool is not surely provided by what the step receives",
        "Without `from_` a step receives the operation's whole input, with it one object of it. Whatever its tool\n"
        "requires must be in there, every time.",
        _example('''
            from capdeco import Step, capability, operation, tool

            @tool
            def note_store(title: str, text: str) -> str:
                """Save a note."""
                return title + text

            @capability(id="notes", description="Notes.")
            class Notes:
                @operation(steps=[Step(note_store)])
                def save(self, text: str) -> None:
                    """Save a note."""
        '''),
        _example('''
            from capdeco import Step, capability, operation, tool

            @tool
            def note_store(title: str, text: str) -> str:
                """Save a note."""
                return title + text

            @capability(id="notes", description="Notes.")
            class Notes:
                @operation(steps=[Step(note_store)])
                def save(self, text: str, title: str = "untitled") -> None:
                    """Save a note."""
        '''),
    ),
    Explanation(
        TYPE,
        "a field reaches a parameter of a type that it does not fit",
        "The host validates every step's arguments: a value that the operation admits and the tool does not would be\n"
        "INVALID_ARGS in the middle of a pipeline. Whatever the field admits, the tool must accept.",
        _example('''
            from capdeco import Step, capability, operation, tool

            @tool
            def page_render(columns: int) -> str:
                """Render a page."""
                return str(columns)

            @capability(id="page", description="Pages.")
            class Page:
                @operation(steps=[Step(page_render)])
                def show(self, columns: int | None) -> None:
                    """Show a page; the model may send null."""
        '''),
        _example('''
            from capdeco import Step, capability, operation, tool

            @tool
            def page_render(columns: int) -> str:
                """Render a page."""
                return str(columns)

            @capability(id="page", description="Pages.")
            class Page:
                @operation(steps=[Step(page_render)])
                def show(self, columns: int = 1) -> None:
                    """Show a page."""
        '''),
    ),
    Explanation(
        UNUSED,
        "a declared parameter reaches no step",
        "The costliest mistake of all: the model sets the parameter, nothing changes, and the answer is plausible and\n"
        "about something else. Declaring a parameter does not make it flow: a step's tool must declare it too.",
        _example('''
            from capdeco import Step, capability, operation, tool

            @tool
            def git_status(path: str = ".") -> str:
                """Show the state of a work tree."""
                return path

            @capability(id="git", description="Git repositories.")
            class Git:
                @operation(steps=[Step(git_status)])
                def inspect(self, repo: str) -> None:
                    """Inspect one repository."""
        '''),
        _example('''
            from capdeco import Step, capability, operation, tool

            @tool
            def git_status(path: str = ".") -> str:
                """Show the state of a work tree."""
                return path

            @capability(id="git", description="Git repositories.")
            class Git:
                @operation(steps=[Step(git_status)])
                def inspect(self, path: str) -> None:
                    """Inspect one repository."""
        '''),
    ),
    Explanation(
        UNCHECKED,
        "this step, or one rule of it, could not be checked, and why (off by default)",
        "What cannot be proved wrong is not reported as wrong: a tool known by name only, a computed name, `Any`, an\n"
        "open `**kwargs`. `enable_error_code = capdeco-unchecked` switches the notes on: where the proof ends.",
        _example('''
            from capdeco import Step, capability, operation

            TOOL = "note_" + "store"

            @capability(id="notes", description="Notes.")
            class Notes:
                @operation(steps=[Step(TOOL)])
                def save(self, text: str) -> None:
                    """Save a note."""
        '''),
        _example('''
            from capdeco import Step, capability, operation, tool

            @tool
            def note_store(text: str) -> str:
                """Save a note."""
                return text

            @capability(id="notes", description="Notes.")
            class Notes:
                @operation(steps=[Step(note_store)])
                def save(self, text: str) -> None:
                    """Save a note."""
        '''),
    ),
)


def explain(code: str) -> Explanation | None:
    """Find the page of *code*, with or without its `capdeco-`; `None` if there is no such code."""
    full = code if code.startswith("capdeco-") else f"capdeco-{code}"
    return next((each for each in EXPLANATIONS if each.code == full), None)
