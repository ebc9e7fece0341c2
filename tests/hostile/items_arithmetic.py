"""Times, sizes and counts near the ends of 64 bits, zero, negative, reversed, not numbers."""
import os
import sqlite3

import seeds
from hostile import item

MOST = seeds.INT64_MAX
MOST_US = MOST // 1000


def _update(path, changes, like="%"):
    """changes: (column, SQL expression); every table that has the column."""
    db = sqlite3.connect(path)
    tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type='table' AND "
                                       "name LIKE ?", (like,))]
    for table in tables:
        columns = [r[1] for r in db.execute(f'PRAGMA table_info("{table}")')]
        for column, value in changes:
            if column in columns:
                db.execute(f'UPDATE OR IGNORE "{table}" SET "{column}"={value}')
    db.commit()
    db.close()
    return path


def time_axis(folder):
    """One kernel of 292 years: a time axis that steps past 2^63 never ends."""
    return seeds.events(f"{folder}/a.json", seeds.kernel_event("k", 0, MOST_US),
                        seeds.kernel_event("k2", 5, 1))


def time_axis_pdf(folder):
    """Two kernels 292 years apart, the first before zero."""
    return seeds.events(f"{folder}/a.json", seeds.kernel_event("k", -(MOST_US // 2), 1),
                        seeds.kernel_event("k", MOST_US // 2, 9))


def whole_range(folder):
    """From the smallest to the largest time that there is."""
    return seeds.events(f"{folder}/a.json", seeds.kernel_event("k", -MOST_US, 9),
                        seeds.kernel_event("k", MOST_US - 9, 9), seeds.kernel_event("m", 0, MOST_US))


def many_long_kernels(folder):
    """Each fits, their sum does not."""
    return seeds.events(f"{folder}/a.json", *(
        seeds.kernel_event(f"k{i % 3}", i, MOST_US - i, stream=i) for i in range(40)))


def odd_numbers(folder):
    """Numbers that JSON allows and nobody expects."""
    text = ",".join('{"ph":"X","cat":"kernel","name":"k","pid":%s,"tid":%s,"ts":%s,"dur":%s,'
                    '"args":{"device":%s,"stream":%s,"correlation":%s,"grid":[%s,%s,1],'
                    '"block":[%s,1,1],"shared memory":%s,"est. achieved occupancy %%":%s}}' % ((n,) * 12)
                    for n in ("1e308", "-1e308", "1e-308", "-0", "0.0000000001", "1e19", "1e400",
                              "9223372036854775807", "9223372036854775808", "-9223372036854775808",
                              "18446744073709551615", "4294967296", "9" * 400, "0." + "3" * 400,
                              "\"7\"", "null", "true", "[]", "{}"))
    return seeds.write_text(f"{folder}/a.json", '{"traceEvents":[' + text + "]}")


def reversed_times(folder):
    """Every event ends before it starts."""
    return _update(seeds.rocpd(f"{folder}/a.db"), [("end", "start - 1000")])


def zero_times(folder):
    """Everything happens at once and takes no time."""
    return _update(seeds.rocpd(f"{folder}/a.db"), [("start", "5"), ("end", "5")])


def far_times_rocpd(folder):
    """Half of all starts are the smallest number, half of all ends the largest."""
    return _update(seeds.rocpd(f"{folder}/a.db"), [
        ("start", f"CASE id % 2 WHEN 0 THEN -{MOST} - 1 ELSE start END"),
        ("end", f"CASE id % 3 WHEN 0 THEN {MOST} ELSE \"end\" END")])


def far_times_rpd(folder):
    """The same in an RPD file."""
    return _update(seeds.rpd(f"{folder}/a.rpd"), [
        ("start", f"CASE id % 2 WHEN 0 THEN 0 ELSE start END"),
        ("end", f"CASE id % 3 WHEN 0 THEN {MOST} ELSE \"end\" END")])


def far_times_nsys(folder):
    """The same in an Nsight Systems export."""
    return _update(seeds.nsys(f"{folder}/a.sqlite"), [
        ("start", f"CASE rowid % 2 WHEN 0 THEN -{MOST} ELSE start END"),
        ("end", f"CASE rowid % 3 WHEN 0 THEN {MOST} ELSE \"end\" END")])


def huge_sizes_rocpd(folder):
    """Copies, allocations, grids, groups and registers of 2^63 - 1."""
    return _update(seeds.rocpd(f"{folder}/a.db"), [(c, MOST) for c in (
        "size", "grid_size_x", "grid_size_y", "workgroup_size_x", "workgroup_size_y", "sgpr_count",
        "arch_vgpr_count", "group_segment_size", "private_segment_size", "value")])


def huge_sizes_nsys(folder):
    """The same in an Nsight Systems export."""
    return _update(seeds.nsys(f"{folder}/a.sqlite"), [(c, MOST) for c in (
        "bytes", "gridX", "gridY", "gridZ", "blockX", "blockY", "registersPerThread",
        "staticSharedMemory", "dynamicSharedMemory", "smCount", "totalMemory", "clockRate",
        "memoryBandwidth", "value")])


def huge_sizes_rpd(folder):
    """The same in an RPD file."""
    return _update(seeds.rpd(f"{folder}/a.rpd"), [(c, MOST) for c in (
        "size", "gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "groupSegmentSize")])


def huge_ids(folder):
    """Ids of processes, threads, queues and GPUs at the ends of their range."""
    return _update(seeds.rocpd(f"{folder}/a.db"), [
        ("pid", f"-{MOST}"), ("tid", MOST), ("agent_id", MOST), ("stream_id", -1),
        ("queue_id", "4294967296"), ("correlation_id", MOST), ("absolute_index", MOST)])


def wrong_types(folder):
    """Texts, blobs and reals where numbers belong, and the reverse."""
    return _update(seeds.rocpd(f"{folder}/a.db"), [
        ("start", "CASE id % 4 WHEN 0 THEN 'x' WHEN 1 THEN x'00ff' WHEN 2 THEN 1e300 ELSE start END"),
        ("size", "'1e99'"), ("string", "zeroblob(9)"), ("kernel_name", "7"), ("extdata", "'{{{'")])


def far_job(folder):
    """The ranks of a job centuries apart."""
    path = seeds.job(f"{folder}/job")
    first = sorted(os.listdir(path))[0]
    _update(f"{path}/{first}", [("start", f"start + {MOST // 2}"), ("end", f"\"end\" + {MOST // 2}")])
    return path


def far_job_overflow(folder):
    """The same at both ends: the distance of two ranks does not fit."""
    path = seeds.job(f"{folder}/job")
    first, second = sorted(os.listdir(path))[:2]
    _update(f"{path}/{first}", [("start", f"{MOST} - 10000 + id"), ("end", f"{MOST} - 5000 + id")])
    _update(f"{path}/{second}", [("start", f"-{MOST} + id"), ("end", f"-{MOST} + 5000 + id")])
    return path


def workload_numbers(folder):
    """Counters and facts of a workload that are no sane numbers."""
    path = seeds.workload(f"{folder}/work")
    values = ["1e308", "-1", "nan", "inf", "0", str(MOST), str(2**64), "1e-320", "", "x", "0x7f", " 7 "]
    seeds.write_csv(f"{path}/pmc_perf.csv", [
        ["Dispatch_ID", "Kernel_Name", "GPU_ID", "Grid_Size", "Workgroup_Size", "Start_Timestamp",
         "End_Timestamp", "SQ_WAVES", "GRBM_GUI_ACTIVE", "TCC_HIT[0]", "TCC_HIT[4000000000]",
         "SQ_ACCUM_PREV_HIRES"]] + [[v] + ["k"] + [v] * 10 for v in values])
    info = ["workload_name", "gpu_model", "gpu_arch", "se_per_gpu", "cu_per_gpu", "num_xcd",
            "max_sclk", "total_l2_chan", "wave_size", "sqc_per_gpu"]
    seeds.write_csv(f"{path}/sysinfo.csv", [info, ["w", "MI200", "gfx90a"] + [str(MOST)] * 7])
    seeds.write_csv(f"{path}/roofline.csv", [["device", "HBMBw", "L2Bw", "FP32Flops"],
                                             [str(MOST), "1e308", "-1", "nan"]])
    return path


@item(kind="att")
def att_numbers(folder):
    """Cycles, addresses and times of a thread trace near 2^63 and below zero."""
    path = seeds.att(f"{folder}/att")
    ui = f"{path}/ui_output_agent_1_dispatch_2"
    seeds.write_json(f"{ui}/code.json", {"code": [
        [r[0], 0, r[2], r[3], MOST, MOST - 9, MOST, MOST, MOST, -MOST] for r in seeds.ATT_CODE]})
    seeds.write_json(f"{ui}/se0_sm0_sl0_wv0.json", {
        "duration": MOST, "wave": {"id": MOST, "cu": -1, "simd": MOST, "slot": -MOST, "begin": -MOST,
                                   "end": MOST, "instructions": [
                                       [MOST - i, 1, MOST, MOST, 1 + i % 7] for i in range(20)] + [
                                       [-MOST, -1, -MOST, -MOST, MOST]],
                                   "timeline": [[1, MOST], [2, MOST], [MOST, -MOST]]}})
    seeds.write_json(f"{ui}/realtime.json", {"SE0": [[-MOST, MOST], [MOST, -MOST]],
                                             "metadata": {"frequency": 1}})
    seeds.write_json(f"{ui}/occupancy.json", {"0": [[MOST, MOST, MOST, MOST, 1, 2], [-MOST] * 6]})
    os.unlink(f"{path}/stats_ui_output_agent_1_dispatch_2.csv")
    return path


@item(kind="baseline")
def profile_numbers(folder):
    """A saved profile with the largest numbers everywhere."""
    text = open(seeds.profile(f"{folder}/p.json"), encoding="utf-8").read()
    import re  # numbers as values only, not those in names
    return seeds.write_text(f"{folder}/p.json", re.sub(
        r'(?<=[:\[, ])-?\d{3,}(\.\d+)?(?=[,}\]\s])', str(MOST), text))


@item(kind="baseline")
def profile_negative(folder):
    """The same, as small as they can be."""
    text = open(seeds.profile(f"{folder}/p.json"), encoding="utf-8").read()
    import re
    return seeds.write_text(f"{folder}/p.json", re.sub(
        r'(?<=[:\[, ])-?\d+(\.\d+)?(?=[,}\]\s])', str(-MOST - 1), text).replace(
        f'"version":{-MOST - 1}', '"version":1').replace(f'"version": {-MOST - 1}', '"version": 1'))


@item(kind="description")
def description_numbers(folder):
    """A text for synth whose times and sizes do not fit."""
    return seeds.write_text(f"{folder}/a.trace", "gpu MI300X cu=9223372036854775807\n"
                            "kernel k wg=1 blocks=9223372036854775807 dur=9223372036854775807\n"
                            "launch k\nlaunch k\ncopy h2d size=9223372036854775807 bw=1\n"
                            "raw kernel k start=-4000000000000000000 end=4000000000000000000\n"
                            "host 9223372036854775807\nhost 9223372036854775807\n")
