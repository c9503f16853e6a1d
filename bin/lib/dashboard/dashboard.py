# SPDX-License-Identifier: Apache-2.0
"""Asks Prometheus what the dashboard asks, of a busy cluster, and draws the answers; see 'run'."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import drawing
from panels import Dashboard
from prometheus import Prometheus

SCRAPE_SECONDS = 2
START_SECONDS_MAX = 120
END_SECONDS_MAX = 60
DIST = "hdfs-plugin/src/main/dist/grafana"


def options():
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(prog="rdio dashboard")
    parser.add_argument("--checkout", type=pathlib.Path, required=True)
    parser.add_argument("--prometheus", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=100)
    parser.add_argument("--redraw", action="store_true")
    asked = parser.parse_args()
    if asked.seconds < 30:
        parser.error(f"--seconds {asked.seconds}: take at least 30, or rates have nothing to go by")
    return asked


def under_load(checkout, folder, seconds):
    """Runs 'rdio load'; returns when it was busy, in seconds since 1970, from and to."""
    targets = folder / "targets.json"
    command = [checkout / "bin/rdio", "load", "--seconds", str(seconds), "--targets", targets]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as load:
        started = time.monotonic()
        while not targets.exists():
            if load.poll() is not None or time.monotonic() - started > START_SECONDS_MAX:
                load.terminate()
                sys.exit("rdio dashboard: the cluster did not come up: see above")
            time.sleep(0.1)
        begin = time.time()
        try:
            status = load.wait(seconds + END_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            load.terminate()
            raise
    if status != 0:
        sys.exit(f"rdio dashboard: 'rdio load' ended with status {status}: see above")
    # From the third scrape on, so that rates have two; to the last one that is sure to be there.
    return begin + 3 * SCRAPE_SECONDS, begin + seconds - SCRAPE_SECONDS


def ask(asked, dashboard):
    """A run of cluster and Prometheus; returns what the latter answers, as plain JSON."""
    with tempfile.TemporaryDirectory(prefix="rdio-dashboard-") as name:
        folder = pathlib.Path(name)
        alerts = asked.checkout / DIST / "rdio-alerts.yaml"
        with Prometheus(asked.prometheus, folder, SCRAPE_SECONDS, alerts) as prometheus:
            begin, end = under_load(asked.checkout, folder, asked.seconds)
            return {
                "begin": begin,
                "end": end,
                "panels": dashboard.ask(prometheus, begin, end, SCRAPE_SECONDS),
                "variables": dashboard.variables(prometheus, begin, end),
                "alerts": prometheus.alerts(),
            }


def report(dashboard, answers):
    """Says what each query came to; returns how many came to nothing."""
    empty = 0
    for panel in dashboard.panels:
        for target, series in zip(panel.targets, answers["panels"][str(panel.id)]):
            values = [float(value) for one in series for _, value in one["values"]]
            what = f"{len(series)} series"
            if not values:
                what = "NOTHING"
                empty += 1
            elif not any(values):
                what += ", always 0"
            print(f"  {panel.title:40} {target.get('legendFormat', ''):24} {what}")
    for name, values in answers["variables"].items():
        print(f"  ${name:39} {'':24} {', '.join(values) or 'NOTHING'}")
        empty += not values
    for alert in answers["alerts"]:
        print(f"  {alert['name']:40} {alert['state']:24} {alert['health']} {alert['error']}")
        empty += alert["health"] != "ok"
    return empty


def main():
    """The exit status."""
    asked = options()
    target = asked.checkout / "target"
    dashboard = Dashboard.read(asked.checkout / DIST / "rdio.json")
    kept = target / "dashboard.json"
    if asked.redraw:
        answers = json.loads(kept.read_text())
    else:
        answers = ask(asked, dashboard)
        kept.write_text(json.dumps(answers))
    empty = report(dashboard, answers)
    out = asked.out or target / "dashboard.svg"
    drawing.draw(dashboard, answers, out)
    print(f"{out} has {out.stat().st_size // 1000} kB.")
    if empty:
        print(f"FAILED: {empty} of the above have no answer.")
    return 1 if empty else 0


if __name__ == "__main__":
    sys.exit(main())
