"""What must be true of every finding, and of all of them together. Functions return what is wrong."""
import math
import shlex

import profilers

PRIORITIES = ("HIGH", "MEDIUM", "LOW", "INFO")
LEAST_SHARE_PCT = 2.0
BOTTLENECKS = set("compute_bound memory_bound mpi_latency mpi_imbalance cpu_launch_overhead "
                  "synchronization io other transfer_bound idle_host".split())
ACTIONS = {"runtime_config", "launch_config", "code_optimization", "algorithm"}


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def claims(finding, doc):
    ledger = {c["cause"]: c["ns"] for c in doc["ledger"]["causes"]}
    for claim in finding["claims"]:
        if not 0 < claim["ns"] <= ledger.get(claim["cause"], 0):
            yield f"claims {claim}, the ledger has {ledger.get(claim['cause'])}"
    if sum(c["ns"] for c in finding["claims"]) != finding["claimed_ns"]:
        yield "claimed_ns is not the sum of its claims"


def all_claims(doc):
    left = {c["cause"]: c["ns"] for c in doc["ledger"]["causes"]}
    for finding in doc["recommendations"]:
        for claim in finding["claims"]:
            left[claim["cause"]] -= claim["ns"]
    if min(left.values()) < 0:
        yield f"time is claimed twice: {left}"


def gain(finding, doc):
    time = doc["ledger"]["window_ns"] * doc["ledger"]["gpu_count"]
    share = finding["claimed_ns"] / time if time else 0
    if not near(finding["runtime_fraction_pct"], 100 * share):
        yield f"runtime_fraction_pct is {finding['runtime_fraction_pct']}, not {100 * share}"
    yield from prediction(finding)
    if 100 * share < LEAST_SHARE_PCT and finding["priority"] != "INFO":
        yield f"{finding['priority']} for {100 * share:.2f} % of the window"


def faster_pct(finding, after):
    return None if finding[after] <= 0 else 100 * (finding["recorded_ns"] / finding[after] - 1)


def prediction(finding):
    """A time after the advice, within its interval; nothing gets slower by following it."""
    lower, upper = finding["estimated_speedup_pct_lower"], finding["estimated_speedup_pct_upper"]
    by, time = finding["predicted_by"], finding["predicted_ns"]
    if upper is not None and lower is not None and not -1e-9 <= lower <= upper + 1e-9:
        yield f"faster by {lower} to {upper} %"
    if by is None:
        if time is not None or finding["next_limit"] is not None:
            yield "a prediction by nothing"
        return
    if by not in ("replay", "amdahl"):
        yield f"predicted by {by}"
    if not 0 <= finding["predicted_low_ns"] <= time <= finding["predicted_high_ns"] <= finding["recorded_ns"]:
        yield (f"predicts {time} between {finding['predicted_low_ns']} and {finding['predicted_high_ns']} "
               f"of {finding['recorded_ns']}")
    if time and not near(finding["predicted_speedup"], finding["recorded_ns"] / time):
        yield f"the speed-up {finding['predicted_speedup']} is not recorded / predicted"
    if (finding["next_limit"] is None) != (by == "amdahl"):
        yield "only a replay knows the next limit"
    if by == "replay":
        for value, after in ((lower, "predicted_high_ns"), (upper, "predicted_low_ns")):
            expected = faster_pct(finding, after)
            if (value is None) != (expected is None) or (value is not None and not near(value, expected)):
                yield f"faster by {value} %, not {expected}"


def evidence(finding, doc):
    if not finding["evidence"]:
        yield "no evidence"
    start, end = doc["ledger"]["start_ns"], doc["ledger"]["end_ns"]
    for e in finding["evidence"]:
        if not e["text"]:
            yield "evidence without text"
        if e["metric"] is None and e["start_ns"] is None:
            yield f"evidence '{e['text']}' has neither a number nor a place"
        if e["metric"] is not None and e["value"] is None:
            yield f"evidence '{e['text']}' has no value"
        if e["start_ns"] is not None and not (e["start_ns"] <= end and e["end_ns"] >= start):
            yield f"evidence '{e['text']}' lies outside of the window"


def words(finding):
    for key in ("id", "title", "issue", "suggestion", "category", "scope", "confidence_reason"):
        if not finding[key]:
            yield f"{key} is empty"
    if finding["priority"] not in PRIORITIES:
        yield f"priority {finding['priority']}"
    if finding["bottleneck_type"] not in BOTTLENECKS:
        yield f"bottleneck_type {finding['bottleneck_type']}"
    if finding["action_category"] not in ACTIONS:
        yield f"action_category {finding['action_category']}"
    if not 0 <= finding["confidence"] <= 1:
        yield f"confidence {finding['confidence']}"


def command(c, doc):
    """One profiler command: real options, well quoted, nothing that is already captured."""
    if any(ord(ch) < 32 or ord(ch) == 127 for ch in c["full_command"]):
        yield "control characters in a command"
    try:
        _, options, _ = profilers.parse(shlex.split(c["full_command"]))
    except ValueError as fault:
        yield f"{fault} in '{c['full_command']}'"
        return
    has = {key for key, present in doc["capabilities"].items() if present}
    archs = {g["architecture"] for g in doc["profiling_info"]["gpus"] if g["vendor"] == "AMD"}
    asked = [name for name, _ in options if name in profilers.CAPTURES]
    if asked and all(profilers.CAPTURES[name] in has for name in asked):
        yield f"{asked} are already captured"
    if "--hip-trace" in asked and "--kernel-trace" not in asked:
        yield "host calls without kernels of the same run do not say why a GPU is idle"
    for name, values in options:
        for arch in archs if name == "--pmc" else ():
            yield from profilers.pass_faults(values, arch)


def finding(f, doc):
    """All that is wrong with one finding."""
    yield from words(f)
    yield from claims(f, doc)
    yield from gain(f, doc)
    yield from evidence(f, doc)
    for c in f["commands"]:
        yield from command(c, doc)


def document(doc):
    """All that is wrong with the findings of a document, and with its ledger."""
    ledger = doc["ledger"]
    for gpu in ledger["gpus"]:
        if sum(c["ns"] for c in gpu["causes"]) != ledger["window_ns"]:
            yield f"the ledger of GPU {gpu['gpu']} does not add up to the window"
    if sum(c["ns"] for c in ledger["causes"]) != ledger["window_ns"] * ledger["gpu_count"]:
        yield "the ledger does not add up to GPUs x window"
    yield from all_claims(doc)
    for f in doc["recommendations"]:
        for wrong in finding(f, doc):
            yield f"{f['rule']}: {wrong}"
    ids = [f["id"] for f in doc["recommendations"]]
    if len(set(ids)) != len(ids):
        yield f"ids repeat: {ids}"
    infos = [f["priority"] == "INFO" for f in doc["recommendations"]]
    if infos != sorted(infos):
        yield "a finding that is only INFO stands before one that is more"
