# SPDX-License-Identifier: Apache-2.0
"""A Prometheus of our own, and its HTTP API."""
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

START_SECONDS_MAX = 30
ANSWER_SECONDS_MAX = 30

# The interval at which rules are evaluated stays the default of a minute: it is also the step of a
# subquery that names none, so that a query that wants another one is found out.
CONFIG = """
global:
  scrape_interval: {seconds}s
  scrape_timeout: {seconds}s
rule_files: ['{alerts}']
scrape_configs:
  - job_name: rdio
    file_sd_configs:
      - files: ['{folder}/targets.json']
        refresh_interval: 1s
"""


class Prometheus:
    """Scrapes what is in FOLDER/targets.json, once that is there, from 'with' to its end."""

    def __init__(self, program, folder, scrape_seconds, alerts):
        config = folder / "prometheus.yml"
        config.write_text(CONFIG.format(seconds=scrape_seconds, folder=folder, alerts=alerts))
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._address = f"127.0.0.1:{free.getsockname()[1]}"
        self._log = folder / "prometheus.log"
        self._command = [
            program,
            f"--config.file={config}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address={self._address}",
        ]
        self._process = None

    def __enter__(self):
        with self._log.open("w") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)
        started = time.monotonic()
        while not self._is_ready():
            late = time.monotonic() - started > START_SECONDS_MAX
            if late or self._process.poll() is not None:
                self.__exit__()
                sys.exit(f"rdio dashboard: Prometheus does not start:\n{self._log.read_text()}")
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()

    def _is_ready(self):
        try:
            with urllib.request.urlopen(f"http://{self._address}/-/ready") as answer:
                return answer.status == 200
        except OSError:
            return False

    def _get(self, path, **parameters):
        url = f"http://{self._address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=ANSWER_SECONDS_MAX) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as refused:
            why = json.load(refused).get("error")
            sys.exit(f"rdio dashboard: Prometheus refuses {parameters}: {why}")

    def at(self, query, when):
        """The series of an instant query, with one value each."""
        data = self._get("query", query=query, time=when)
        return [{"metric": s["metric"], "values": [s["value"]]} for s in data["result"]]

    def over(self, query, begin, end, step):
        """The series of a range query, at multiples of the step, as Grafana has them."""
        begin, end = begin // step * step, end // step * step
        data = self._get("query_range", query=query, start=begin, end=end, step=step)
        return [{"metric": s["metric"], "values": s["values"]} for s in data["result"]]

    def label_values(self, metric, label, begin, end):
        """All values of a label of a metric."""
        return self._get(f"label/{label}/values", **{"match[]": metric, "start": begin, "end": end})

    def alerts(self):
        """Each alert's name, its state now, and whether its query can be evaluated."""
        return [
            {
                "name": rule["name"],
                "state": rule["state"],
                "health": rule["health"],
                "error": rule.get("lastError", ""),
            }
            for group in self._get("rules")["groups"]
            for rule in group["rules"]
        ]
