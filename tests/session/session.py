#!/usr/bin/env python3
"""gpusight session: the loop with a toy, checkpoints, recovery after kill -9, and what is refused.

    session.py --gpusight PROGRAM [--kills N] [--state DIR] [--only PART]
"""
import argparse
import fcntl
import glob
import hashlib
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time

import toy as toys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check  # noqa: E402


def load(toy):
    """Of the session that was written last: two may have begun in one second."""
    folders = sorted(glob.glob(os.path.join(toy.folder, "state/gpusight/sessions/*")),
                     key=lambda f: os.stat(f).st_mtime_ns)
    if not folders or not os.path.exists(os.path.join(folders[-1], "session.json")):
        return None, None
    with open(os.path.join(folders[-1], "session.json"), encoding="utf-8") as f:
        return json.load(f), folders[-1]


def results(document):
    return {c["summary"]: c["result"] for c in document["checkpoints"]}


def is_state(files, document, number):
    """Whether the files are those of a checkpoint, byte for byte."""
    base = {f["path"]: f["object"] for f in document["checkpoints"][0]["files"]}
    base.update({f["path"]: f["object"] for f in document["checkpoints"][number]["files"]})
    return all((hashlib.sha256(files[p]).hexdigest() if p in files else "") == o for p, o in base.items())


def unattended(o):
    toy = toys.Toy(o.gpusight)
    with open(os.path.join(toy.source, "notes"), "w", encoding="utf-8") as f:
        f.write("not in git")
    before = toy.git_state()
    done = toy.run(*toy.new_words("--patches", "edits", "--auto", "--repeat", "1", "--plateau", "0",
                                  "--check-output", "1e-6", "--", "MY_TOKEN=geheimnis", "./app"))
    document, folder = load(toy)
    found = results(document)
    check("the four faults are mended", done.returncode == 0 and
          [found.get(k) for k in ("copy from pinned memory", "prepare the next step while this one runs",
                                  "allocate once", "a better tile")] == ["kept"] * 4, (found, done.stderr))
    check("in the order of gain", [c["finding"] for c in document["checkpoints"] if c["result"] == "kept"]
          == ["slow-copies", "host-idle", "allocation-churn", "dominant-kernel"], found)
    check("what does not compile, fails or is slower is taken back",
          [found.get(k) for k in ("does not compile", "fails the test", "slower")] ==
          ["build failed", "test failed", "slower"], found)
    text = toy.files()["main.c"].decode()
    check("the source is in its best state", "pinned" in text and "host 1500" not in text and
          "scratch" not in text and "dur=500us" in text and "dur=200us" in text and "return 0;" in text, text)
    check("git is as it was", toy.git_state() == before, (before, toy.git_state()))
    kept = [c for c in document["checkpoints"] if c["result"] == "kept"]
    check("predicted and measured gains are told", all(abs(c["change_pct"] + c["predicted_pct"]) < 5
                                                       for c in kept[:3]), kept)
    check("a private ref has each state", toy.git("show", f"refs/gpusight/{document['id']}/"
                                                  f"{document['current']}:main.c") == text)
    all_text = "".join(open(p, encoding="utf-8", errors="replace").read()
                       for p in glob.glob(folder + "/*.json") + glob.glob(folder + "/logs/*"))
    check("no value of a variable is kept", "geheimnis" not in all_text and "MY_TOKEN" in all_text)
    modes = {stat.S_IMODE(os.stat(p).st_mode) for p in (folder, folder + "/session.json")}
    check("for its user alone", modes == {0o700, 0o600}, modes)
    showing(toy, document)
    rolling(toy, document, before)


def showing(toy, document):
    done = toy.run("export")
    check("export: Markdown with the time line", done.returncode == 0 and "Time line" in done.stdout and
          "allocate once" in done.stdout and "Everything that happened" in done.stdout, done.stderr)
    done = toy.run("export", "-o", "tuning.html")
    check("export: a page", done.returncode == 0 and
          "Time line" in open(os.path.join(toy.folder, "tuning.html"), encoding="utf-8").read(), done.stderr)
    check("list names it", document["id"] in toy.run("list").stdout)
    check("show as JSON", json.loads(toy.run("show", "--json").stdout)["current"] == document["current"])
    done = toy.run("resume", "nothing")
    check("an unknown session", done.returncode == 2 and "no session 'nothing'" in done.stderr, done.stderr)


