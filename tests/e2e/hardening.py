#!/usr/bin/env python3
"""The program as built: what the linker and the compiler put between a mistake and its misuse.

    hardening.py --gpusight GPUSIGHT --compiler gcc|clang

Reads the ELF file with readelf and the code with objdump (both of binutils).
"""
import argparse
import platform
import re
import subprocess
import sys


def read(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("--compiler", required=True)
    o = parser.parse_args()
    header = read("readelf", "-Wh", o.gpusight)
    segments = read("readelf", "-Wl", o.gpusight)
    dynamic = read("readelf", "-Wd", o.gpusight)
    symbols = read("readelf", "-W", "--dyn-syms", o.gpusight)
    code = read("objdump", "-d", "--no-show-raw-insn", o.gpusight)
    stack = re.search(r"GNU_STACK.* (R?W?E?) +0x", segments)
    fortified = set(re.findall(r" (__\w+_chk)@", symbols))
    checks = {
        "position independent": "DYN" in header and re.search(r"FLAGS_1\).*\bPIE\b", dynamic),
        "relocations are read-only": "GNU_RELRO" in segments,
        "all of them, at the start": re.search(r"\(FLAGS\).*BIND_NOW|FLAGS_1\).*\bNOW\b", dynamic),
        "no code on the stack": stack and "E" not in stack[1],
        "no segment to write and run": not re.search(r"LOAD.* RWE ", segments),
        "no path to look for libraries": not re.search(r"\(R(UN)?PATH\)", dynamic),
        # Loaded when they are needed (base/library.h): with them come 40 others, and 5 ms at each start.
        "no library but those that every command needs": not re.search(r"NEEDED.*lib(cairo|curl|pq|mpi)", dynamic),
        "stack protector": "__stack_chk_fail" in symbols,
        # libiberty has one or two of its own; memcpy and printf are ours.
        "fortified calls": len(fortified) >= 5,
    }
    if platform.machine() == "x86_64":
        main_code = code.split("<main>:")[1].split("\n\n")[0]
        checks["indirect branches have marked targets"] = "endbr64" in main_code
        probe = r"or[lq]? +\$0x0,\(%rsp\)" if o.compiler == "gcc" else r"mov[lq]? +\$0x0,\(%rsp\)"
        checks["large frames touch every page"] = re.search(probe, code)
    missing = [name for name, good in checks.items() if not good]
    print(f"{len(checks)} checks, {len(fortified)} fortified calls: {' '.join(sorted(fortified))}")
    for name in missing:
        print("missing:", name)
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
