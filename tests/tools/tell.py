"""What scripts of tests share: the places of the tree and of real traces, checks that count, documents against schemas."""
import os

import schema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")
failures = 0


def check(what, good, why=""):
    global failures
    failures += not good
    print(f"{'ok' if good else 'not ok'} - {what}{'' if good else ': ' + str(why)[-1500:]}", flush=True)


def same(what, expected, actual):
    check(what, expected == actual, f"expected {str(expected)[:500]}\n    actual   {str(actual)[:500]}")


def read(path):
    """A file of the tree."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def breaches(document, path):
    """What a document breaks of a schema of the tree, in words."""
    return "\n".join(schema.problems(document, schema.load(os.path.join(ROOT, path))))
