"""Plots as SVG: the same bytes for the same numbers, under one version of matplotlib."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from capdeco.lab.extra import needs_extra

# Told apart without colour vision, and in grey.
_COLOURS = ("#0b5394", "#e69138", "#6aa84f", "#999999", "#741b47")


def bars(title: str, unit: str, groups: Sequence[str], series: Mapping[str, Sequence[float]]) -> str:
    """Draw a bar for each group in each series: name -> one value per group."""
    with needs_extra("matplotlib"):
        import matplotlib  # noqa: PLC0415 - part of an extra, and slow to load
        from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415

    # Text stays text, and ids depend on nothing but what is drawn.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "capdeco"}):
        figure = Figure(figsize=(1.5 + 1.3 * max(3, len(groups)), 3.2), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        width = 0.8 / len(series)
        for number, (name, values) in enumerate(series.items()):
            places = [place - 0.4 + width * (number + 0.5) for place in range(len(groups))]
            drawn = axes.bar(places, values, width * 0.94, label=name, color=_COLOURS[number % len(_COLOURS)])
            axes.bar_label(drawn, fmt="{:,.0f}", fontsize=7, padding=1)
        axes.set_xticks(range(len(groups)), groups, fontsize=8)
        axes.set_ylabel(unit, fontsize=8)
        axes.set_title(title, fontsize=9, loc="left")
        axes.set_yticks([])  # every bar says its value
        axes.margins(y=0.15)
        axes.spines[["top", "right", "left"]].set_visible(False)
        if len(series) > 1:
            axes.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"
