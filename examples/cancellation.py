"""A signal asks a call to stop, and the call gives a result. No further step runs."""

import asyncio

from capdeco import Binder, Call, Context, EmbeddedHost, Step, capability, operation, tool
from capdeco.host.signal import Signal


@tool(expose=False)
async def survey_measure(points: int, context: Context) -> int:
    """Measure so many points, or as many as there is patience for."""
    for done in range(points):
        if context.cancelled:
            return done
        await asyncio.sleep(0.01)
    return points


@tool(expose=False)
async def survey_draw(points: int) -> str:
    """Draw the map."""
    return "a map"


@capability(id="survey", description="Land surveying.")
class Survey:
    @operation(steps=[Step(survey_measure), Step(survey_draw)])
    def map(self, points: int) -> None:
        """Measure and draw."""


async def main() -> None:
    host = EmbeddedHost()
    with Binder(host) as binder:
        binder.register(survey_measure, survey_draw, Survey)
        signal = Signal()
        call = asyncio.create_task(host.invoke(Call("survey_map", {"points": 1000}, signal=signal)))
        await asyncio.sleep(0.05)
        signal.set()
        result = await call
        print(result.ok, None if result.ok else result.code)


if __name__ == "__main__":
    asyncio.run(main())
