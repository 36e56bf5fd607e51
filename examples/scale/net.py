"""Eighteen tools on the machines of a network."""

from __future__ import annotations

from typing import Annotated, Literal

import attrs

from capdeco import Context, Doc, ToolError, tool
from examples.scale.hints import DESTROY, READ, WRITE
from examples.scale.store import store
from examples.scale.world import Machine

HostId = Annotated[str, Doc("Id of the machine.")]


@attrs.frozen
class Ping:
    machine: str
    reachable: bool
    milliseconds: list[float]


@attrs.frozen
class Resolved:
    machine: str
    name: str
    address: str


@attrs.frozen
class Certificate:
    name: str
    valid: bool
    days_left: int


@attrs.frozen
class Answer:
    status: int
    headers: dict[str, str]
    body: str


async def _machine(context: Context, machine: str) -> Machine:
    return await store(context).get(Machine, machine)


async def _rules(context: Context, machine: Machine, rules: list[str]) -> list[str]:
    await store(context).put(attrs.evolve(machine, rules=rules))
    return rules


def _resolved(machine: Machine) -> Resolved:
    return Resolved(machine.id, machine.name, machine.address)


@tool(annotations=READ)
async def net_machines(context: Context) -> list[Resolved]:
    """List the machines of the network."""
    return [_resolved(each) for each in await store(context).all(Machine)]


@tool(annotations=READ)
async def net_ping(context: Context, machine: HostId, count: Annotated[int, Doc("How many packets.")] = 3) -> Ping:
    """Ask a machine whether it is there, and how quickly it answers."""
    found = await _machine(context, machine)
    return Ping(machine, True, [round(found.latency + 0.1 * number, 1) for number in range(count)])


@tool(annotations=READ)
async def net_trace(
    context: Context, machine: HostId, hops: Annotated[int, Doc("Give up after so many.")] = 30
) -> list[str]:
    """List the routers on the way to a machine."""
    found = await _machine(context, machine)
    return [*found.hops, found.address][:hops]


@tool(annotations=READ)
async def net_resolve(context: Context, machine: HostId) -> Resolved:
    """Give the name and the address of a machine."""
    return _resolved(await _machine(context, machine))


@tool(annotations=READ)
async def net_reverse(context: Context, address: Annotated[str, Doc("IPv4 address.")]) -> Resolved:
    """Find the machine that has an address."""
    for each in await store(context).all(Machine):
        if each.address == address:
            return _resolved(each)
    raise ToolError(f"no machine has the address {address}", code="NOT_FOUND")


@tool(annotations=READ)
async def net_ports(
    context: Context,
    machine: HostId,
    first: Annotated[int, Doc("Lowest port.")] = 1,
    last: Annotated[int, Doc("Highest port.")] = 65535,
) -> list[int]:
    """List the open ports of a machine."""
    return [port for port in (await _machine(context, machine)).ports if first <= port <= last]


@tool(annotations=READ)
async def net_certificate(context: Context, machine: HostId, port: int = 443) -> Certificate:
    """Read the TLS certificate of a machine."""
    found = await _machine(context, machine)
    return Certificate(found.name, found.certificate_days > 0, found.certificate_days)


@tool(annotations=READ)
async def net_headers(context: Context, machine: HostId, path: str = "/") -> dict[str, str]:
    """Read the HTTP headers that a machine answers with."""
    return (await _machine(context, machine)).headers


@tool(annotations=READ)
async def net_get(context: Context, machine: HostId, path: str = "/") -> Answer:
    """Send a GET request to a machine."""
    found = await _machine(context, machine)
    return Answer(200 if path == "/" else 404, found.headers, f"{found.name}{path}")


@tool(annotations=WRITE)
async def net_post(context: Context, machine: HostId, body: str, path: str = "/") -> Answer:
    """Send a POST request to a machine."""
    found = await _machine(context, machine)
    return Answer(202, found.headers, f"{len(body)} bytes taken at {path}")


@tool(annotations=READ)
async def net_owner(context: Context, machine: HostId) -> str:
    """Say who is responsible for a machine."""
    return (await _machine(context, machine)).owner


@tool(annotations=READ)
async def net_routes(context: Context, machine: HostId) -> list[str]:
    """List the routing table of a machine."""
    return (await _machine(context, machine)).routes


@tool(annotations=READ)
async def net_latency(context: Context, machine: HostId, percentile: Annotated[int, Doc("1 to 99.")] = 50) -> float:
    """Give the latency to a machine, in milliseconds."""
    return round((await _machine(context, machine)).latency * (1 + percentile / 100), 1)


@tool(annotations=READ)
async def net_bandwidth(context: Context, machine: HostId, direction: Literal["down", "up"] = "down") -> int:
    """Measure the bandwidth to a machine, in megabits per second."""
    found = await _machine(context, machine)
    return found.bandwidth if direction == "down" else found.bandwidth // 2


@tool(annotations=READ)
async def net_rules(context: Context, machine: HostId) -> list[str]:
    """List the firewall rules of a machine, first match first."""
    return (await _machine(context, machine)).rules


@tool(annotations=WRITE)
async def net_rule_allow(context: Context, machine: HostId, port: int) -> list[str]:
    """Open a port in the firewall of a machine."""
    found = await _machine(context, machine)
    return await _rules(context, found, [f"allow {port}", *found.rules])


@tool(annotations=WRITE)
async def net_rule_deny(context: Context, machine: HostId, port: int) -> list[str]:
    """Close a port in the firewall of a machine."""
    found = await _machine(context, machine)
    return await _rules(context, found, [f"deny {port}", *found.rules])


@tool(annotations=DESTROY)
async def net_rules_reset(context: Context, machine: HostId) -> list[str]:
    """Drop all firewall rules of a machine but the last, which denies."""
    return await _rules(context, await _machine(context, machine), ["deny *"])
