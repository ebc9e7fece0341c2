#!/usr/bin/env python3
"""Long texts about a sound trace: reports that are verified, and answers of language models.

    texts.py PROGRAM                    a quarter of a megabyte of each
    texts.py PROGRAM --kilobytes 60000  as much as is taken

Each repeats something that is looked at from every place it stands at: time must grow as the text does.
"""
import argparse
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import sandbox
import seeds

# {name of the file: (head, what is repeated, foot)}
REPORTS = {
    "dates.txt": ("", "1-", ""),
    "clocks.txt": ("", "1:", ""),
    "thousands.txt": ("", "1,111,", ""),
    "ranges.txt": ("", "12 ms to ", "13 ms"),
    "sentence.txt": ("", "12.5 GB/s of 14 kernels about gemm_k, ", "."),
    "what_if.txt": ("What if ", "kernels 'a' take 0.5", " instead of "),
    "numbers.json": ("[", "1111,", "1]"),
    "plan.json": ('{"runs":1,"goals":["timeline"],"gpu":{"source":"as given"},"app":[', '"aaaaaaaaaaaaaaaaaaaaaaaaaa",', '"b"]}'),
    "captures.json": ('{"runs":1,"gpu":{"source":"x"},"captures":[', '{"command":"aaaaaaaaaaaaaaaaaa"},', "{}]}"),
    "keys.json": ("{", '"k\\u0001\\n":12345,', '"z":1}'),
    "lines.json": ("", '{"a":{"b":{"c":[1]}}}\n', ""),
    "rows.html": ("<table>", "<tr><td>gemm<td>12 ms<td>5", "</table>"),
    "cells.html": ("<table><tr>", "<td>12 ms", "</table>"),
    "open.html": ("", "<div><b><i>12 ms", ""),
    "rows.csv": ("name,calls,ms\n", "gemm,12,14\n", ""),
    "cells.csv": ("name,calls,ms\n", "12,", ""),
    "quotes.csv": ('"', '""12', ""),
    "table.md": ("# x\n|a|b|\n|-|-|\n", "|gemm|12 ms|\n", ""),
    "headings.md": ("", "# 12 ms\n", ""),
    "fences.md": ("", "```12 ms\n", ""),
}

# What a model may say: figures in every form, and marks that are looked for.
ANSWERS = {
    "figures": "the GPU is busy 81.6 % of 607 ms with 1,800 kernels; ",
    "dates": "1-",
    "lines": "- gemm takes 12 ms\n",
    "fences": "```json\n{",
    "table": "|gemm|12 ms|5|\n",
    "names": "K1 S2 H3 P4 ",
}


def repeated(head, unit, foot, size):
    return head + unit * ((size - len(head) - len(foot)) // len(unit)) + foot


class Texts:
    def __init__(self, program, folder, sanitized):
        self.program, self.folder, self.sanitized = program, folder, sanitized
        self.trace = seeds.rocpd(f"{folder}/sound.db")
        self.failed, self.done, self.longest, self.largest = 0, 0, (0, ""), (0, "")
        os.makedirs(f"{folder}/tmp")

    def check(self, name, *words):
        o = sandbox.run([self.program, *words], self.folder, f"{self.folder}/tmp", self.sanitized,
                        env={"ANTHROPIC_API_KEY": "none"})
        self.done += 1
        self.longest = max(self.longest, (o.cpu_s, name))
        self.largest = max(self.largest, (o.peak_mb, name))
        line = " ".join(w for w in words if not w.startswith("/"))
        for wrong, what in ((o.late or o.code not in (0, 1, 2), f"exit code {o.code}: {o.err[-300:]!r}"),
                            (o.cpu_s > sandbox.CPU_S * (6 if self.sanitized else 1), f"{o.cpu_s:.1f} s of processor time"),
                            (o.peak_mb > sandbox.MEMORY_MB and not self.sanitized, f"{o.peak_mb:.0f} MB of memory"),
                            (o.code == 2 and b"too many" not in o.err, f"refused: {o.err[-300:]!r}"),
                            (sandbox.CONTROL.search(o.out), "control characters in its output")):
            if wrong:
                self.failed += 1
                print(f"not ok - {name}: gpusight {line}: {what}", flush=True)

    def report(self, name, parts, size):
        path = seeds.write_text(f"{self.folder}/{name}", repeated(*parts, size))
        self.check(name, "verify", path, self.trace, "--json")
        self.check(name, "verify", path, self.trace, "--by-words", "--all")
        os.unlink(path)

    def answer(self, name, unit, size):
        path = seeds.write_text(f"{self.folder}/{name}.jsonl", json.dumps({
            "exchange": 1, "provider": "anthropic", "model": "m", "sha256": "00", "request": "{}",
            "events": [{"text": repeated("", unit, "", size)}, {"stop": "end"}]}) + "\n")
        for words in (["ask", "--question", "why"], ["analyze"]):
            self.check(name, words[0], self.trace, *words[1:], "--llm", "anthropic", "--yes", "--llm-replay", path)
        os.unlink(path)


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("program")
    args.add_argument("--kilobytes", type=int, default=256)
    args.add_argument("--only", default="")
    args.add_argument("--sanitized", action="store_true")
    args = args.parse_args()
    program = os.path.abspath(args.program)
    seeds.set_program(program)
    with tempfile.TemporaryDirectory(prefix="texts-") as folder:
        t = Texts(program, folder, args.sanitized)
        for name, parts in REPORTS.items():
            if args.only in name:
                t.report(name, parts, args.kilobytes << 10)
        for name, unit in ANSWERS.items():
            if args.only in name:
                t.answer(name, unit, args.kilobytes << 10)
    print("# longest {:.1f} s ({}), largest {:.0f} MB ({})".format(*t.longest, *t.largest))
    print(f"# {t.done} commands, {t.failed} faults")
    return 1 if t.failed or not t.done else 0


if __name__ == "__main__":
    sys.exit(main())
