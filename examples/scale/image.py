"""Eighteen tools on pictures."""

from __future__ import annotations

from typing import Annotated, Literal

import attrs

from capdeco import Context, Doc, ToolError, tool
from examples.scale.hints import READ, WRITE
from examples.scale.store import store
from examples.scale.world import Picture

ImageId = Annotated[str, Doc("Id of the image.")]
Amount = Annotated[int, Doc("Strength, 1 to 100.")]


@attrs.frozen
class ImageInfo:
    image: str
    width: int
    height: int
    format: str
    bytes: int


@attrs.frozen
class Box:
    """A rectangle; pixels from the top left corner."""

    left: int
    top: int
    width: int
    height: int


@attrs.frozen
class Difference:
    same_size: bool
    histogram_distance: int


async def _picture(context: Context, image: str) -> Picture:
    return await store(context).get(Picture, image)


async def _save(context: Context, picture: Picture) -> ImageInfo:
    await store(context).put(picture)
    return _info(picture)


async def _edit(context: Context, image: str, edit: str) -> ImageInfo:
    found = await _picture(context, image)
    return await _save(context, attrs.evolve(found, edits=[*found.edits, edit]))


def _info(picture: Picture) -> ImageInfo:
    return ImageInfo(picture.id, picture.width, picture.height, picture.format, picture.bytes)


@tool(annotations=READ)
async def image_list(context: Context) -> list[str]:
    """List the images."""
    return [each.id for each in await store(context).all(Picture)]


@tool(annotations=READ)
async def image_info(context: Context, image: ImageId) -> ImageInfo:
    """Read the size, the format and the weight of an image."""
    return _info(await _picture(context, image))


@tool(annotations=WRITE)
async def image_resize(
    context: Context,
    image: ImageId,
    width: Annotated[int, Doc("New width in pixels; the height follows.")],
) -> ImageInfo:
    """Scale an image to a width."""
    found = await _picture(context, image)
    if width < 1:
        raise ToolError("a width is at least one pixel", code="INVALID_SIZE")
    return await _save(context, attrs.evolve(found, width=width, height=max(1, found.height * width // found.width)))


@tool(annotations=WRITE)
async def image_crop(context: Context, image: ImageId, box: Box) -> ImageInfo:
    """Cut an image down to a rectangle."""
    found = await _picture(context, image)
    return await _save(context, attrs.evolve(found, width=box.width, height=box.height))


@tool(annotations=WRITE)
async def image_rotate(context: Context, image: ImageId, degrees: Literal[90, 180, 270]) -> ImageInfo:
    """Turn an image clockwise."""
    found = await _picture(context, image)
    turned = found if degrees == 180 else attrs.evolve(found, width=found.height, height=found.width)
    return await _save(context, turned)


@tool(annotations=WRITE)
async def image_flip(context: Context, image: ImageId, axis: Literal["horizontal", "vertical"]) -> ImageInfo:
    """Mirror an image."""
    return await _edit(context, image, f"flip {axis}")


@tool(annotations=WRITE)
async def image_convert(context: Context, image: ImageId, format: Literal["jpeg", "png", "webp"]) -> ImageInfo:
    """Save an image in another format."""
    return await _save(context, attrs.evolve(await _picture(context, image), format=format))


@tool(annotations=WRITE)
async def image_compress(
    context: Context, image: ImageId, quality: Annotated[int, Doc("1 to 100; less is smaller.")] = 80
) -> ImageInfo:
    """Make an image lighter."""
    found = await _picture(context, image)
    return await _save(context, attrs.evolve(found, bytes=found.bytes * quality // 100))


@tool(annotations=WRITE)
async def image_blur(context: Context, image: ImageId, amount: Amount = 20) -> ImageInfo:
    """Blur an image."""
    return await _edit(context, image, f"blur {amount}")


@tool(annotations=WRITE)
async def image_sharpen(context: Context, image: ImageId, amount: Amount = 20) -> ImageInfo:
    """Sharpen an image."""
    return await _edit(context, image, f"sharpen {amount}")


@tool(annotations=WRITE)
async def image_grayscale(context: Context, image: ImageId) -> ImageInfo:
    """Take the colour out of an image."""
    return await _edit(context, image, "grayscale")


@tool(annotations=WRITE)
async def image_brightness(context: Context, image: ImageId, change: Annotated[int, Doc("-100 to 100.")]) -> ImageInfo:
    """Make an image lighter or darker."""
    return await _edit(context, image, f"brightness {change}")


@tool(annotations=READ)
async def image_histogram(
    context: Context, image: ImageId, channel: Literal["all", "blue", "green", "red"] = "all"
) -> list[int]:
    """Count the pixels of an image by brightness, dark to light."""
    found = (await _picture(context, image)).histogram
    return found if channel == "all" else [each // 3 for each in found]


@tool(annotations=READ)
async def image_palette(context: Context, image: ImageId, colours: Annotated[int, Doc("How many.")] = 4) -> list[str]:
    """Name the main colours of an image."""
    return (await _picture(context, image)).palette[:colours]


@tool(annotations=READ)
async def image_words(context: Context, image: ImageId, language: str = "en") -> list[str]:
    """Read the words in an image (OCR)."""
    return (await _picture(context, image)).words


@tool(annotations=READ)
async def image_faces(context: Context, image: ImageId) -> int:
    """Count the faces in an image."""
    return (await _picture(context, image)).faces


@tool(annotations=WRITE)
async def image_watermark(
    context: Context,
    image: ImageId,
    text: str,
    corner: Literal["bottom-left", "bottom-right", "top-left", "top-right"] = "bottom-right",
) -> ImageInfo:
    """Write a text into a corner of an image."""
    return await _edit(context, image, f"watermark {corner} {text}")


@tool(annotations=READ)
async def image_compare(
    context: Context, image: ImageId, other: Annotated[str, Doc("Id of the image to compare with.")]
) -> Difference:
    """Say how much two images differ."""
    one, two = await _picture(context, image), await _picture(context, other)
    distance = sum(abs(left - right) for left, right in zip(one.histogram, two.histogram, strict=True))
    return Difference((one.width, one.height) == (two.width, two.height), distance)
