#!/usr/bin/env python3
"""Recipes of Spack and EasyBuild, and the module file: they are run, with stand-ins for what reads them.

    recipes.py --gpusight PROGRAM

The stand-ins know the names that the real ones know (Spack 0.21 to 1.0, EasyBuild 4.8) and nothing else: any other is
an error. The module file is read by tclsh, where that is installed.
"""
import argparse
import glob
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check, read, ROOT  # noqa: E402


def options():
    """{name: its kind} of the build."""
    return dict(re.findall(r"option\('(\w+)', type: '(\w+)'", read("meson_options.txt")))


def values_fit(words):
    """Whether each -Dname=value is one that Meson would take."""
    known, allowed = options(), {"feature": ("enabled", "disabled", "auto"), "boolean": ("true", "false")}
    for word in words:
        name, value = re.fullmatch(r"-D(\w+)=(\w+)", word).groups()
        if value not in allowed[known[name]]:
            return False
    return len(set(words)) == len(words)


# ---- Spack


class Spec:
    def __init__(self, chosen):
        self.chosen = chosen

    def satisfies(self, text):
        return text[1:] in self.chosen if text[0] == "+" else text[1:] not in self.chosen


def check_spack():
    told = {"version": [], "variant": [], "depends_on": []}
    module = types.ModuleType("spack.package")
    for name, calls in told.items():
        setattr(module, name, lambda *a, calls=calls, **k: calls.append((a, k)))
    module.MesonPackage = type("MesonPackage", (), {})
    sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": module})
    place = {}
    exec(compile(read("packaging/spack/package.py"), "package.py", "exec"), place)
    package = place["Gpusight"]()
    variants = {a[0]: k for a, k in told["variant"]}
    check("Spack: variants have a default and words", variants and
          all(set(k) == {"default", "description"} for k in variants.values()), variants)
    for args, keywords in told["depends_on"]:
        check(f"Spack: {args[0]}", set(keywords) <= {"when", "type"} and
              (keywords.get("when", "+" + next(iter(variants)))[1:] in variants), keywords)
    for n in range(len(variants) + 1):
        for chosen in itertools.combinations(variants, n):
            package.spec = Spec(chosen)
            words = package.meson_args()
            check(f"Spack: {' '.join('+' + c for c in chosen) or 'nothing'}", values_fit(words) and
                  {w[2:-8] for w in words if w.endswith("=enabled")} == set(chosen), words)
    decided = {re.match(r"-D(\w+)", w).group(1) for w in words}
    features = {name for name, kind in options().items() if kind == "feature"}
    check("Spack: no feature is left to what the system has", features <= decided, features - decided)


# ---- EasyBuild


def check_easybuild():
    path = glob.glob(os.path.join(ROOT, "packaging", "easybuild", "*.eb"))[0]
    constants = {"SOURCE_TAR_GZ": "%(name)s-%(version)s.tar.gz", "SYSTEM": {"name": "system", "version": "system"}}
    place = dict(constants)
    exec(compile(read(os.path.relpath(path, ROOT)), path, "exec"), place)
    set_here = {k for k in place if k not in constants and not k.startswith("__")}
    wanted = {"name", "version", "homepage", "description", "toolchain"}
    known = wanted | {"easyblock", "sources", "builddependencies", "dependencies", "configopts", "sanity_check_paths",
                      "sanity_check_commands", "moduleclass"}
    check("EasyBuild: all that is mandatory, and nothing unknown", wanted <= set_here <= known, set_here ^ known)
    tool = place["toolchain"]
    check("EasyBuild: the name of the file", os.path.basename(path) ==
          f"{place['name']}-{place['version']}-{tool['name']}-{tool['version']}.eb", path)
    words = place["configopts"].split()
    check("EasyBuild: options", values_fit(words), words)
    with_package = {"zstd", "cairo"}  # of the dependencies below
    features = {name for name, kind in options().items() if kind == "feature"}
    decided = {re.match(r"-D(\w+)", w).group(1) for w in words}
    check("EasyBuild: no feature is left to what the system has", features - decided == with_package, features - decided)
    check("EasyBuild: dependencies have versions", with_package <= {d[0] for d in place["dependencies"]} and all(
        len(d) == 2 for d in place["dependencies"] + place["builddependencies"]))
    check("EasyBuild: what is looked for", set(place["sanity_check_paths"]) == {"files", "dirs"})


def check_sanity_command(gpusight):
    """The command that EasyBuild runs at the end, with our program."""
    line = re.search(r"sanity_check_commands = \['(.*)'\]", read(os.path.relpath(
        glob.glob(os.path.join(ROOT, "packaging", "easybuild", "*.eb"))[0], ROOT))).group(1)
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, PATH=os.path.dirname(gpusight) + ":" + os.environ["PATH"])
        done = subprocess.run(["sh", "-c", line.replace("%(builddir)s", folder)], env=env, capture_output=True)
        check("EasyBuild: the command at the end", done.returncode == 0, done.stderr)


# ---- the module file


STAND_IN = r"""
proc module-whatis {words} { puts "whatis" }
proc conflict {name} { puts "conflict $name" }
proc prepend-path {name place} { puts "$name $place" }
proc append-path {name place} { puts "$name $place" }
proc setenv {name value} { puts "$name $value" }
"""


def check_module():
    tclsh = shutil.which("tclsh")
    if not tclsh:
        print("no tclsh here: the module file is not read")
        return
    with tempfile.TemporaryDirectory() as root:
        for libraries in ("lib/x86_64-linux-gnu", "lib64", "lib"):
            place = os.path.join(root, libraries.replace("/", "_"))
            os.makedirs(os.path.join(place, libraries))
            with open(os.path.join(place, libraries, "libgpusight.so.0"), "w", encoding="ascii"):
                pass
            text = re.sub(r"^set root .*$", f"set root {place}", read("packaging/modulefiles/gpusight"), flags=re.M)
            done = subprocess.run([tclsh], input=STAND_IN + text, capture_output=True, text=True)
            lines = done.stdout.splitlines()
            check(f"the module file, {libraries}", done.returncode == 0 and not done.stderr and
                  f"PATH {place}/bin" in lines and f"LD_LIBRARY_PATH {place}/{libraries}" in lines and
                  f"PKG_CONFIG_PATH {place}/{libraries}/pkgconfig" in lines and
                  sum(line.startswith("LD_LIBRARY_PATH") for line in lines) == 1, done.stdout + done.stderr)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    o = p.parse_args()
    check_spack()
    check_easybuild()
    check_sanity_command(os.path.abspath(o.gpusight))
    check_module()
    return tell.failures > 0


if __name__ == "__main__":
    sys.exit(main())
