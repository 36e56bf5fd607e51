"""Twenty tools on rented instances and buckets."""

from __future__ import annotations

from typing import Annotated, Literal

import attrs

from capdeco import Context, Doc, ToolError, tool
from examples.scale.hints import DESTROY, READ, WRITE
from examples.scale.store import store
from examples.scale.world import Bucket, Instance

InstanceId = Annotated[str, Doc("Id of the instance.")]
BucketId = Annotated[str, Doc("Id of the bucket.")]
Key = Annotated[str, Doc("Name of the object in its bucket.")]
Size = Literal["large", "medium", "small"]


@attrs.frozen
class InstanceInfo:
    instance: str
    region: str
    size: Size
    state: str
    tags: dict[str, str]


@attrs.frozen
class Load:
    instance: str
    mean: int
    peak: int


@attrs.frozen
class Alarm:
    name: str
    threshold: int
    ringing: bool


async def _instance(context: Context, instance: str) -> Instance:
    return await store(context).get(Instance, instance)


async def _save(context: Context, instance: Instance) -> InstanceInfo:
    await store(context).put(instance)
    return _info(instance)


async def _bucket(context: Context, bucket: str) -> Bucket:
    return await store(context).get(Bucket, bucket)


async def _keep(context: Context, bucket: Bucket) -> list[str]:
    await store(context).put(bucket)
    return sorted(bucket.objects)


def _info(instance: Instance) -> InstanceInfo:
    return InstanceInfo(instance.id, instance.region, instance.size, instance.state, instance.tags)


@tool(annotations=READ)
async def cloud_regions(context: Context) -> list[str]:
    """List the regions that anything is in."""
    return sorted({each.region for each in await store(context).all(Instance)})


@tool(annotations=READ)
async def cloud_instances(
    context: Context, region: str | None = None, state: Literal["any", "running", "stopped"] = "any"
) -> list[InstanceInfo]:
    """List the instances."""
    return [
        _info(each)
        for each in await store(context).all(Instance)
        if region in (None, each.region) and state in ("any", each.state)
    ]


@tool(annotations=READ)
async def cloud_instance(context: Context, instance: InstanceId) -> InstanceInfo:
    """Describe one instance."""
    return _info(await _instance(context, instance))


@tool(annotations=WRITE)
async def cloud_start(context: Context, instance: InstanceId) -> InstanceInfo:
    """Start an instance."""
    return await _save(context, attrs.evolve(await _instance(context, instance), state="running"))


@tool(annotations=DESTROY)
async def cloud_stop(context: Context, instance: InstanceId, force: bool = False) -> InstanceInfo:
    """Stop an instance."""
    return await _save(context, attrs.evolve(await _instance(context, instance), state="stopped"))


@tool(annotations=DESTROY)
async def cloud_reboot(context: Context, instance: InstanceId) -> InstanceInfo:
    """Restart an instance; its load history is lost."""
    return await _save(context, attrs.evolve(await _instance(context, instance), state="running", load=[0]))


@tool(annotations=WRITE)
async def cloud_create(context: Context, instance: InstanceId, region: str, size: Size = "small") -> InstanceInfo:
    """Create an instance."""
    return await _save(context, Instance(instance, region, size, "stopped", {}, [0], [], {}, 20))


@tool(annotations=DESTROY)
async def cloud_delete(context: Context, instance: InstanceId) -> InstanceInfo:
    """Delete an instance with its disks."""
    found = await _instance(context, instance)
    await store(context).drop(found)
    return _info(found)


@tool(annotations=WRITE)
async def cloud_resize(context: Context, instance: InstanceId, size: Size) -> InstanceInfo:
    """Change the size of a stopped instance."""
    found = await _instance(context, instance)
    if found.state != "stopped":
        raise ToolError(f"{instance} is running; stop it first", code="WRONG_STATE")
    return await _save(context, attrs.evolve(found, size=size))


@tool(annotations=WRITE)
async def cloud_tag(context: Context, instance: InstanceId, tags: dict[str, str]) -> InstanceInfo:
    """Add tags to an instance."""
    found = await _instance(context, instance)
    return await _save(context, attrs.evolve(found, tags={**found.tags, **tags}))


@tool(annotations=READ)
async def cloud_load(
    context: Context, instance: InstanceId, hours: Annotated[int, Doc("How far back, at most 12.")] = 6
) -> Load:
    """Read the load of an instance, in percent."""
    recent = (await _instance(context, instance)).load[-hours:]
    return Load(instance, sum(recent) // len(recent), max(recent))


@tool(annotations=READ)
async def cloud_log(
    context: Context, instance: InstanceId, limit: Annotated[int, Doc("How many lines, newest last.")] = 20
) -> list[str]:
    """Read the system log of an instance."""
    return (await _instance(context, instance)).log[-limit:]


@tool(annotations=READ)
async def cloud_alarms(context: Context, instance: InstanceId) -> list[Alarm]:
    """List the alarms on an instance and whether they ring."""
    found = await _instance(context, instance)
    return [Alarm(name, limit, found.load[-1] > limit) for name, limit in found.alarms.items()]


@tool(annotations=WRITE)
async def cloud_alarm_set(
    context: Context, instance: InstanceId, name: str, threshold: Annotated[int, Doc("Percent.")]
) -> dict[str, int]:
    """Set an alarm on an instance."""
    found = await _instance(context, instance)
    alarms = {**found.alarms, name: threshold}
    await _save(context, attrs.evolve(found, alarms=alarms))
    return alarms


@tool(annotations=READ)
async def cloud_cost(context: Context, month: Annotated[str, Doc("As 2026-01.")] = "this") -> int:
    """Add up what everything costs in a month."""
    instances, buckets = await store(context).all(Instance), await store(context).all(Bucket)
    return sum(each.monthly for each in instances) + sum(each.monthly for each in buckets)


@tool(annotations=READ)
async def cloud_buckets(context: Context) -> list[str]:
    """List the buckets."""
    return [each.id for each in await store(context).all(Bucket)]


@tool(annotations=READ)
async def cloud_objects(context: Context, bucket: BucketId, prefix: str = "") -> list[str]:
    """List the objects in a bucket."""
    return sorted(key for key in (await _bucket(context, bucket)).objects if key.startswith(prefix))


@tool(annotations=READ)
async def cloud_object_get(context: Context, bucket: BucketId, key: Key) -> str:
    """Read an object."""
    objects = (await _bucket(context, bucket)).objects
    if key not in objects:
        raise ToolError(f"{bucket} has no {key}", code="NOT_FOUND")
    return objects[key]


@tool(annotations=WRITE)
async def cloud_object_put(context: Context, bucket: BucketId, key: Key, text: str) -> list[str]:
    """Write an object."""
    found = await _bucket(context, bucket)
    return await _keep(context, attrs.evolve(found, objects={**found.objects, key: text}))


@tool(annotations=DESTROY)
async def cloud_object_delete(context: Context, bucket: BucketId, key: Key) -> list[str]:
    """Delete an object."""
    found = await _bucket(context, bucket)
    return await _keep(context, attrs.evolve(found, objects={k: v for k, v in found.objects.items() if k != key}))