def rolling(toy, document, before):
    done = toy.run("rollback", "0")
    check("rollback: as found", done.returncode == 0 and toy.files()["main.c"].decode() == toys.SOURCE,
          done.stderr)
    check("git sees a clean tree", toy.git_state() == before and
          toy.git("--no-optional-locks", "status", "--porcelain") == "?? notes\n")
    path = os.path.join(toy.source, "main.c")
    with open(path, "a", encoding="utf-8") as f:
        f.write("// mine\n")
    toy.run("rollback", "2")
    latest, folder = load(toy)
    mine = [c["number"] for c in latest["checkpoints"] if c["summary"] == "edited by hand"]
    check("what was edited by hand becomes a checkpoint", len(mine) == 1 and is_state(toy.files(), latest, 2))
    toy.run("rollback", str(mine[0]))
    check("and can be had back", toy.files()["main.c"].decode() == toys.SOURCE + "// mine\n")
    check("no such checkpoint", "there is no checkpoint 99" in toy.run("rollback", "99").stderr)
    shutil.rmtree(os.path.join(folder, "objects"))
    os.mkdir(os.path.join(folder, "objects"), 0o700)
    toy.run("rollback", "1")
    check("git has what the session's folder has lost", is_state(toy.files(), latest, 1))
    refs = toy.git("for-each-ref", "refs/gpusight").count("\n")
    done = toy.run("prune")
    check("prune drops what was taken back", done.returncode == 0 and "3 checkpoints pruned" in done.stderr
          and toy.git("for-each-ref", "refs/gpusight").count("\n") == refs - 3, done.stderr)
    done = toy.run("delete", document["id"])
    check("delete leaves nothing but the source", done.returncode == 0 and not os.path.exists(folder) and
          not toy.git("for-each-ref", "refs/gpusight"), done.stderr)


def refused(o):
    toy = toys.Toy(o.gpusight, git=False)
    done = toy.run(*toy.new_words("--dry-run", "--patches", "edits", "--", "./app"))
    check("a dry run shows and does nothing", done.returncode == 0 and "would build: cc" in done.stdout and
          not os.path.exists(os.path.join(toy.folder, "state/gpusight/sessions")), done.stderr)
    check("no terminal", "give '--auto'" in toy.run(*toy.new_words("--", "./app")).stderr)
    check("a budget that is none", "is no time" in toy.run(*toy.new_words("--budget", "x", "--", "a")).stderr)
    os.chmod(toy.source, 0o555)
    check("a read-only folder", "is read-only" in toy.run(*toy.new_words("--auto", "--", "./app")).stderr)
    os.chmod(toy.source, 0o755)
    os.symlink("/etc/hostname", os.path.join(toy.source, "link"))
    for name in os.listdir(os.path.join(toy.folder, "edits")):
        os.unlink(os.path.join(toy.folder, "edits", name))
    for i, path in enumerate(("../out.c", "/etc/x", "link", ".git/config", "sub/../../y", "new/ok.h")):
        toy.write(f"edits/{i}.edit", f"Summary: {path}\n{path}\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n")
    done = toy.run(*toy.new_words("--auto", "--repeat", "1", "--patches", "edits", "--", "./app"))
    document, _ = load(toy)
    unfit = [e["text"] for e in document["events"] if e["kind"] == "unfit"]
    check("nothing outside of the source is edited", done.returncode == 0 and len(unfit) == 5 and
          not os.path.exists(os.path.join(toy.folder, "out.c")), (unfit, done.stderr))
    check("without git; what brings nothing is taken back", results(document)["new/ok.h"] == "no gain" and
          not os.path.exists(os.path.join(toy.source, "new/ok.h")), results(document))


def handed_over(o):
    """A folder that somebody else made: what is not the session's is neither removed nor reached through links."""
    toy = toys.Toy(o.gpusight)
    base = os.path.join(toy.folder, "given")
    checkpoint = {"number": 0, "parent": -1, "time": "2030-01-31T12:00:00Z", "summary": "s", "finding": "", "commit": "",
                  "result": "base", "key": "", "files": []}
    for name in ("linked", "plain"):
        os.makedirs(f"{base}/{name}")
        with open(f"{base}/{name}/session.json", "w", encoding="utf-8") as f:
            json.dump({"version": 1, "id": "x", "created": "", "updated": "", "source": toy.source, "here": toy.source,
                       "app": ["./app"], "repeat": 3, "plateau": 2, "current": 0, "moving": -1, "events": [],
                       "checkpoints": [checkpoint, {**checkpoint, "number": 1, "parent": 0, "result": "taken back"}]}, f)
    precious = [f"{base}/elsewhere/{'0' * 64}", f"{base}/plain/thesis.txt", f"{base}/plain/objects/notes"]
    for path in precious:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write("mine")
    os.symlink(f"{base}/elsewhere", f"{base}/linked/objects")
    for word in ("prune", "delete"):
        done = toy.run(word, f"{base}/linked")
        check(f"{word} follows no link", done.returncode == 4 and "is a link" in done.stderr, done.stderr)
    done = toy.run("prune", f"{base}/plain")
    check("prune removes contents only", done.returncode == 0 and all(map(os.path.exists, precious)), done.stderr)
    done = toy.run("delete", f"{base}/plain")
    check("delete leaves what is not the session's", done.returncode == 0 and all(map(os.path.exists, precious[:2])) and
          not os.path.exists(f"{base}/plain/session.json") and "they stay" in done.stderr, done.stderr)


