#!/usr/bin/env python3
"""The menu of gpusight session in a real terminal: tmux types, the screen is read.

    menu.py --gpusight PROGRAM

Skipped where there is no tmux, git or cc.
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import time

import toy as toys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check  # noqa: E402


class Terminal:
    """A tmux server of its own."""

    def __init__(self, toy):
        self.toy = toy
        self.socket = os.path.join(toy.folder, "tmux")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "50", "-s", "t",
                  "env", "PS1=$ ", "sh")

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], env=self.toy.env, cwd=self.toy.folder,
                              capture_output=True, text=True).stdout

    def type(self, text, enter=True):
        self.tmux("send-keys", "-t", "t", "-l", text)
        if enter:
            self.tmux("send-keys", "-t", "t", "Enter")

    def key(self, name):
        self.tmux("send-keys", "-t", "t", name)

    def screen(self):
        return self.tmux("capture-pane", "-p", "-J", "-S", "-300", "-t", "t")

    def clear(self):
        time.sleep(0.3)
        self.tmux("send-keys", "-R", "-t", "t")
        self.tmux("clear-history", "-t", "t")

    def wait(self, text, times=1, seconds=60):
        end = time.time() + seconds
        while time.time() < end:
            if self.screen().count(text) >= times:
                return True
            time.sleep(0.1)
        return False

    def close(self):
        self.tmux("kill-server")


def document(toy):
    folder = sorted(glob.glob(os.path.join(toy.folder, "state/gpusight/sessions/*")))[-1]
    with open(os.path.join(folder, "session.json"), encoding="utf-8") as f:
        return json.load(f)


def drive(toy, t):
    words = " ".join(f"'{w}'" if " " in w else w for w in toy.new_words("--repeat", "1", "--", "./app"))
    t.type(f"{toy.gpusight} session {words}")
    check("the first capture is shown before it is run", t.wait("gpusight run -- ./app") and t.wait("[r] run it"),
          t.screen())
    t.type("r")
    check("the menu comes with the findings", t.wait("session> ") and "copies run far below" in t.screen(),
          t.screen())
    t.type("1")
    check("a number shows a finding", t.wait("to do: copy from pinned memory"), t.screen())
    t.type("z")
    check("other keys are told", t.wait("no such key"), t.screen())
    check("keys by content: there is something to mend", "[o] optimise all" in t.screen() and
          "[r] profile again" not in t.screen() and "[b] roll back" not in t.screen(), t.screen())
    t.type("n")
    check("a finding can be left aside", t.wait("(left aside)"), t.screen())
    t.type("p")
    t.wait("return: timeline")
    t.type("")
    check("a capture that adds nothing is not run by itself", t.wait("adds nothing"), t.screen())
    t.type("n")
    t.clear()
    t.type("p")
    t.wait("return: timeline")
    t.type("copies")
    check("the command is shown first", t.wait("gpusight run --goal copies -- ./app") and t.wait("[r] run it"),
          t.screen())
    t.type("e")
    t.wait("program (return: ./app)")
    t.type("./nothing 'a b'")
    check("and can be changed", t.wait("gpusight run --goal copies -- ./nothing 'a b'"), t.screen())
    t.type("r")
    check("a capture that fails asks what to do", t.wait("[r] retry") and "back to the state" not in t.screen(), t.screen())
    t.type("e")
    t.wait("program (return: ./nothing 'a b')")
    t.type("./app")
    check("another goal is captured", t.wait("checkpoint 0, ") and
          any("--goal copies" in e.get("command", "") for e in document(toy)["events"]), t.screen())
    t.clear()
    t.type("d")
    t.wait("gpusight run --goal sampling -- ./app")
    t.type("n")
    t.type("t")
    check("program counters and thread traces have keys", t.wait("gpusight run --goal instructions -- ./app"), t.screen())
    t.type("n")
    t.clear()
    t.type("r")
    check("profile again", t.wait("adds nothing"), t.screen())
    t.type("n")
    t.clear()
    t.type("f")
    t.wait("blocks: ")
    t.type("edits/a-pinned.edit")
    t.wait("try this edit?")
    t.type("w")
    check("an edit can be written as a patch", t.wait(".patch") and glob.glob(toy.folder + "/*.patch"),
          t.screen())
    t.clear()
    t.type("f")
    t.wait("blocks: ")
    t.type("edits/a-pinned.edit")
    check("the edit is shown as a diff", t.wait("try this edit?") and
          "+// trace: copy h2d size=24MiB pinned" in t.screen(), t.screen())
    t.type("y")
    check("and measured", t.wait("measured: ") and t.wait("checkpoint 1, "), t.screen())
    check("then there is a way back", t.wait("[b] roll back"), t.screen())
    t.tmux("resize-window", "-t", "t", "-x", "60", "-y", "40")
    t.type("b")
    check("rollback shows the table, in a smaller window", t.wait("back to checkpoint: "), t.screen())
    t.type("0")
    t.wait("never propose")
    t.type("y")
    check("rollback", t.wait("checkpoint 0, 0.0 %") and toy.files()["main.c"].decode() == toys.SOURCE,
          t.screen())
    t.type("s")
    check("save", t.wait("saved"), t.screen())
    t.clear()
    t.type("l")
    check("list", t.wait("Checkpoints") and t.wait("base"), t.screen())
    t.clear()
    t.type("a")
    check("analyze again, with what was tried", t.wait("copies run far") and t.wait("copy from"), t.screen())
    t.clear()
    t.type("o")
    check("optimise without a source of edits says what to give", t.wait("--patches, --propose or"), t.screen())
    t.clear()
    t.type("e")
    t.wait("file, in the source folder: ")
    t.type("scale.h")
    t.wait("edit this copy: ")
    copy = glob.glob(toy.folder + "/state/gpusight/sessions/*/edit/scale.h")
    check("a copy is edited, not the file", len(copy) == 1 and toy.files()["scale.h"].decode() == toys.HEADER)
    with open(copy[0], "w", encoding="utf-8") as file:
        file.write(toys.HEADER + "#error by hand\n")
    t.type("d")
    t.wait("try this edit?")
    t.type("y")
    check("and an edit by hand that does not compile is taken back", t.wait("taken back: build failed") and
          t.wait("checkpoint 0, ") and toy.files()["scale.h"].decode() == toys.HEADER, t.screen())
    t.key("C-z")
    check("Ctrl-Z suspends it", t.wait("Stopped"), t.screen())
    t.type("fg")
    time.sleep(0.5)
    t.key("C-d")
    check("the end of input saves and leaves", t.wait("go on with 'gpusight session resume"), t.screen())
    d = document(toy)
    check("all of it is kept", d["checkpoints"][1]["blacklisted"] and d["current"] == 0 and
          d["events"][-1]["kind"] == "quit", d["events"][-3:])
    t.clear()
    t.type(f"{toy.gpusight} session resume --quiet-app")
    check("resume", t.wait("session> "), t.screen())
    t.key("C-c")
    time.sleep(0.5)
    t.type("echo left $?")
    check("Ctrl-C leaves", t.wait("left 130") or t.wait("left 0", seconds=1), t.screen())
    check("and nothing is lost", document(toy)["moving"] == -1 and
          toy.files()["main.c"].decode() == toys.SOURCE)


def aliases(toy, t):
    subprocess.run([toy.gpusight, "synth", "demo", "-o", os.path.join(toy.folder, "demo.db")],
                   capture_output=True, check=True)
    for words, what in (("--source-dir toy -i demo.db --interactive", "a trace and no program"),
                        ("--source-dir toy --interactive './app 1'", "a program and no trace")):
        t.clear()
        t.type(f"{toy.gpusight} analyze {words}")
        if "./app" in words:
            t.wait("[r] run it")
            t.type("r")
        check(f"rocinsight's --interactive: {what}", t.wait("session> "), t.screen())
        t.type("q")
        t.wait("saved; go on")
    d = document(toy)
    check("with the words of the program", d["app"] == ["./app", "1"], d["app"])
    t.clear()
    t.type(f"{toy.gpusight} analyze --resume-session latest")
    check("rocinsight's --resume-session", t.wait("session> "), t.screen())
    t.type("q")


def named(toy, t):
    """Command lines of profilers in a model's answer become a list to run."""
    toy.write("bin/claude", f"""#!{sys.executable}
import json
text = "Look closer first:\\n\\n    $ rocprofv3 --sys-trace -d elsewhere -- ./app\\n- `rocprofv3 --sys-trace -- ./app; rm -rf x`\\n"
print(json.dumps({{"type": "result", "is_error": False, "result": text,
                   "usage": {{"input_tokens": 10, "output_tokens": 10}}}}))
""", 0o755)
    t.clear()
    t.type(f"{toy.gpusight} session resume --llm claude-code --quiet-app")
    t.wait("session> ")
    t.type("o")
    t.wait("Proceed?")
    t.type("y")
    check("command lines of a model are a list", t.wait("run one of them") and t.wait("  2  rocprofv3"), t.screen())
    t.type("2")
    check("more than a command is not run", t.wait("no plain command"), t.screen())
    t.type("o")
    t.wait("run one of them", 2)
    t.type("1")
    check("the chosen one is run and analyzed", t.wait("profile: rocprofv3 --output-directory") and t.wait("session> ", 3) and not os.path.exists(toy.folder + "/elsewhere")
          and any("rocprofv3 --output-directory" in (e.get("command") or "") for e in document(toy)["events"]), t.screen())
    t.type("q")
    t.wait("saved; go on")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    o = parser.parse_args()
    if not all(shutil.which(p) for p in ("tmux", "git", "cc")):
        print("no tmux, git or cc: skipped")
        sys.exit(77)
    toy = toys.Toy(o.gpusight)
    t = Terminal(toy)
    try:
        drive(toy, t)
        named(toy, t)
        aliases(toy, t)
    finally:
        t.close()
    sys.exit(tell.failures > 0)


main()
