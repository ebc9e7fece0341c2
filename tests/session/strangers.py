#!/usr/bin/env python3
"""Sessions that somebody else made, or that were edited by hand: what their file says is not obeyed blindly.

    strangers.py PROGRAM
"""
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
OLD, NEW = "int main(void) { return 0; }\n", "int main(void) { return 1; }\n"
failed = 0


def check(what, condition, more=""):
    global failed
    failed += not condition
    print("ok -" if condition else "not ok -", what, "" if condition else more)


def sum_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def read(path):
    with open(path) as f:
        return f.read()


class Handed:
    """A source folder in git, and a session of it with two states that lies in a folder of its own."""

    def __init__(self, folder, change=lambda document: None):
        self.folder, self.source, self.session = folder, f"{folder}/source", f"{folder}/handed"
        write(f"{self.source}/a.c", NEW)
        for words in (["init", "-q"], ["add", "a.c"],
                      ["-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "-qm", "x"]):
            subprocess.run(["git", "-C", self.source, *words], check=False, capture_output=True)
        for text in (OLD, NEW):
            write(f"{self.session}/objects/{sum_of(text)}", text)
        states = [{"number": i, "parent": i - 1, "time": "2030-01-31T12:00:00Z", "summary": "s", "finding": "",
                   "result": ("base", "kept")[i], "commit": "", "key": "k", "change_pct": None, "noise_pct": None,
                   "predicted_pct": None, "blacklisted": False,
                   "files": [{"path": "a.c", "object": sum_of(text), "mode": 420}]} for i, text in enumerate((OLD, NEW))]
        document = {"version": 1, "id": "x", "created": "", "updated": "", "source": self.source, "here": self.source,
                    "app": ["./app"], "variables": [], "hidden": False, "build": f"touch {folder}/ran", "test": None,
                    "tolerance": None, "patches": None, "propose": None, "goal_pct": None, "budget_s": None, "repeat": 3,
                    "plateau": 2, "current": 1, "moving": -1, "trace": None, "checkpoints": states, "events": []}
        change(document)
        write(f"{self.session}/session.json", json.dumps(document))

    def run(self, action, *words):
        env = dict(os.environ, XDG_STATE_HOME=f"{self.folder}/state")
        return subprocess.run([PROGRAM, "session", action, self.session, *words], env=env, capture_output=True, text=True,
                              timeout=60, check=False, stdin=subprocess.DEVNULL)

    def files(self):
        """All but those of git."""
        return sorted(os.path.relpath(os.path.join(at, f), self.folder) for at, _, names in os.walk(self.folder)
                      for f in names if "/.git" not in at)


def is_asked_for(folder):
    h = Handed(folder)
    for words in (["rollback", "0"], ["resume", "--auto"]):
        done = h.run(*words)
        check(f"{words[0]} names the folder that it would edit", done.returncode == 2 and h.source in done.stderr
              and "--source" in done.stderr, done.stderr)
    check("nothing was edited or run", read(f"{h.source}/a.c") == NEW and not os.path.exists(f"{folder}/ran"))
    other = h.run("rollback", "0", "--source", folder)
    check("another folder will not do", other.returncode == 2 and read(f"{h.source}/a.c") == NEW, other.stderr)
    done = h.run("rollback", "0", "--source", h.source)
    check("with the folder it goes on", done.returncode == 0 and read(f"{h.source}/a.c") == OLD, done.stderr)
    check("it can be shown", h.run("show").returncode == 0)


def stays_inside(folder):
    def first(document):
        return document["checkpoints"][0]
    changes = {
        "a content elsewhere": lambda d: first(d)["files"][0].update(object="../../made"),
        "a content by an absolute path": lambda d: first(d)["files"][0].update(object="/etc/hostname"),
        "a content of another length": lambda d: first(d)["files"][0].update(object="00"),
        "a content elsewhere, from git": lambda d: (first(d)["files"][0].update(object="../../made"),
                                                    first(d).update(commit="HEAD")),
        "a commit that is an option": lambda d: first(d).update(commit="--batch-all-objects"),
        "a commit that is a name": lambda d: first(d).update(commit="HEAD"),
    }
    for i, (what, change) in enumerate(changes.items()):
        h = Handed(f"{folder}/{i}", change)
        before = h.files()
        done = h.run("rollback", "0", "--source", h.source)
        check(f"{what} is refused", done.returncode == 4 and "no session" in done.stderr, (done.returncode, done.stderr))
        made = [f for f in h.files() if f not in before and not f.endswith("/lock")]
        check(f"{what}: nothing appears", not made and read(f"{h.source}/a.c") == NEW, made)
    for i, path in enumerate(("../outside", "/etc/x", "b/../../outside", ".git/config", "a.c/", ".", "")):
        h = Handed(f"{folder}/p{i}", lambda d: [c["files"].append({"path": path, "object": sum_of(OLD), "mode": 0o6777})
                                                for c in d["checkpoints"]])
        before = h.files()
        done = h.run("rollback", "0", "--source", h.source)
        made = [f for f in h.files() if f not in before and not f.endswith("/lock")]
        check(f"a file '{path}' is not written", done.returncode in (2, 3) and not made, (done.returncode, done.stderr, made))


def takes_linear_time(folder):
    def seconds(n):
        h = Handed(f"{folder}/{n}", lambda d: [c["files"].extend({"path": f"f{i}", "object": "", "mode": 420} for i in range(n))
                                               for c in d["checkpoints"]])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = h.run("rollback", "0", "--source", h.source)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        check(f"{n} files", done.returncode == 0 and read(f"{h.source}/a.c") == OLD, done.stderr)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    few, many = seconds(5000), seconds(40000)
    check("8 times the files take 8 times the time", many < 20 * few + 0.3, f"{few:.2f} s, {many:.2f} s")


def main():
    for test in (is_asked_for, stays_inside, takes_linear_time):
        with tempfile.TemporaryDirectory(prefix="strangers-") as folder:
            test(os.path.realpath(folder))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
