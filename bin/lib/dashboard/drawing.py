# SPDX-License-Identifier: Apache-2.0
"""Draws a dashboard with what Prometheus answered: each panel in its place, by matplotlib."""
import datetime
import math
import re

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FuncFormatter, MaxNLocator, MultipleLocator

from panels import series_name

# All in pixels.
COLUMN, ROW, COLUMNS = 50, 25, 24
HEADER, GAP = 50, 6
TITLE, BOTTOM, LEFT = 24, 24, 58
LINE, MARGIN, SWATCH = 14, 8, 16

PIXELS_PER_INCH = 100
POINTS_PER_INCH = 72
SMALL, NORMAL, LARGE = 6.5, 8, 20

# Also for who cannot tell red from green (Okabe and Ito).
SERIES_COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777"]
NAMED_COLORS = {"blue": "#0072B2", "green": "#009E73", "red": "#D55E00"}

matplotlib.rcParams.update(
    {
        "svg.fonttype": "none",  # text that can be read and searched, and few bytes
        "svg.hashsalt": "rdio",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": NORMAL,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": "#999999",
        "xtick.color": "#555555",
        "ytick.color": "#555555",
    }
)


class Sheet:
    """The figure, with its origin above and to the left."""

    def __init__(self, rows):
        self.width, self.height = COLUMN * COLUMNS, HEADER + ROW * rows
        size = (self.width / PIXELS_PER_INCH, self.height / PIXELS_PER_INCH)
        self.figure = Figure(size, dpi=PIXELS_PER_INCH, facecolor="#f4f5f5")
        FigureCanvasAgg(self.figure)

    def text(self, x, y, text, **how):
        """Its upper left corner there, unless said otherwise."""
        how = {"va": "top", **how}
        self.figure.text(x / self.width, 1 - y / self.height, text, **how)

    def box(self, x, y, width, height, **how):
        """A rectangle."""
        corner = (x / self.width, 1 - (y + height) / self.height)
        size = (width / self.width, height / self.height)
        self.figure.add_artist(Rectangle(corner, *size, zorder=-1, **how))

    def axes(self, x, y, width, height):
        """What to plot on."""
        return self.figure.add_axes(
            [x / self.width, 1 - (y + height) / self.height, width / self.width, height / self.height]
        )


def width_of(text):
    """Of a small text, in pixels."""
    font = FontProperties(size=SMALL)
    points = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    return points * PIXELS_PER_INCH / POINTS_PER_INCH


def cut(text, room):
    """As much of a small text as there is room for, in pixels."""
    if width_of(text) <= room:
        return text
    while text and width_of(text + "…") > room:
        text = text[:-1]
    return text + "…"


def place_of(panel):
    """A panel's left, upper, width and height on the sheet."""
    grid = panel.place
    return (
        grid["x"] * COLUMN + GAP / 2,
        HEADER + grid["y"] * ROW + GAP / 2,
        grid["w"] * COLUMN - GAP,
        grid["h"] * ROW - GAP,
    )


def draw(dashboard, answers, file):
    """Draws it all into a file."""
    everything = dashboard.rows + dashboard.panels
    sheet = Sheet(max(p.place["y"] + p.place["h"] for p in everything))
    day = datetime.datetime.fromtimestamp(answers["end"], datetime.timezone.utc).date()
    sheet.text(GAP, GAP, dashboard.title, size=14, weight="bold")
    sheet.text(70, 11, dashboard.description, size=NORMAL, color="#555555")
    origin = f"Drawn by bin/rdio dashboard from rdio.json and a run of {day}. Not a screenshot of Grafana."
    sheet.text(sheet.width - GAP, 11, origin, size=NORMAL, color="#555555", ha="right")
    for row in dashboard.rows:
        x, y, _, _ = place_of(row)
        sheet.text(x + 4, y + 3, row.title, size=9, weight="bold")
    for panel in dashboard.panels:
        x, y, width, height = place_of(panel)
        sheet.box(x, y, width, height, facecolor="white", edgecolor="#d5d5d8", linewidth=0.6)
        sheet.text(x + 8, y + 6, panel.title, size=NORMAL, weight="bold")
        lists = answers["panels"][str(panel.id)]
        named = [
            (series_name(target, one["metric"]), one)
            for target, series in zip(panel.targets, lists)
            for one in series
        ]
        if named:
            DRAWERS[panel.type](sheet, panel, named, (x, y, width, height))
        else:
            middle = (x + width / 2, y + height / 2)
            sheet.text(*middle, panel.no_value(), ha="center", va="center", color="#777777")
    save(sheet.figure, file)


def save(figure, file):
    """Writes the picture; an .svg with no more digits than can be seen."""
    if file.suffix != ".svg":
        figure.savefig(file)
        return
    figure.savefig(file, metadata={"Date": None})
    file.write_text(re.sub(r"\d+\.\d{2,}", lambda at: f"{float(at.group()):.1f}", file.read_text()))


def draw_stat(sheet, panel, named, place):
    """The last values, large, side by side."""
    x, y, width, height = place
    each = width / len(named)
    for i, (name, one) in enumerate(named):
        value = float(one["values"][-1][1])
        color = NAMED_COLORS[panel.threshold_color(value)]
        at = (x + (i + 0.5) * each, y + TITLE + (height - TITLE) / 2)
        sheet.text(*at, panel.text(value), size=LARGE, color=color, ha="center", va="center")
        if len(named) > 1:
            below = (at[0], y + height - 6)
            sheet.text(*below, name, color="#555555", ha="center", va="bottom")


