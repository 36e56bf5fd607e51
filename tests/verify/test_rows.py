"""What a plugin adds to the model's view: one number, whoever gives it."""

from __future__ import annotations

import msgspec

from capdeco import Binder, EmbeddedHost
from capdeco.bind.registrations import Plugin
from capdeco.lab.measure import Arm, Trail
from capdeco.verify.rows import row_of, shown, size_of
from examples.quickstart import Notes, note_count, note_find


def test_the_bytes_of_parts_add_up_to_those_of_the_whole_and_the_lab_counts_the_same() -> None:
    host = EmbeddedHost()
    binder = Binder(host)
    tools = binder.register(note_find, note_count)
    plugin = Plugin("notes", "1.0", (tools, binder.register(Notes)), None)
    specs = [spec for name in ("note_find", "note_count", "notes_review") if (spec := host.lookup(name))]
    sizes = [size_of([shown(spec)]) for spec in specs]
    assert sizes == [len(msgspec.json.encode(shown(spec))) for spec in specs]
    assert size_of(map(shown, specs)) == sum(sizes)
    assert size_of([]) == 0
    # Internal tools are not in the model's view.
    assert row_of(plugin, host).bytes == Arm("all", host, Trail()).surface.bytes == sizes[-1]
