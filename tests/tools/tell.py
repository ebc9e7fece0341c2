"""What scripts of tests share: the places of the tree and of real traces, checks that count, documents against schemas."""
import argparse
import os
import tempfile

import schema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")
checks = failures = 0


def check(what, good, why=""):
    global checks, failures
    checks += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} - {what}{'' if good else ': ' + str(why)[-1500:]}", flush=True)


def expect(good, what, *more):
    """The same for many checks: only what fails is told."""
    global checks, failures
    checks += 1
    failures += not good
    if not good:
        print("not ok -", what, *[str(m)[-1500:] for m in more], flush=True)


def run_one(checks_by_name, description, start, skip=()):
    """A script whose checks are tests of their own: start() is given the program, each has a folder to be in."""
    args = argparse.ArgumentParser(description=description)
    args.add_argument("--gpusight", required=True)
    args.add_argument("what", choices=checks_by_name)
    args = args.parse_args()
    start(os.path.abspath(args.gpusight))
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        try:
            checks_by_name[args.what]()
        except skip as why:
            print(f"skipped: {why}")
            return 77
        finally:
            os.chdir("/")
    print(f"ok - {args.what}")
    return 0


def same(what, expected, actual):
    check(what, expected == actual, f"expected {str(expected)[:500]}\n    actual   {str(actual)[:500]}")


def read(path):
    """A file of the tree."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def breaches(document, path):
    """What a document breaks of a schema of the tree, in words."""
    return "\n".join(schema.problems(document, schema.load(os.path.join(ROOT, path))))
