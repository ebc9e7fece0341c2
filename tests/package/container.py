#!/usr/bin/env python3
"""The container file: as it is written, and by flag built, used on the demo and removed.

    container.py --gpusight PROGRAM [--build]

--build needs root, buildah, mmdebstrap and Debian's archive, and takes as long as a build without a cache. Debian's
image is made here, since registries are not for tests; all else is what packaging/Containerfile says. The image is
entered alone, as it is: no shell, no libraries.
"""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import roots  # noqa: E402
import tell  # noqa: E402
from tell import check, ROOT  # noqa: E402

FILE = os.path.join(ROOT, "packaging", "Containerfile")


def run(*command, **keywords):
    return subprocess.run(command, capture_output=True, text=True, check=False, **keywords)


def check_file():
    with open(FILE, encoding="utf-8") as f:
        text = f.read()
    last = text.rsplit("\nFROM ", 1)[1]
    check("the image is made of nothing but the program", last.startswith("scratch\n") and "RUN" not in last)
    check("nobody is root in it", re.search(r"^USER [1-9]\d*:[1-9]\d*$", last, re.M))
    check("it begins with the program", 'ENTRYPOINT ["/gpusight"]' in last)
    with open(os.path.join(ROOT, ".dockerignore"), encoding="utf-8") as f:
        left = f.read().split()
    check("builds of this place stay outside", "build*/" in left and ".git" in left, left)


class Buildah:
    """With stores of its own, which go."""

    def __init__(self, folder):
        self.store = ["--root", os.path.join(folder, "store"), "--runroot", os.path.join(folder, "run"),
                      "--storage-driver", "vfs"]

    def __call__(self, *words, **keywords):
        return run("buildah", *self.store, *words, **keywords)


def check_image(o, buildah, folder):
    container = buildah("from", "--pull=never", "localhost/gpusight").stdout.strip()
    place = buildah("mount", container).stdout.strip()
    there = sorted(os.path.relpath(os.path.join(d, f), place) for d, _, fs in os.walk(place) for f in fs)
    check("the image holds the program, and nothing else", there == ["gpusight"], there[:10])
    image = json.loads(buildah("inspect", "--type", "image", "localhost/gpusight").stdout)["OCIv1"]["config"]
    check("and says how it is run", image.get("Entrypoint") == ["/gpusight"] and image.get("User") == "65534:65534", image)
    root = os.path.join(folder, "alone")
    shutil.copytree(place, root)
    subprocess.run([o.gpusight, "synth", "demo", "-o", os.path.join(root, "demo.db")], check=True, capture_output=True)
    command = ["/gpusight", "analyze", "/demo.db", "--format", "json"]
    done = run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "chroot", root, *command)
    if done.returncode:  # chroot is for root alone
        done = run("chroot", "--userspec=65534:65534", root, *command)
    check("it reads the demo", done.returncode == 0 and "ledger" in json.loads(done.stdout or "{}"), done.stderr)
    check("and goes", not buildah("rm", container).returncode and not buildah("rmi", "-a", "-f").returncode)


def build(o, folder):
    base, buildah = os.path.join(folder, "debian"), Buildah(folder)
    why = roots.make(base, ["ca-certificates"])
    if why:
        return check("a base can be made", False, why)
    container = buildah("from", "scratch").stdout.strip()
    buildah("copy", container, base, "/")
    done = buildah("commit", container, "docker.io/library/debian:12-slim")
    check("a base is there", done.returncode == 0, done.stderr[-500:])
    shutil.rmtree(base)
    archive = run(os.path.join(ROOT, "tools", "dist.sh"), folder).stdout.strip()
    subprocess.run(["tar", "xf", archive, "-C", folder], check=True)
    tree = glob.glob(os.path.join(folder, "gpusight-*", ""))[0]
    done = buildah("bud", "--isolation", "chroot", "--pull=never", "-f", "packaging/Containerfile", "-t", "gpusight", ".",
                   cwd=tree)
    check("the image is built", done.returncode == 0, (done.stdout + done.stderr)[-1500:])
    return done.returncode or check_image(o, buildah, folder)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--build", action="store_true")
    o = p.parse_args()
    check_file()
    if o.build:
        with tempfile.TemporaryDirectory() as folder:
            build(o, folder)
    return tell.failures > 0


if __name__ == "__main__":
    sys.exit(main())
