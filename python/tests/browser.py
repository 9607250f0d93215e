"""A browser for tests, by the WebDriver protocol: no library is needed."""

import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,1400"]
FRAME = "element-6066-11e4-a52e-4f735466cecf"


def is_there():
    return shutil.which("chromedriver") is not None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    """A window; what it fetched is in its log."""

    def __enter__(self):
        self.address = f"http://127.0.0.1:{free_port()}"
        self.folder = tempfile.TemporaryDirectory(prefix="memplan-browser-")
        port = self.address.rsplit(":", 1)[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL)
        options = {"args": [*FLAGS, f"--user-data-dir={self.folder.name}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"performance": "ALL"}}
        for _ in range(100):
            try:
                made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
                break
            except OSError:
                time.sleep(0.1)
        self.address += f"/session/{made['sessionId']}"
        return self

    def __exit__(self, *_):
        try:
            self._ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.folder.cleanup()

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            return json.load(urllib.request.urlopen(request, timeout=300))["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()[:1000]) from error

    def go(self, address):
        self._ask("POST", "/url", {"url": address})

    def run(self, script, *args):
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(args)})

    def until(self, script, seconds=90):
        """Waits until a script returns something that is true, and returns it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.run(script)
            if found:
                return found
            time.sleep(0.2)
        raise AssertionError(f"still nothing after {seconds} s: {script}")

    def into(self, frame):
        """Goes into a frame, given as an element of a script; none leaves all frames."""
        self._ask("POST", "/frame", {"id": frame})

    def fetched(self):
        """The addresses of all that was asked for since the last call, but for the browser's own first page."""
        log = self._ask("POST", "/se/log", {"type": "performance"})
        entries = [json.loads(entry["message"])["message"] for entry in log]
        sent = [entry["params"] for entry in entries if entry["method"] == "Network.requestWillBeSent"]
        urls = [params["request"]["url"] for params in sent]
        return [url for url in urls if not url.startswith(("chrome:", "chrome-untrusted:"))]
