"""The fixture, in runs of pytest of their own."""

import pytest

from memplan._pytest import size

TEST = """
def test_passes(memplan):
    memplan(ROWS, planner="best").peak_below("2 KiB").bound_below("2 KiB")

def test_peak(memplan):
    memplan("ex:unet_512", planner="first-fit").peak_below("256 MiB")

def test_bound(memplan):
    memplan(ROWS).bound_below("1 KiB")

def test_growth(memplan):
    memplan(ROWS, planner="best-fit").no_growth("golden/rows.json", "3%")

def test_graph(memplan):
    memplan("ex:teaching", planner="first-fit", tie="size").no_growth("golden/图.json")

def test_invalid(memplan):
    memplan(ROWS, planner=lambda problem: [0] * len(problem.buffers)).peak_below("1 MiB")

def test_refused(memplan):
    memplan("nope.onnx")
"""

OLD = 'ROWS = [("a", 1000, 0, 3), ("b", 640, 1, 5)]\n'
NEW = 'ROWS = [("a", 1000, 0, 3), ("b", 640, 1, 5), ("new", 100, 2, 3)]\n'


def test_budgets(pytester, plugin):
    def run(rows, *arguments):
        pytester.makepyfile(test_memory=rows + TEST)
        return pytester.runpytest_subprocess(*plugin, *arguments)

    missing = run(OLD, "-k", "growth")
    missing.stdout.fnmatch_lines(["*rows.json does not exist. `pytest --memplan-update` writes it."])
    run(OLD, "-k", "growth or graph", "--memplan-update").assert_outcomes(passed=2)
    result = run(OLD, "-k", "growth or graph or passes")
    result.assert_outcomes(passed=3)
    result = run(NEW, "--memplan-report", "report")
    result.assert_outcomes(passed=2, failed=5)
    result.stdout.fnmatch_lines(
        [
            "memplan: the peak 320.00 MiB (335544320 B) is above 256.00 MiB (268435456 B)",
            "*alive at step 59*",
            "*cat_3*",
            "*above the bound, from 1 decision:",
            "The plan: report*test_peak.*",
        ]
    )
    text = result.stdout.str()
    assert "the peak grew by more than 3% since rows.json" in text and "new" in text
    assert "the plan is invalid: " in text and "no planner is lower" in text and "cannot read nope.onnx" in text
    assert "Traceback" not in text and "During handling" not in text, "the sentences alone"
    assert sorted(path.stem for path in (pytester.path / "report").iterdir()) == [
        "test_bound",
        "test_growth",
        "test_invalid",
        "test_peak",
    ]


@pytest.mark.parametrize(
    "text, bytes", [("4 MiB", 4 << 20), ("1.5KiB", 1536), ("1 MB", 10**6), ("64k", 65536), (7, 7), ("7", 7)]
)
def test_sizes(text, bytes):
    assert size(text) == bytes


@pytest.mark.parametrize("text", ["", "4 Mi", "MiB", "-1", "4 MiB 2"])
def test_what_is_no_size(text):
    with pytest.raises(ValueError, match="is no size"):
        size(text)
