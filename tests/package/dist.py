#!/usr/bin/env python3
"""The source archive: two of them are the same bytes, and it holds what a build needs.

    dist.py --gpusight PROGRAM [--build]

--build also configures and builds what was unpacked, installs it, uses it on the demo and removes it, which takes
minutes.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check, ROOT  # noqa: E402

NEEDED = ["meson.build", "Makefile", "README.md", "LICENSE", "src/cli/main.c",
          "include/gpusight/gpusight.h", "python/gpusight/__init__.py", "tools/dist.sh"]


def make(folder, umask, zone):
    def before():
        os.umask(umask)
    done = subprocess.run([os.path.join(ROOT, "tools", "dist.sh"), folder], capture_output=True,
                          text=True, preexec_fn=before, env=dict(os.environ, TZ=zone))
    if done.returncode:
        sys.exit(f"not ok - dist.sh: {done.stderr}")
    return done.stdout.strip()


def use(tree, root):
    """Installed into a folder, as packagers do, run on the demo, and removed."""
    env = dict(os.environ, DESTDIR=root)
    done = subprocess.run(["meson", "install", "-C", "build", "--no-rebuild"], cwd=tree, capture_output=True, env=env)
    program, trace = os.path.join(root, "usr/local/bin/gpusight"), os.path.join(root, "demo.db")
    check("it installs", done.returncode == 0 and os.path.exists(program), done.stderr[-500:])
    for command in (["synth", "demo", "-o", trace], ["analyze", trace]):
        done = subprocess.run([program, *command], capture_output=True)
        check("gpusight " + command[0], done.returncode == 0, done.stderr[-500:])
    subprocess.run(["ninja", "-C", "build", "uninstall"], cwd=tree, capture_output=True, env=env, check=False)
    left = [f for _, _, names in os.walk(os.path.join(root, "usr")) for f in names]
    check("and goes", not left, left[:5])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--build", action="store_true")
    o = p.parse_args()
    if not shutil.which("git") or not os.path.exists(os.path.join(ROOT, ".git")):
        print("skipped: no git checkout here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        a = make(os.path.join(folder, "a"), 0o022, "UTC")
        b = make(os.path.join(folder, "b"), 0o077, "Asia/Tokyo")
        with open(a, "rb") as f, open(b, "rb") as g:
            check("two archives are the same bytes", f.read() == g.read())
        with tarfile.open(a) as t:
            names = t.getnames()
            top = names[0].split("/")[0]
            missing = [n for n in NEEDED if f"{top}/{n}" not in names]
            check("what a build needs is in it", not missing, missing)
            strays = [n for n in names if n.startswith(f"{top}/build") or n.endswith((".o", ".pyc"))]
            check("what a build makes is not", not strays, strays)
            check("nobody's name is in it", {m.uname for m in t.getmembers()} <= {"root"},
                  {m.uname for m in t.getmembers()})
            if o.build:
                t.extractall(folder)
        if o.build:
            tree = os.path.join(folder, top)
            done = subprocess.run("meson setup build -Dtests=false && ninja -C build", shell=True,
                                  cwd=tree, capture_output=True, text=True)
            check("it builds", done.returncode == 0, done.stdout[-500:])
            use(tree, os.path.join(folder, "root"))
    return tell.failures > 0


if __name__ == "__main__":
    sys.exit(main())
