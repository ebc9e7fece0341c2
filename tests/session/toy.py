"""A toy program with four planted faults, the edits that mend them, and three that must not stay.

The trace that a stand-in profiler writes of it is described by the lines `// trace:` of its source.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STAND_IN = os.path.join(os.path.dirname(HERE), "launch", "profiler.py")

SOURCE = """#include <stdio.h>
#include "scale.h"
// trace: process command="./toy" {
// trace: gpu MI300X
// trace: set launch_cost=5us~5% launch_latency=4us~5% host_gap=1500ns~5%
// trace: stream compute
// trace: kernel "gemm_tile(float*, int)" vgpr=64 wg=256 blocks=2432
// trace: kernel "axpy(float*, int)" vgpr=16 wg=256 blocks=2432
// trace: malloc size=512MiB name=work
// trace: loop 40 as i {
// trace: marker push "step {i}"
// trace: copy h2d size=24MiB pageable
// trace: launch "gemm_tile(float*, int)" dur=900us~2% stream=compute
// trace: sync
// trace: malloc size=64MiB name=scratch dur=700us~2%
// trace: launch "axpy(float*, int)" dur=200us~2% stream=compute
// trace: free scratch dur=500us~2%
// trace: sync
// trace: host 1500us~2%
// trace: marker pop
// trace: }
// trace: free work
// trace: }
int main(void)
{
    printf("sum %.6f\\n", 41.0 * SCALE);
    return 0;
}
"""

HEADER = "#define SCALE 1.0\n"

EDITS = {
    "a-pinned.edit": """Finding: slow-copies
Summary: copy from pinned memory
main.c
<<<<<<< SEARCH
// trace: copy h2d size=24MiB pageable
=======
// trace: copy h2d size=24MiB pinned
>>>>>>> REPLACE
""",
    "b-host.diff": """Finding: %(host)s
Summary: prepare the next step while this one runs
--- a/main.c
+++ b/main.c
@@ -17,3 +17,2 @@
 // trace: sync
-// trace: host 1500us~2%%
 // trace: marker pop
""",
    "c-alloc.edit": """Finding: allocation-churn
Summary: allocate once
main.c
<<<<<<< SEARCH
// trace: malloc size=64MiB name=scratch dur=700us~2%%
=======
>>>>>>> REPLACE
<<<<<<< SEARCH
// trace: free scratch dur=500us~2%%
=======
>>>>>>> REPLACE
""",
    "d-gemm.edit": """Finding: dominant-kernel
Summary: a better tile
main.c
<<<<<<< SEARCH
// trace: launch "gemm_tile(float*, int)" dur=900us~2%% stream=compute
=======
// trace: launch "gemm_tile(float*, int)" dur=500us~2%% stream=compute
>>>>>>> REPLACE
""",
    "w-broken.edit": """Finding: slow-copies
Summary: does not compile
main.c
<<<<<<< SEARCH
    return 0;
=======
    return 0
>>>>>>> REPLACE
""",
    "x-wrong.edit": """Finding: slow-copies
Summary: fails the test
scale.h
<<<<<<< SEARCH
#define SCALE 1.0
=======
#define SCALE 1.5
>>>>>>> REPLACE
""",
    "y-slow.edit": """Finding: allocation-churn
Summary: slower
main.c
<<<<<<< SEARCH
// trace: launch "axpy(float*, int)" dur=200us~2%% stream=compute
=======
// trace: launch "axpy(float*, int)" dur=2ms~2%% stream=compute
>>>>>>> REPLACE
""",
}


class Toy:
    """A folder with the toy in git (if asked), edits, a PATH of stand-ins, and a place for sessions."""

    def __init__(self, gpusight, git=True, host="host-idle"):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="gpusight-session-"))
        self.gpusight = os.path.abspath(gpusight)
        self.source = os.path.join(self.folder, "toy")
        for name in ("bin", "toy", "edits", "state"):
            os.mkdir(os.path.join(self.folder, name))
        os.symlink(STAND_IN, os.path.join(self.folder, "bin", "rocprofv3"))
        self.write("toy/main.c", SOURCE)
        self.write("toy/scale.h", HEADER)
        self.write("test", "#!/bin/sh\n./app | grep -q 'sum 41.000000'\n", 0o755)
        for name, text in EDITS.items():
            self.write("edits/" + name, text % {"host": host})
        self.env = dict(os.environ, PATH=os.path.join(self.folder, "bin") + ":" + os.environ["PATH"],
                        STANDIN_GPUSIGHT=self.gpusight, XDG_STATE_HOME=os.path.join(self.folder, "state"),
                        STANDIN_SOURCE=os.path.join(self.source, "main.c"),
                        GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
        if git:
            self.make_repository()

    def make_repository(self):
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "first")
        for hook in ("pre-commit", "post-checkout", "reference-transaction", "post-index-change"):
            path = os.path.join(self.source, ".git", "hooks", hook)
            with open(path, "w", encoding="utf-8") as f:
                f.write(f"#!/bin/sh\ntouch {self.folder}/hook-ran\n")
            os.chmod(path, 0o755)

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)

    def git(self, *words):
        return subprocess.run(["git", "-C", self.source, *words], env=self.env, capture_output=True,
                              text=True, check=True).stdout

    def command(self, *words):
        return [self.gpusight, "session", *words]

    def new_words(self, *more):
        return ["new", "--source", "toy", "--build", "cc -o app toy/main.c", "--test", "./test",
                "--quiet-app", *more]

    def run(self, *words, timeout=300, env=None):
        return subprocess.run(self.command(*words), cwd=self.folder, env=dict(self.env, **(env or {})),
                              capture_output=True, text=True, timeout=timeout)

    def files(self):
        """What the source folder holds, without git's own."""
        found = {}
        for where, folders, names in os.walk(self.source):
            folders[:] = [f for f in folders if f != ".git"]
            for name in names:
                path = os.path.join(where, name)
                with open(path, "rb") as f:
                    found[os.path.relpath(path, self.source)] = f.read()
        return found

    def git_state(self):
        """Everything of git that is not ours."""
        with open(os.path.join(self.source, ".git", "index"), "rb") as f:
            index = f.read()
        refs = [r for r in self.git("for-each-ref").splitlines() if "refs/gpusight/" not in r]
        return (index, refs, self.git("rev-parse", "HEAD"), self.git("symbolic-ref", "HEAD"),
                self.git("stash", "list"), self.git("reflog"),
                os.path.exists(os.path.join(self.folder, "hook-ran")))


if __name__ == "__main__":
    toy = Toy(sys.argv[1])
    print(toy.folder)
