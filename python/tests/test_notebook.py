"""The page and the picture in JupyterLab, and in a notebook that nbconvert wrote as HTML."""

import json
import os
import subprocess
import sys
import time
import urllib.request

import browser
import pytest

pytest.importorskip("nbconvert", reason="nbconvert is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")
pytestmark = pytest.mark.skipif(not browser.is_there(), reason="there is no chromedriver")

CELLS = [
    'import memplan\nrows = [("a", 1000, 0, 3), ("b", 640, 1, 5), ("c", 600, 3, 7)]\nmemplan.plan(rows, "best-fit")',
    'memplan.show(rows, planner="best-fit", height=600)',
]

PEAK = "return [...document.querySelectorAll('[data-peak]')].map((one) => one.dataset.peak)[0]"
PAGE = "return document.querySelector('iframe[title=memplan]')"


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """A notebook after it was run."""
    folder = tmp_path_factory.mktemp("notebook 笔记本")
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [{**cell, "id": f"cell{number}", "source": code} for number, code in enumerate(CELLS)]
    written = folder / "plan.ipynb"
    written.write_text(json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))
    run = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", str(written)]
    subprocess.run(run, check=True, capture_output=True, timeout=300)
    return written


def check_page(window):
    """The frame in the cell holds the page with the plan, which answers to keys."""
    frame = window.until(PAGE)
    window.run("arguments[0].scrollIntoView()", frame)
    window.into(frame)
    peak = window.until(PEAK)
    assert peak == "1640"
    first = window.run("return document.querySelector('[data-frame]').dataset.frame")
    window.run("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }))")
    window.until(f"return document.querySelector('[data-frame]').dataset.frame !== '{first}'")
    window.into(None)


def test_an_exported_notebook_holds_picture_and_page_and_asks_for_nothing_of_memplan(notebook):
    export = [sys.executable, "-m", "nbconvert", "--to", "html", str(notebook)]
    subprocess.run(export, check=True, capture_output=True, timeout=300)
    with browser.Browser() as window:
        window.go(notebook.with_suffix(".html").as_uri())
        assert window.until("return document.querySelectorAll('svg text').length") > 3
        check_page(window)
        # nbconvert's own page may ask for MathJax; the frame asks for nothing.
        others = [url for url in window.fetched() if not url.startswith(("file:", "blob:", "data:", "about:"))]
        assert all("mathjax" in url.lower() or "require" in url.lower() for url in others), others


def test_jupyterlab_shows_picture_and_page(notebook):
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed")
    # A notebook that somebody else ran shows no frames before it is trusted.
    subprocess.run([sys.executable, "-m", "jupyter", "trust", str(notebook)], check=True, capture_output=True)
    port = browser.free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--ip=127.0.0.1"]
    command += ["--ServerApp.token=", "--ServerApp.password=", f"--ServerApp.root_dir={notebook.parent}"]
    environment = {**os.environ, "JUPYTER_PLATFORM_DIRS": "1"}
    server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}/lab/tree/{notebook.name}?reset"
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=5)
                break
            except OSError:
                time.sleep(0.2)
        with browser.Browser() as window:
            window.go(address)
            check_page(window)
            assert window.until("return document.querySelectorAll('.jp-OutputArea svg text').length") > 3
    finally:
        server.terminate()
        server.wait()
