#!/bin/sh
# Tables in DuckDB, through Arrow: run.sh GPUSIGHT LIBRARY WORK-FOLDER [--all]
#
# Needs node's npm for DuckDB's library; without it, or when that cannot be fetched, the test is skipped
# (exit 77) with a line that says why. Packages go to the work folder, as package-lock.json has them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
gpusight=$1 library=$2 work=$3/duckdb
shift 3

skip() {
    echo "skipped: $1"
    exit 77
}

command -v npm >/dev/null || skip "no npm"
[ "$(uname -m)" = x86_64 ] || skip "DuckDB's library is fetched for x86-64 only"
mkdir -p "$work"
cp "$here/package.json" "$here/package-lock.json" "$work"
(
    flock 9
    if ! cmp -s "$here/package-lock.json" "$work/node_modules/.of"; then
        npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund >"$work/npm.log" 2>&1 ||
            exit 1
        cp "$here/package-lock.json" "$work/node_modules/.of"
    fi
) 9>"$work/lock" || skip "cannot fetch DuckDB, see $work/npm.log"

exec python3 "$here/scan.py" --gpusight "$gpusight" --library "$library" \
    --duckdb "$work/node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so" "$@"
