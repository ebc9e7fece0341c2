#!/bin/bash
# Builds the fuzz targets and runs each for some seconds.
#
#     tests/fuzz/run.sh [SECONDS] [BUILD-DIR] [TARGET...]
#
# Seeds come from tests/fuzz/corpus/TARGET; what a run finds new stays in BUILD-DIR/corpus, and an
# input that fails is kept in BUILD-DIR/crashes with the command that repeats it.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${1:-60}
build=${2:-build-fuzz}
shift $(($# < 2 ? $# : 2))
cd "$root"

if ! [ -f "$build/build.ninja" ]; then
    CC=clang meson setup "$build" -Dfuzz=true -Dtests=false --buildtype=debugoptimized \
        -Db_ndebug=false -Db_sanitize=address,undefined -Db_lundef=false \
        -Dc_args='-fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined'
fi
ninja -C "$build"
build=$(cd "$build" && pwd)
mkdir -p "$build/crashes"

passed=0 failed=0
for program in "$build"/tests/fuzz/fuzz_*; do
    if ! [ -f "$program" ] || ! [ -x "$program" ]; then continue; fi
    name=${program##*/fuzz_}
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    seeds=$root/tests/fuzz/corpus/$name
    grown=$build/corpus/$name
    mkdir -p "$grown"
    log=$build/crashes/$name.log
    options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=1500 -malloc_limit_mb=400 -max_len=65536
        -print_final_stats=1 -artifact_prefix="$build/crashes/$name-")
    if [ -d "$seeds" ]; then options+=("$grown" "$seeds"); else options+=("$grown"); fi
    if "$program" "${options[@]}" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok - fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs"
    else
        failed=$((failed + 1))
        echo "not ok - fuzz $name"
        grep -E '^SUMMARY|ERROR|runtime error|Test unit written' "$log" | head -5 | sed 's/^/    /'
        echo "    log: $log"
    fi
done
echo "# $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ] # no target at all is a mistake too
