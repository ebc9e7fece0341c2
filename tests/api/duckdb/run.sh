#!/bin/sh
# Tables in DuckDB, through Arrow: run.sh GPUSIGHT LIBRARY WORK-FOLDER [--all]
#
# Needs node's npm for DuckDB's library; without it, or when that cannot be fetched, the test is skipped
# (exit 77) with a line that says why. Packages go to the work folder, as package-lock.json has them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
gpusight=$1 library=$2 work=$3/duckdb
shift 3
. "$here/../../tools/npm.sh"

need npm
[ "$(uname -m)" = x86_64 ] || skip "DuckDB's library is fetched for x86-64 only"
fetch_packages

exec python3 "$here/scan.py" --gpusight "$gpusight" --library "$library" \
    --duckdb "$work/node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so" "$@"
