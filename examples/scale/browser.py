"""Twenty-two tools on the pages that a browser has open."""

from __future__ import annotations

from typing import Annotated, Literal

import attrs

from capdeco import Context, Doc, ToolError, tool
from examples.scale.hints import DESTROY, READ, WRITE
from examples.scale.store import store
from examples.scale.world import Tab

PageId = Annotated[str, Doc("Id of the open page.")]
Field = Annotated[str, Doc("Name of the form field.")]


@attrs.frozen
class Shown:
    page: str
    address: str
    title: str


@attrs.frozen
class Shot:
    page: str
    width: int
    height: int
    full: bool


@attrs.frozen
class Element:
    kind: Literal["field", "link"]
    name: str


async def _tab(context: Context, page: str) -> Tab:
    return await store(context).get(Tab, page)


async def _save(context: Context, tab: Tab) -> Shown:
    await store(context).put(tab)
    return _shown(tab)


def _shown(tab: Tab) -> Shown:
    return Shown(tab.id, tab.address, tab.title)


async def _move(context: Context, page: str, by: int) -> Shown:
    tab = await _tab(context, page)
    position = min(max(tab.position + by, 0), len(tab.history) - 1)
    return await _save(context, attrs.evolve(tab, position=position, address=tab.history[position]))


async def _go(context: Context, tab: Tab, address: str) -> Shown:
    history = [*tab.history[: tab.position + 1], address]
    return await _save(context, attrs.evolve(tab, address=address, history=history, position=len(history) - 1))


@tool(annotations=READ)
async def browser_pages(context: Context) -> list[Shown]:
    """List the open pages."""
    return [_shown(tab) for tab in await store(context).all(Tab)]


@tool(annotations=WRITE)
async def browser_open(context: Context, address: Annotated[str, Doc("Where to go.")], page: PageId) -> Shown:
    """Go to an address in an open page."""
    return await _go(context, await _tab(context, page), address)


@tool(annotations=DESTROY)
async def browser_close(context: Context, page: PageId) -> Shown:
    """Close a page."""
    tab = await _tab(context, page)
    await store(context).drop(tab)
    return _shown(tab)


@tool(annotations=READ)
async def browser_heading(context: Context, page: PageId) -> Shown:
    """Give the address and the heading of a page."""
    return _shown(await _tab(context, page))


@tool(annotations=READ)
async def browser_text(
    context: Context, page: PageId, limit: Annotated[int, Doc("At most so many characters.")] = 4000
) -> str:
    """Give the visible text of a page."""
    return (await _tab(context, page)).text[:limit]


@tool(annotations=READ)
async def browser_links(
    context: Context, page: PageId, host: Annotated[str, Doc("Only links to this host.")] = ""
) -> list[str]:
    """List the links of a page."""
    return [link for link in (await _tab(context, page)).links if host in link]


@tool(annotations=READ)
async def browser_elements(context: Context, page: PageId) -> list[Element]:
    """List what can be clicked or filled in on a page."""
    tab = await _tab(context, page)
    return [*(Element("link", link) for link in tab.links), *(Element("field", name) for name in tab.fields)]


@tool(annotations=WRITE)
async def browser_click(context: Context, page: PageId, link: Annotated[str, Doc("The link's address.")]) -> Shown:
    """Click a link."""
    tab = await _tab(context, page)
    if link not in tab.links:
        raise ToolError(f"the page has no link {link}", code="NOT_FOUND")
    return await _go(context, tab, link)


@tool(annotations=WRITE)
async def browser_type(context: Context, page: PageId, field: Field, text: str) -> dict[str, str]:
    """Type text into a form field."""
    tab = await _tab(context, page)
    if field not in tab.fields:
        raise ToolError(f"the page has no field {field}", code="NOT_FOUND")
    filled = {**tab.fields, field: text}
    await store(context).put(attrs.evolve(tab, fields=filled))
    return filled


@tool(annotations=WRITE)
async def browser_clear(context: Context, page: PageId, field: Field) -> dict[str, str]:
    """Empty a form field."""
    tab = await _tab(context, page)
    cleared = {**tab.fields, field: ""}
    await store(context).put(attrs.evolve(tab, fields=cleared))
    return cleared


@tool(annotations=WRITE)
async def browser_submit(context: Context, page: PageId) -> Shown:
    """Submit the form of a page."""
    tab = await _tab(context, page)
    sent = "&".join(f"{name}={value}" for name, value in tab.fields.items())
    return await _go(context, tab, f"{tab.address}?{sent}")


@tool(annotations=WRITE)
async def browser_back(context: Context, page: PageId) -> Shown:
    """Go back in the history of a page."""
    return await _move(context, page, -1)


@tool(annotations=WRITE)
async def browser_forward(context: Context, page: PageId) -> Shown:
    """Go forward in the history of a page."""
    return await _move(context, page, 1)


@tool(annotations=WRITE)
async def browser_reload(
    context: Context, page: PageId, bypass_cache: Annotated[bool, Doc("Fetch everything anew.")] = False
) -> Shown:
    """Load a page again."""
    tab = await _tab(context, page)
    return await _save(context, attrs.evolve(tab, console=[] if bypass_cache else tab.console))


@tool(annotations=WRITE)
async def browser_scroll(
    context: Context, page: PageId, pixels: Annotated[int, Doc("Downwards; negative goes up.")]
) -> int:
    """Scroll a page and say how far down it now is, in pixels."""
    tab = await _tab(context, page)
    scrolled = max(0, tab.scrolled + pixels)
    await store(context).put(attrs.evolve(tab, scrolled=scrolled))
    return scrolled


@tool(annotations=READ)
async def browser_screenshot(
    context: Context, page: PageId, full: Annotated[bool, Doc("All of the page, not only what is in view.")] = False
) -> Shot:
    """Take a picture of a page."""
    tab = await _tab(context, page)
    return Shot(tab.id, 1280, 720 if not full else 720 + 20 * len(tab.text.split()), full)


@tool(annotations=READ)
async def browser_cookies(context: Context, page: PageId) -> dict[str, str]:
    """List the cookies of a page."""
    return (await _tab(context, page)).cookies


@tool(annotations=WRITE)
async def browser_cookie_set(context: Context, page: PageId, name: str, value: str) -> dict[str, str]:
    """Set a cookie."""
    tab = await _tab(context, page)
    cookies = {**tab.cookies, name: value}
    await store(context).put(attrs.evolve(tab, cookies=cookies))
    return cookies


@tool(annotations=READ)
async def browser_console(
    context: Context,
    page: PageId,
    level: Annotated[Literal["any", "error", "info", "warning"], Doc("Only messages of this level.")] = "any",
) -> list[str]:
    """List what a page wrote to its console."""
    return [line for line in (await _tab(context, page)).console if level == "any" or line.startswith(level)]


@tool(annotations=READ)
async def browser_requests(
    context: Context, page: PageId, failed: Annotated[bool, Doc("Only those that failed.")] = False
) -> list[str]:
    """List the requests that a page made, with their status."""
    return [line for line in (await _tab(context, page)).requests if not failed or line.split()[1] >= "400"]


@tool(annotations=READ)
async def browser_wait(
    context: Context, page: PageId, text: Annotated[str, Doc("Text to wait for.")], seconds: float = 5.0
) -> bool:
    """Wait until a text shows up on a page, and say whether it did."""
    return text in (await _tab(context, page)).text


@tool(annotations=READ)
async def browser_history(context: Context, page: PageId) -> list[str]:
    """List the addresses that a page has shown, oldest first."""
    return (await _tab(context, page)).history
