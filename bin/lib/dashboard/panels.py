# SPDX-License-Identifier: Apache-2.0
"""What Grafana makes of a dashboard's JSON: queries without variables, names, columns, units."""
import json
import re

VARIABLE = re.compile(r"\$([a-zA-Z_]\w*)")
LABEL_VALUES = re.compile(r"label_values\((\w+), (\w+)\)")


class Panel:
    """A panel, or the heading of a row."""

    def __init__(self, node):
        self.id = node["id"]
        self.type = node["type"]
        self.title = node["title"]
        self.place = node["gridPos"]
        self.targets = node.get("targets", [])
        self.options = node.get("options", {})
        self.defaults = node.get("fieldConfig", {}).get("defaults", {})
        self.custom = self.defaults.get("custom", {})
        self._transformations = node.get("transformations", [])

    def no_value(self):
        """What stands where there is no answer."""
        return self.defaults.get("noValue") or self.custom.get("noValue") or "No data"

    def text(self, value):
        """A value in the panel's unit."""
        return in_unit(value, self.defaults.get("unit", "short"), self.defaults.get("decimals"))

    def threshold_color(self, value):
        """Of a value, by name."""
        steps = self.defaults["thresholds"]["steps"]
        return [s["color"] for s in steps if s["value"] is None or value >= s["value"]][-1]

    def table(self, series):
        """Column names, and rows of texts, as the transformation 'organize' leaves them."""
        organize = next(t["options"] for t in self._transformations if t["id"] == "organize")
        labels = sorted({label for one in series for label in one["metric"]})
        columns = [c for c in labels + ["Value"] if not organize["excludeByName"].get(c)]
        rows = [{**one["metric"], "Value": float(one["values"][-1][1])} for one in series]
        for order in reversed(self.options.get("sortBy", [])):
            rename = organize["renameByName"]
            column = next(c for c in columns if rename.get(c, c) == order["displayName"])
            rows.sort(key=lambda row, by=column: row[by], reverse=order.get("desc", False))
        names = [organize["renameByName"].get(c, c) for c in columns]
        return names, [
            [self.text(row[c]) if c == "Value" else row.get(c, "") for c in columns] for row in rows
        ]


class Dashboard:
    """The dashboard, of which all agents and all DataNodes are chosen."""

    def __init__(self, node):
        self.title = node["title"]
        self.description = node["description"]
        self.rows = [Panel(p) for p in node["panels"] if p["type"] == "row"]
        self.panels = [Panel(p) for p in node["panels"] if p["type"] != "row"]
        self._variables = [v for v in node["templating"]["list"] if v["type"] == "query"]

    @staticmethod
    def read(file):
        """Of a file."""
        return Dashboard(json.loads(file.read_text()))

    def ask(self, prometheus, begin, end, step):
        """For each panel's id, the series that answer each of its queries."""
        values = {v["name"]: v["allValue"] for v in self._variables}
        values["__range"] = f"{round(end - begin)}s"
        values["__interval"] = f"{step}s"
        values["__rate_interval"] = f"{4 * step}s"
        answers = {}
        for panel in self.panels:
            answers[str(panel.id)] = [
                self._ask(prometheus, target, values, begin, end, step) for target in panel.targets
            ]
        return answers

    @staticmethod
    def _ask(prometheus, target, values, begin, end, step):
        query = VARIABLE.sub(lambda at: values[at.group(1)], target["expr"])
        if target.get("instant"):
            return prometheus.at(query, end)
        return prometheus.over(query, begin, end, step)

    def variables(self, prometheus, begin, end):
        """For each variable's name, what can be chosen."""
        found = {}
        for variable in self._variables:
            metric, label = LABEL_VALUES.fullmatch(variable["query"]["query"]).groups()
            found[variable["name"]] = prometheus.label_values(metric, label, begin, end)
        return found


def series_name(target, metric):
    """What the legend says of a series."""
    return re.sub(
        r"\{\{\s*(\w+)\s*}}", lambda at: metric.get(at.group(1), ""), target.get("legendFormat", "")
    )


def scaled(value, base, units):
    """A number with the greatest of these units that leaves one before the point."""
    at = 0
    while abs(value) >= base and at < len(units) - 1:
        value /= base
        at += 1
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}", units[at]


def in_unit(value, unit, decimals=None):
    """A number in one of Grafana's units."""
    if unit == "percentunit":
        return f"{100 * value:.{1 if decimals is None else decimals}f}%"
    if unit == "bytes":
        return " ".join(scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]))
    if unit == "Bps":
        return " ".join(scaled(value, 1000, ["B/s", "kB/s", "MB/s", "GB/s"]))
    if unit == "µs":
        return " ".join(scaled(value, 1000, ["µs", "ms", "s"]))
    if unit == "ops":
        number, thousand = scaled(value, 1000, ["", "K", "M"])
        return f"{number}{thousand} ops/s"
    if unit == "short":
        return " ".join(scaled(value, 1000, ["", "K", "Mil"])).strip()
    raise ValueError(f"panels.py does not know Grafana's unit {unit}: add it to in_unit")
