"""Reports: Markdown that the run itself writes, so that no number in it was typed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from capdeco.lab.measure import BYTES_PER_TOKEN, Line, Run


@attrs.define
class Report:
    """A report while it is written, and the plots that belong to it (file name -> SVG)."""

    title: str
    plots: dict[str, str] = attrs.field(factory=dict)
    _parts: list[str] = attrs.field(factory=list)

    def section(self, heading: str) -> None:
        """Begin a section."""
        self._parts.append(f"## {heading}")

    def say(self, text: str) -> None:
        """Add a paragraph."""
        self._parts.append(" ".join(text.split()))

    def points(self, texts: Iterable[str]) -> None:
        """Add a list."""
        self._parts.append("\n".join(f"- {' '.join(text.split())}" for text in texts))

    def code(self, text: str, language: str = "text") -> None:
        """Add a block of text, word for word."""
        self._parts.append(f"```{language}\n{text.rstrip()}\n```")

    def table(self, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Add a table; numbers stand to the right."""
        first = rows[0] if rows else head
        align = ["---:" if isinstance(each, int) and not isinstance(each, bool) else "---" for each in first]
        lines = [list(head), align, *([_cell(each) for each in row] for row in rows)]
        self._parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))

    def runs(self, runs: Sequence[Run]) -> None:
        """Add the table of what was measured, one row for each run."""
        head = ("task", "arm", "root calls", "nested", "total", "turns", "reply bytes", "bytes read", "right")
        self.table(
            head,
            [
                (
                    *(run.task, run.arm, run.root_calls, run.nested_calls, run.calls, run.turns),
                    *(run.reply_bytes, run.read_bytes, run.right),
                )
                for run in runs
            ],
        )

    def audit(self, lines: Sequence[Line]) -> None:
        """Add lines of the audit, without what differs from run to run."""
        rows = [("", *_audited(line)) if line.nested else (line.call, *_audited(line)) for line in lines]
        self.table(("root call", "tool", "nested", "outcome", "code"), rows)

    def plot(self, file: str, svg: str, alt: str) -> None:
        """Add a plot, as a file beside the report."""
        self.plots[file] = svg
        self._parts.append(f"![{alt}]({file})")

    def conclusions(self, rows: Sequence[tuple[str, str, bool]]) -> None:
        """Say of each of the seed's conclusions what was found here, and whether it held by the numbers of this run."""
        self.section("The seed's conclusions")
        self.table(
            ("the seed found", "here", "held"),
            [(said, found, "yes" if held else "**no**") for said, found, held in rows],
        )

    def not_shown(self, texts: Iterable[str]) -> None:
        """Say what this experiment does not show."""
        self.section("Not shown")
        self.points(texts)

    def to_markdown(self) -> str:
        """Give the whole report."""
        return "\n\n".join([f"# {self.title}", *self._parts]) + "\n"


MEASURES = (
    "**Root calls** are what the driver asked for, **nested** is what ran under them; both are counted in the host's"
    " audit. **Turns**: how often the driver was asked, the last time for its answer. **Reply bytes** entered the"
    " context through results. **Bytes read** adds up, turn by turn, the tools, the task and all that was said before:"
    f" what a model reads without caching. Tokens are approximated as bytes / {BYTES_PER_TOKEN}; no tokenizer was run."
)


def _audited(line: Line) -> tuple[str, bool, str, str]:
    return line.tool, line.nested, line.outcome, line.code or ""


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value).replace("|", "\\|").replace("\n", " ")
