# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium, driven by WebDriver over plain HTTP."""
import json
import shutil
import socket
import subprocess
import time
import urllib.request

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]


class Browser:
    """A session of WebDriver over plain HTTP."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.driver = subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{port}"
        self._wait()
        options = {"binary": CHROMIUM, "args": [*FLAGS, f"--user-data-dir={folder}", "--window-size=1400,900"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self.send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.url += "/session/" + answer["sessionId"]

    def _wait(self):
        for _ in range(100):
            try:
                if self.send("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not start")

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def run(self, script, *arguments):
        return self.send("POST", "/execute/sync", {"script": script, "args": arguments})

    def keys(self, text):
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.send("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def close(self):
        try:
            self.send("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(30)
