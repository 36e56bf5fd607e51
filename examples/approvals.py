"""Guards and approvals apply to every step as to a direct call: an operation adds no authority."""

import asyncio

from capdeco import Binder, Call, EmbeddedHost, Step, capability, operation, tool
from capdeco.host.policy import Ask, Grant, Question, ToolCall


@tool(expose=False)
async def file_read(path: str) -> str:
    """Read a file."""
    return f"the text of {path}"


@tool(expose=False, annotations={"destructive": True})
async def file_delete(path: str) -> bool:
    """Delete a file."""
    return True


@capability(id="file", description="Files of the workspace.")
class Files:
    @operation(steps=[Step(file_read), Step(file_delete)])
    def take(self, path: str) -> None:
        """Read a file and delete it."""


async def main() -> None:
    host = EmbeddedHost()

    @host.guard
    def stay_inside(call: ToolCall) -> str | None:
        return "only files below notes/" if not call.arguments["path"].startswith("notes/") else None

    @host.pre_execute
    def ask_before_deleting(call: ToolCall) -> Ask | None:
        return Ask("really delete it?") if call.name == "file_delete" else None

    @host.approval
    def answer(question: Question) -> Grant:
        print(f"asked: {question.call.name}: {question.reason}")
        return "rejected"

    with Binder(host) as binder:
        binder.register(file_read, file_delete, Files)
        async with host.scope("keeper") as keeper:
            for path in ("etc/passwd", "notes/tide.txt"):
                result = await host.invoke(Call("file_take", {"path": path}, scope=keeper))
                print(result.message if not result.ok else result.value)


if __name__ == "__main__":
    asyncio.run(main())
