#!/usr/bin/env python3
"""Makes the wheel, with libgpusight inside, from the standard library alone.

    python/backend.py --library build-wheel/src/api/libgpusight.so.0.1.0 -o dist
    pip install ./python                    # the same through pip; builds the library where none is named

GPUSIGHT_LIBRARY names the library for pip. The same files give the same bytes.
"""
import argparse
import base64
import hashlib
import os
import re
import subprocess
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
WHEEL_OPTIONS = [f"-D{f}=disabled" for f in ("cairo", "otf2", "llm", "edit")]


def version():
    with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as f:
        return re.search(r"^  version: '(.*)',$", f.read(), re.M).group(1)


def built_library():
    """Built as for a wheel: only libsqlite3, libz and libzstd are needed beside libc."""
    folder = os.path.join(ROOT, "build-wheel")
    name = f"src/api/libgpusight.so.{version()}"
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        subprocess.run(["meson", "setup", folder, ROOT, "-Dtests=false", *WHEEL_OPTIONS], check=True)
    subprocess.run(["ninja", "-C", folder, name], check=True)
    return os.path.join(folder, name)


def metadata():
    with open(os.path.join(ROOT, "docs", "library.md"), encoding="utf-8") as f:
        manual = f.read()
    return ("Metadata-Version: 2.1\nName: gpusight\n"
            f"Version: {version()}\nSummary: analysis of GPU performance traces\nLicense: MIT\n"
            "Requires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n" + manual)


def contents(library):
    """{name in the wheel: bytes}, in the order of their names."""
    files = {}
    package = os.path.join(HERE, "gpusight")
    for name in os.listdir(package):
        if name.endswith((".py", ".pyi")) or name == "py.typed":
            with open(os.path.join(package, name), "rb") as f:
                files["gpusight/" + name] = f.read()
    with open(library, "rb") as f:
        files["gpusight/libgpusight.so.0"] = f.read()
    info = f"gpusight-{version()}.dist-info/"
    files[info + "METADATA"] = metadata().encode()
    files[info + "WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: gpusight {version()}\n"
                             f"Root-Is-Purelib: false\nTag: {tag()}\n").encode()
    with open(os.path.join(ROOT, "LICENSE"), "rb") as f:
        files[info + "LICENSE"] = f.read()
    rows = []
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(files[name])}\n")
    files[info + "RECORD"] = ("".join(rows) + info + "RECORD,,\n").encode()
    return dict(sorted(files.items()))


def tag():
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def make_wheel(folder, library):
    os.makedirs(folder, exist_ok=True)
    name = f"gpusight-{version()}-{tag()}.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as z:
        for path, data in contents(library).items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path.endswith(".so.0") else 0o100644) << 16
            z.writestr(entry, data)
    return name


# ---- what pip asks for (PEP 517)


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return make_wheel(wheel_directory, os.environ.get("GPUSIGHT_LIBRARY") or built_library())


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the source archive is made by 'make dist'")


def main():
    p = argparse.ArgumentParser(description="makes the wheel")
    p.add_argument("--library", help="libgpusight.so (built where not given)")
    p.add_argument("-o", "--output", default="dist", help="folder (dist)")
    o = p.parse_args()
    print(os.path.join(o.output, make_wheel(o.output, o.library or built_library())))


if __name__ == "__main__":
    main()