def draw_table(sheet, panel, named, place):
    """As many rows as there is room for."""
    x, y, width, height = place
    names, rows = panel.table([one for _, one in named])
    rows = rows[: int((height - TITLE) / LINE) - 2]
    left, right = x + MARGIN, x + width - 2 * MARGIN
    for i, name in enumerate(names):
        texts = [cut(row[i], right - left) for row in rows]
        sheet.text(left, y + TITLE + 4, name, size=SMALL, weight="bold")
        for line, text in enumerate(texts, start=1):
            sheet.text(left, y + TITLE + 4 + line * LINE, text, size=SMALL)
        left += max(map(width_of, [name, *texts])) + 2 * MARGIN


def draw_bars(sheet, panel, named, place):
    """A bar for each row, the first one above, with its value."""
    x, y, width, height = place
    names, rows = panel.table([one for _, one in named])
    labels = [row[names.index(panel.options["xField"])] for row in rows]
    values = [float(one["values"][-1][1]) for _, one in named]
    left = max(map(width_of, labels)) + 3 * MARGIN
    axes = sheet.axes(x + left, y + TITLE, width - left - 60, height - TITLE - 8)
    axes.barh(range(len(values)), values, color=SERIES_COLORS[0], alpha=0.8, height=0.6)
    axes.set_ylim(max(len(values), 4) - 0.5, -0.5)
    axes.set_yticks(range(len(labels)), labels, size=SMALL)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    for i, value in enumerate(values):
        axes.text(value, i, " " + panel.text(value), va="center", size=SMALL)


def draw_lines(sheet, panel, named, place):
    """Lines over time, or areas upon each other, and the legend below them."""
    x, y, width, height = place
    colors = [SERIES_COLORS[i % len(SERIES_COLORS)] for i in range(len(named))]
    legend = legend_lines([name for name, _ in named], width)
    below = BOTTOM + len(legend) * LINE
    axes = sheet.axes(x + LEFT, y + TITLE + 4, width - LEFT - 14, height - TITLE - 4 - below)
    times = sorted({when for _, one in named for when, _ in one["values"]})
    lines = [on_grid(one["values"], times) for _, one in named]
    seconds = [when - times[0] for when in times]
    opacity = panel.custom.get("fillOpacity", 0) / 100
    upon_each_other = panel.custom.get("stacking", {}).get("mode") == "normal"
    if upon_each_other:
        lines = stacked(lines)
    for number, line in reversed(list(enumerate(lines))):
        axes.plot(seconds, line, color=colors[number], linewidth=1)
        if opacity:
            floor = lines[number - 1] if number and upon_each_other else 0
            axes.fill_between(seconds, floor, line, color=colors[number], alpha=opacity, linewidth=0)
    style_axes(axes, panel, max((v for line in lines for v in line if v == v), default=0))
    axes.set_xlim(0, max(seconds[-1], 1))
    draw_legend(sheet, legend, colors, (x, y + height))


def style_axes(axes, panel, highest):
    """Units, a few ticks, a faint grid."""
    axes.set_ylim(panel.defaults.get("min"), highest * 1.08 or 1)
    if panel.defaults.get("unit") == "bytes":
        axes.yaxis.set_major_locator(MultipleLocator(2 ** math.ceil(math.log2(highest / 4 or 1))))
    else:
        axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: panel.text(value)))
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 1.5, 2, 3, 6, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: clock(value)))
    axes.tick_params(labelsize=SMALL, length=2)
    axes.grid(axis="y", color="#eeeeee", linewidth=0.6)
    axes.set_axisbelow(True)


def draw_legend(sheet, legend, colors, corner):
    """The lines of names, upon a panel's lower left corner."""
    number = 0
    for line, entries in enumerate(legend):
        left = corner[0] + MARGIN
        middle = corner[1] - 10 - (len(legend) - 1 - line) * LINE
        for name in entries:
            sheet.box(left, middle - 1, 12, 2, color=colors[number])
            sheet.text(left + SWATCH, middle, name, size=SMALL, va="center")
            left += entry_width(name)
            number += 1


def entry_width(name):
    """Of a name in a legend, with what is before and behind it."""
    return SWATCH + width_of(name) + 2 * MARGIN


def legend_lines(names, width):
    """The names, cut into lines that fit."""
    lines, taken = [[]], 0
    for name in names:
        taken += entry_width(name)
        if lines[-1] and taken > width:
            lines.append([])
            taken = entry_width(name)
        lines[-1].append(name)
    return lines


def on_grid(values, times):
    """One value for each time, NaN where there is none, which shows as a gap."""
    known = {when: float(value) for when, value in values}
    return [known.get(when, math.nan) for when in times]


def stacked(lines):
    """Each upon those before it."""
    sums, upper = [], [0.0] * len(lines[0])
    for line in lines:
        upper = [u + (0 if math.isnan(v) else v) for u, v in zip(upper, line)]
        sums.append(upper)
    return sums


def clock(seconds):
    """Minutes and seconds since the begin."""
    return f"{round(seconds) // 60}:{round(seconds) % 60:02}"


DRAWERS = {
    "stat": draw_stat,
    "table": draw_table,
    "barchart": draw_bars,
    "timeseries": draw_lines,
}
