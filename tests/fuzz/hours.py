#!/usr/bin/env python3
"""Runs the fuzz targets that had the least time so far, and keeps the account: hours.csv.

    tests/fuzz/hours.py [--build DIR] [--jobs N] [--hours H] [--minutes M] [TARGET...]

Each target, or each that is named, is to have H hours of CPU (1) in all runs together; this run ends
after M minutes, at an interrupt, or when all have them. Time is that of the processor, as the kernel
counts it for a target that ended well. One that fails is not run again until the account is read
anew: its input lies in DIR/crashes with the log, and its time does not count.

tests/fuzz/run.sh 1 DIR builds the targets.
"""

import argparse
import csv
import os
import re
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ACCOUNT = os.path.join(HERE, "hours.csv")
SLICE_S = 180
FIELDS = ["target", "cpu_s", "inputs"]


def targets():
    return sorted(name[5:-2] for name in os.listdir(HERE) if re.fullmatch(r"fuzz_\w+\.c", name))


def read_account():
    account = {name: {"cpu_s": 0, "inputs": 0} for name in targets()}
    if os.path.exists(ACCOUNT):
        with open(ACCOUNT, newline="") as file:
            for row in csv.DictReader(file):
                if row["target"] in account:
                    account[row["target"]] = {"cpu_s": int(row["cpu_s"]), "inputs": int(row["inputs"])}
    return account


def write_account(account):
    with open(ACCOUNT + ".tmp", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(FIELDS)
        for name in sorted(account):
            out.writerow([name, account[name]["cpu_s"], account[name]["inputs"]])
    os.replace(ACCOUNT + ".tmp", ACCOUNT)


class Run:
    """One target in one process, until it has had its slice of the processor."""

    def __init__(self, build, name):
        self.name = name
        self.log = os.path.join(build, "crashes", f"{name}.log")
        grown = os.path.join(build, "corpus", name)
        os.makedirs(grown, exist_ok=True)
        seeds = os.path.join(HERE, "corpus", name)
        command = [os.path.join(build, "tests", "fuzz", f"fuzz_{name}"), "-timeout=10",
                   "-rss_limit_mb=1500", "-malloc_limit_mb=400", "-max_len=65536", "-print_final_stats=1",
                   f"-artifact_prefix={build}/crashes/{name}-", grown]
        if os.path.isdir(seeds):
            command.append(seeds)
        with open(self.log, "w") as log:
            self.child = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                          preexec_fn=lambda: os.nice(19))
        self.told = False

    def cpu_s(self):
        with open(f"/proc/{self.child.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        if not self.told:
            self.child.send_signal(signal.SIGINT)
            self.told = True

    def ended(self):
        """None while it runs, else (status, seconds of CPU)."""
        pid, status, used = os.wait4(self.child.pid, os.WNOHANG)
        if not pid:
            return None
        self.child.returncode = status # it has been waited for
        return status, used.ru_utime + used.ru_stime

    def inputs(self):
        with open(self.log, errors="replace") as file:
            found = re.findall(r"^stat::number_of_executed_units: +(\d+)", file.read(), re.M)
        return int(found[-1]) if found else 0


def next_target(account, running, failed, enough_s):
    left = [name for name in account
            if name not in running and name not in failed and account[name]["cpu_s"] < enough_s]
    return min(left, key=lambda name: (account[name]["cpu_s"], name), default=None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default="build-fuzz")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--hours", type=float, default=1)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("target", nargs="*", choices=[[], *targets()])
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    os.makedirs(os.path.join(build, "crashes"), exist_ok=True)
    account, running = read_account(), {}
    failed = set(account) - set(options.target) if options.target else set()
    end = time.monotonic() + options.minutes * 60
    stopping = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.append(True))
    while True:
        late = bool(stopping) or time.monotonic() > end
        while not late and len(running) < options.jobs:
            name = next_target(account, running, failed, options.hours * 3600)
            if name is None:
                break
            running[name] = Run(build, name)
        if not running:
            break
        time.sleep(0.5)
        for name, run in list(running.items()):
            done = run.ended()
            if done is None:
                if late or run.cpu_s() >= SLICE_S:
                    run.stop()
                continue
            del running[name]
            status, cpu_s = done
            # libFuzzer calls an interrupt 72 << 8, and a run that came to its own end 0
            if status in (0, 72 << 8):
                account[name]["cpu_s"] += int(cpu_s)
                account[name]["inputs"] += run.inputs()
                write_account(account)
                print(f"ok - fuzz {name}: {cpu_s:.0f} s, {run.inputs()} inputs, "
                      f"{account[name]['cpu_s'] / 60:.1f} minutes in all", flush=True)
            else:
                failed.add(name)
                print(f"not ok - fuzz {name}: see {run.log}", flush=True)
    return 1 if failed & set(options.target or account) else 0


if __name__ == "__main__":
    sys.exit(main())
