"""Which of a list of grasps can the arm reach? Asked all at once, over asyncio."""

import asyncio
from pathlib import Path

from gateway.async_client import AsyncClient
from gateway.client import CallError

ROBOT = Path("docs/examples/arm.urdf").read_text("utf-8")
DOWN = {"x": 0.0, "y": 0.7071067811865476, "z": 0.0, "w": 0.7071067811865476}
GRASPS = {
    f"{x:.2f} {y:+.2f} {z:.2f}": {"position": {"x": x, "y": y, "z": z}, "orientation": DOWN}
    for x in (0.2, 0.4, 0.6)
    for y in (-0.3, 0.0, 0.3)
    for z in (0.05, 0.25)
}


async def main() -> None:
    """Ask and print."""
    async with AsyncClient() as client:
        await client.set_param("robot_description", ROBOT)

        async def verdict(target: dict[str, object]) -> str:
            try:
                await client.solve("tool", target)
            except CallError as error:
                return error.code
            return "reached"

        verdicts = await asyncio.gather(*map(verdict, GRASPS.values()))
        for name, word in zip(GRASPS, verdicts, strict=True):
            print(f"{name}  {word}")
        print(f"{verdicts.count('reached')} of {len(GRASPS)} grasps can be reached")


asyncio.run(main())