def places(o):
    """A worktree and a submodule: their own refs, nobody's index."""
    toy = toys.Toy(o.gpusight)
    for name in os.listdir(os.path.join(toy.folder, "edits")):
        if name != "w-broken.edit":
            os.unlink(os.path.join(toy.folder, "edits", name))
    tree = os.path.join(toy.folder, "tree")
    toy.git("worktree", "add", "-q", tree)
    outer = os.path.join(toy.folder, "outer")
    for words in (["init", "-q", outer],
                  ["-C", outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
                   toy.source, "inner"]):
        subprocess.run(["git", *words], env=toy.env, check=True, capture_output=True)
    for source in (tree, os.path.join(outer, "inner")):
        status = lambda: subprocess.run(["git", "-C", source, "status", "--porcelain=v2", "--branch"],
                                        env=toy.env, capture_output=True, text=True).stdout
        before = status()
        done = toy.run("new", "--source", source, "--build", f"cc -o app {source}/main.c", "--auto",
                       "--quiet-app", "--repeat", "1", "--patches", "edits", "--", "./app")
        document, _ = load(toy)
        refs = subprocess.run(["git", "-C", source, "for-each-ref", "refs/gpusight/" + document["id"]],
                              env=toy.env, capture_output=True, text=True).stdout
        check(f"{os.path.basename(source)}: checkpoints, and git as it was", done.returncode == 0 and
              results(document)["does not compile"] == "build failed" and refs.count("\n") == 2 and
              status() == before, (done.stderr, refs))


