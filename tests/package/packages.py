#!/usr/bin/env python3
"""The packages: their versions agree, a double click works; by flag they are built, installed, used, removed.

    packages.py --gpusight PROGRAM [--deb | --debs FOLDER] [--rpm] [--host]

Without a flag only the files are looked at. --deb builds the Debian packages (minutes), has lintian look at them, and
installs them into a new root made by mmdebstrap (needs root and Debian's archive; --host: into this system
instead), runs them on the demo, removes them and looks for what is left. --debs takes packages that were built before.
--rpm builds the RPM packages and does the same with them.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import roots  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check, read, ROOT  # noqa: E402

USE = r"""set -e
cd /tmp
gpusight synth demo -o demo.db
gpusight analyze demo.db --format json > a.json
grep -q '"ledger"' a.json
gpusight plot demo.db --chart ledger -o ledger.png
if command -v python3 >/dev/null; then
    python3 -c 'import gpusight, json
run = gpusight.open("demo.db", progress=False)
assert run.to_dict()["ledger"] == json.load(open("a.json"))["ledger"]
from gpusight import rocinsight
assert rocinsight.validate_database("demo.db")["is_valid"]'
fi
test -s /usr/share/doc/gpusight/html/index.html
rm -f demo.db a.json ledger.png
echo used"""


def run(*command, **keywords):
    return subprocess.run(command, capture_output=True, text=True, check=False, **keywords)


# ---- the files


def check_versions():
    version = re.search(r"^  version: '(.*)',$", read("meson.build"), re.M).group(1)
    eb = glob.glob(os.path.join(ROOT, "packaging", "easybuild", "*.eb"))[0]
    found = {"debian/changelog": re.search(r"\((.*?)\)", read("debian/changelog")).group(1),
             "packaging/gpusight.spec": re.search(r"^Version: *(\S+)", read("packaging/gpusight.spec"), re.M).group(1),
             "spack": re.search(r'version\("(.*?)"', read("packaging/spack/package.py")).group(1),
             "easybuild": re.search(r"^version = '(.*)'", read(os.path.relpath(eb, ROOT)), re.M).group(1)}
    check("all packages have the version of the build", set(found.values()) == {version}, found)
    check("the recipe is named after it", f"-{version}-" in eb, eb)


def check_options():
    """Recipes only set what meson_options.txt has."""
    known = set(re.findall(r"option\('(\w+)'", read("meson_options.txt"))) | {"prefer_static"}
    for path in ("packaging/gpusight.spec", "packaging/spack/package.py", "debian/rules", "Makefile",
                 os.path.relpath(glob.glob(os.path.join(ROOT, "packaging/easybuild/*.eb"))[0], ROOT)):
        used = set(re.findall(r"-D([a-z]\w*)=", read(path)))
        check(f"options of {path} exist", used <= known and used, used - known)
    for path in ("packaging/spack/package.py", "python/backend.py"):
        compile(read(path), path, "exec")


def check_desktop(gpusight, folder):
    xml.dom.minidom.parseString(read("packaging/desktop/gpusight.xml"))
    types = set(re.findall(r'mime-type type="(.*?)"', read("packaging/desktop/gpusight.xml")))
    opened = set(re.search(r"^MimeType=(.*);$", read("packaging/desktop/gpusight.desktop.in"), re.M).group(1).split(";"))
    check("the desktop entry opens all types", types == opened, types ^ opened)
    script = os.path.join(folder, "gpusight-open")
    with open(script, "w", encoding="utf-8") as f:
        f.write(read("packaging/desktop/gpusight-open.in").replace("@BINDIR@", os.path.dirname(gpusight)))
    trace = os.path.join(folder, "my_results.db")
    run(gpusight, "synth", "demo", "-o", trace)
    before = sorted(os.listdir(folder))
    with tempfile.TemporaryDirectory() as cache:
        env = dict(os.environ, XDG_CACHE_HOME=cache, GPUSIGHT_BROWSER="cat")
        done = run("sh", script, trace, env=env)
        check("a double click opens the report", done.returncode == 0 and "<html" in done.stdout and
              "Findings" in done.stdout, done.stderr)
        check("nothing is written beside the trace", sorted(os.listdir(folder)) == before)
        done = run("sh", script, script, env=env)
        check("or says why not", done.returncode == 0 and "cannot read" in done.stdout, done.stdout[:200])


# ---- Debian


def build_debs(folder):
    name = subprocess.run([os.path.join(ROOT, "tools", "dist.sh"), folder], check=True, capture_output=True,
                          text=True).stdout.strip()
    subprocess.run(["tar", "xf", name, "-C", folder], check=True)
    tree = name[:-len(".tar.gz")]
    done = run("dpkg-buildpackage", "-us", "-uc", cwd=tree, env=dict(os.environ, DEB_BUILD_OPTIONS="nocheck"))
    check("dpkg-buildpackage, source and binary", done.returncode == 0, done.stderr[-800:])
    return folder


def lint(folder):
    changes = glob.glob(os.path.join(folder, "*.changes"))
    if changes and shutil.which("lintian"):
        done = run("lintian", "--fail-on", "error,warning", *changes)
        check("lintian finds nothing", done.returncode == 0 and not re.search("^[EW]:", done.stdout, re.M), done.stdout)
    else:
        print("no lintian here: not looked at")


def needed(debs):
    """What they depend on, of others: the new root has it and nothing else."""
    ours = {os.path.basename(d).split("_")[0] for d in debs}
    names = set()
    for d in debs:
        for part in run("dpkg-deb", "-f", d, "Depends").stdout.split(","):
            names.add(re.split(r"[ :(|]", part.strip())[0])
    return sorted(names - ours - {""})


def new_root(folder, debs):
    root = os.path.join(folder, "root")
    why = roots.make(root, needed(debs))
    check("a new root", not why, why)
    return root


def check_debs(folder, host):
    lint(folder)
    debs = [d for d in glob.glob(os.path.join(folder, "*.deb")) if "dbgsym" not in d]
    check("six packages", len(debs) == 6, debs)
    with tempfile.TemporaryDirectory() as place:
        root = "/" if host else new_root(place, debs)
        into = [] if host else ["chroot", root]
        there = os.path.join(root, "tmp", "debs")
        os.makedirs(there)
        for d in debs:
            shutil.copy(d, there)
        names = ["/tmp/debs/" + os.path.basename(d) for d in debs]
        packages = [os.path.basename(d).split("_")[0] for d in debs]
        env = dict(os.environ, DEBIAN_FRONTEND="noninteractive", LC_ALL="C.UTF-8")
        env["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        done = run(*into, "dpkg", "-i", *names, env=env)
        check("they install", done.returncode == 0, done.stdout[-300:] + done.stderr[-300:])
        done = run(*into, "sh", "-c", USE, env=env)
        check("and work", done.returncode == 0 and done.stdout.endswith("used\n"), done.stderr[-500:])
        done = run(*into, "dpkg", "-P", *packages, env=env)
        check("and go", done.returncode == 0, done.stderr[-300:])
        left = run(*into, "sh", "-c", "ls -d /usr/bin/gpusight /usr/share/*/gpusight* /usr/lib/*/libgpusight* "
                   "/usr/lib/python3/dist-packages/gpusight 2>/dev/null", env=env).stdout
        check("nothing is left", not left.strip(), left)
        shutil.rmtree(there)


# ---- RPM


def check_rpm(folder):
    subprocess.run([os.path.join(ROOT, "tools", "dist.sh"), folder], check=True, capture_output=True)
    done = run("rpmbuild", "-bb", "--nodeps", "--define", f"_topdir {folder}/rpm", "--define", f"_sourcedir {folder}",
               "--define", "_libdir /usr/lib64", os.path.join(ROOT, "packaging", "gpusight.spec"))
    check("rpmbuild", done.returncode == 0, done.stderr[-800:])
    use_rpms(os.path.join(folder, "rpm", "RPMS"), os.path.join(folder, "root"))


def use_rpms(made, root):
    """Installs, uses and removes them in a new root, with the libraries of Debian that they need."""
    made = glob.glob(os.path.join(made, "*", "*.rpm"))
    check("five packages", len(made) == 5, made)
    why = roots.make(root, ["libsqlite3-0", "zlib1g", "libzstd1", "libcairo2", "libcurl4", "libedit2", "libopen-trace-format2-10",
                            "python3"])
    check("a new root", not why, why)
    done = run("rpm", "--root", root, "-i", "--nodeps", "--ignorearch", *made)
    check("they install", done.returncode == 0, done.stderr)
    done = roots.enter(root, "sh", "-c", USE, GPUSIGHT_LIBRARY="/usr/lib64/libgpusight.so.0",
                       PYTHONPATH="/usr/lib/python3/site-packages")
    check("and work", done.returncode == 0 and done.stdout.endswith("used\n"), done.stderr[-500:])
    names = run("rpm", "--root", root, "-qa").stdout.split()
    done = run("rpm", "--root", root, "-e", "--nodeps", *names)
    left = roots.files(root, "gpusight")
    check("and go", done.returncode == 0 and len(names) == 5 and not left, left or done.stderr)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--deb", action="store_true")
    p.add_argument("--debs")
    p.add_argument("--host", action="store_true")
    p.add_argument("--rpm", action="store_true")
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        check_versions()
        check_options()
        check_desktop(os.path.abspath(o.gpusight), folder)
    with tempfile.TemporaryDirectory() as folder:
        if o.deb or o.debs:
            check_debs(o.debs or build_debs(folder), o.host)
    with tempfile.TemporaryDirectory() as folder:
        if o.rpm:
            check_rpm(folder)
    return tell.failures > 0


if __name__ == "__main__":
    sys.exit(main())
