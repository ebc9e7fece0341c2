"""The options that profilers really have; commands in advice may use no other.

rocprofv3, rocprof-sys and rocprof-compute of ROCm 6.4 to 7, Nsight Systems and Compute of 2024 and
later. The value says whether an option takes one.
"""
FLAG, VALUE = False, True


def options(flags="", values=""):
    return {**dict.fromkeys(flags.split(), FLAG), **dict.fromkeys(values.split(), VALUE)}


TOOLS = {
    "rocprofv3": options(
        "--hip-trace --hip-runtime-trace --hip-compiler-trace --hsa-trace --hsa-core-trace "
        "--hsa-amd-trace --hsa-image-trace --hsa-finalizer-trace --kernel-trace --kokkos-trace "
        "--marker-trace --memory-allocation-trace --memory-copy-trace --rccl-trace "
        "--rocdecode-trace --rocjpeg-trace --runtime-trace --scratch-memory-trace --sys-trace "
        "--stats --summary --summary-per-domain --kernel-rename --truncate-kernels "
        "--mangled-kernels --selected-regions --group-by-queue --list-avail --output-config "
        "--disable-signal-handlers --benchmark-mode",
        "--pmc --kernel-include-regex --kernel-exclude-regex --kernel-iteration-range "
        "--collection-period --collection-period-unit --output-directory --output-file "
        "--output-format --log-level --preload --pid --input --extra-counters --agent-index "
        "--minimum-output-data --summary-groups --summary-output-file --summary-units"),
    "rocprof-sys-sample": options("--trace --profile --flat-profile --host --device --hip-trace",
                                  "--freq --output --cputime --realtime"),
    "rocprof-sys-run": options("--trace --profile", "--output"),
    "rocprof-compute": options("--no-roof --roof-only", "--name --kernel --dispatch --block --path --set"),
    "nsys": options("", "--trace --sample --cudabacktrace --gpu-metrics-device --gpu-metrics-devices "
                        "--capture-range --output --cuda-memory-usage --mpi-impl"),
    "ncu": options("", "--set --section --kernel-name --launch-count --launch-skip --metrics --export"),
}
SUBCOMMANDS = {"rocprof-compute": "profile", "nsys": "profile"}
# What of these a trace already holds, see `capabilities` in the JSON.
CAPTURES = {"--kernel-trace": "kernels", "--hip-trace": "api", "--memory-copy-trace": "copies",
            "--memory-allocation-trace": "allocations", "--marker-trace": "markers"}
# Counters of one block that fit in one pass, gfx908 to gfx950.
BLOCK_LIMITS = {"SQ": 8, "TA": 2, "TD": 2, "TCP": 4, "TCC": 4, "CPC": 2, "CPF": 2, "SPI": 6, "GRBM": 2,
                "GDS": 4}