def killed(o):
    toy = toys.Toy(o.gpusight)
    before = toy.git_state()
    known = {toys.SOURCE.encode()}
    bad, kills, done = [], 0, None
    words = toy.new_words("--patches", "edits", "--auto", "--repeat", "1", "--plateau", "0", "--", "./app")
    rng = random.Random(o.seed)
    if o.state:  # on another file system than the source
        os.rmdir(os.path.join(toy.folder, "state"))
        state = os.path.join(o.state, os.path.basename(toy.folder))
        os.mkdir(state)
        os.symlink(state, os.path.join(toy.folder, "state"))
    while kills < o.kills:
        child = subprocess.Popen(toy.command(*words), cwd=toy.folder, env=toy.env,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, said = child.communicate(timeout=rng.uniform(0.05, o.longest))
            done = child.returncode
            if done:
                bad.append(("rc", done, said[-300:]))
            toy.run("rollback", "0")  # another round over the same edits
            shutil.rmtree(os.path.join(toy.folder, "state", "gpusight"))
            words = toy.new_words("--patches", "edits", "--auto", "--repeat", "1", "--plateau", "0", "--",
                                  "./app")
            for ref in toy.git("for-each-ref", "--format=%(refname)", "refs/gpusight").split():
                toy.git("-c", "core.hooksPath=/dev/null", "update-ref", "-d", ref)
            continue
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.communicate()
            kills += 1
        document, folder = load(toy)
        if document is None:
            continue
        files = toy.files()
        if not any(is_state(files, document, c["number"]) for c in document["checkpoints"]):
            bad.append(("between", kills))
        back = toy.run("resume")
        document, folder = load(toy)
        if back.returncode or document["moving"] != -1 or \
                not is_state(toy.files(), document, document["current"]):
            bad.append(("resume", kills, back.stderr))
        if toy.git_state() != before or set(toy.files()) != {"main.c", "scale.h"}:
            bad.append(("git", kills, set(toy.files())))
        words = ["resume", "--auto", "--quiet-app"]
    check(f"killed {kills} times: the source is that of a checkpoint, git is as it was", not bad, bad[:3])
    if o.kills < 20:
        done = toy.run(*words)
        document, _ = load(toy)
        check("and the session goes on to its best state", done.returncode == 0 and
              sorted(c["result"] for c in document["checkpoints"] if c["result"] == "kept") == ["kept"] * 4,
              (results(document), done.stderr))


def locked(o):
    toy = toys.Toy(o.gpusight, git=False)
    toy.write("slow", "#!/bin/sh\nsleep 60\n", 0o755)
    first = subprocess.Popen(toy.command("new", "--source", "toy", "--build", "./slow", "--auto", "--",
                                         "./app"), cwd=toy.folder, env=toy.env, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    for line in first.stderr:
        if line.startswith("build:"):
            break
    done = toy.run("resume")
    check("a second user is refused", done.returncode == 3 and "in use" in done.stderr, done.stderr)
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=30)
    check("Ctrl-C ends the build and saves", first.returncode == 130, first.returncode)
    document, folder = load(toy)
    check("and it is told", any(e["text"] == "was interrupted" for e in document["events"]), document)
    left_by_the_killed(toy, document, folder)


def left_by_the_killed(toy, document, folder):
    """What a session that was killed at a bad moment leaves behind, made by hand."""
    with open(os.path.join(folder, "lock"), "rb") as lock:  # a child that still has the descriptor
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = toy.run("resume", "--build", "true")
        check("a descriptor that a child has left does not keep others out", "in use" not in done.stderr, done.stderr)
    document, folder = load(toy)
    document["checkpoints"].append(dict(document["checkpoints"][0], number=len(document["checkpoints"]), parent=0,
                                        summary="never begun", result="trying"))
    with open(os.path.join(folder, "session.json"), "w", encoding="utf-8") as f:
        json.dump(document, f)
    toy.run("rollback", "0")
    check("a step that had not moved its files is interrupted, not being tried for ever",
          results(load(toy)[0]).get("never begun") == "interrupted", results(load(toy)[0]))


def scripted(o):
    """Edits from a program that is asked each time, as a model would be."""
    toy = toys.Toy(o.gpusight, git=False)
    toy.write("model", f"""#!{sys.executable}
import json, os, sys
rules = [r["rule"] for r in json.load(open(sys.argv[1]))["recommendations"]]
tried = [c["finding"] for c in json.load(open(sys.argv[2]))["checkpoints"]]
for name in sorted(os.listdir("edits")):
    text = open("edits/" + name).read()
    rule = text.split("\\n")[0].split(": ")[1]
    if rule in rules and rule not in tried:
        print(text, end="")
        break
""", 0o755)
    done = toy.run(*toy.new_words("--propose", "./model", "--auto", "--repeat", "2", "--goal", "50%", "--",
                                  "./app"))
    document, _ = load(toy)
    check("a scripted model reaches the goal, and no more", done.returncode == 0 and
          "the goal is reached" in done.stderr and
          [c["result"] for c in document["checkpoints"]] == ["base", "kept", "kept"],
          (results(document), done.stderr))
    turns = [os.path.basename(e["trace"]) for e in document["events"] if e["kind"] == "profile"]
    check("repeats are measured in turns", [t for t in turns if "-profile" not in t] ==
          2 * ["before-0", "after-0", "after-1", "before-1"], turns)


def modelled(o):
    """Edits of a language model: a stand-in for the program `claude -p`."""
    toy = toys.Toy(o.gpusight, git=False)
    toy.write("toy/main.c", toys.SOURCE.replace("int main", "// password=hunter2secret\nint main"))
    toy.write("bin/claude", f"""#!{sys.executable}
import json, os, sys
prompt = sys.stdin.read()
open({toy.folder!r} + "/prompts", "a").write(prompt)
findings, rest = prompt.split("## Findings")[1].split("## Tried before")
tried = rest.split("\\n## ")[0]
text = "NONE"
for name in sorted(os.listdir({toy.folder!r} + "/edits"), reverse=True):
    edit = open({toy.folder!r} + "/edits/" + name).read()
    if edit.split("\\n")[0].split(": ")[1] in findings and edit.split("\\n")[1].split(": ")[1] not in tried:
        text = "Here it is.\\n\\n" + edit
        break
print(json.dumps({{"type": "result", "is_error": False, "result": text,
                   "usage": {{"input_tokens": 10, "output_tokens": 10}}}}))
""", 0o755)
    done = toy.run(*toy.new_words("--llm", "claude-code", "--auto", "--repeat", "1", "--plateau", "0",
                                  "--", "./app"))
    document, _ = load(toy)
    found = results(document)
    prompts = open(os.path.join(toy.folder, "prompts"), encoding="utf-8").read()
    check("a model's edits are tried, the bad ones taken back", done.returncode == 0 and
          [found.get(k) for k in ("copy from pinned memory", "prepare the next step while this one runs",
                                  "allocate once", "a better tile", "slower", "fails the test", "does not compile")]
          == ["kept"] * 4 + ["slower", "test failed", "build failed"], (found, done.stderr))
    check("it sees why an edit failed", "why: checkpoint" in prompts and "it printed:" in prompts and
          "error: expected" in prompts, prompts[-3000:])
    check("no secret of the source is sent", "hunter2secret" not in prompts and "password=***" in prompts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--longest", type=float, default=3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--state", help="a folder of another file system, for what is killed")
    parser.add_argument("--only")
    o = parser.parse_args()
    if not shutil.which("git") or not shutil.which("cc"):
        print("no git or no cc: skipped")
        sys.exit(77)
    for part in (unattended, refused, handed_over, places, locked, scripted, modelled, killed):
        if not o.only or o.only == part.__name__:
            part(o)
    sys.exit(tell.failures > 0)


main()
