#!/bin/sh
# The MCP server driven by the official client library: run.sh GPUSIGHT WORK-FOLDER
#
# Needs node and npm; without them, or when the packages cannot be fetched, the test is skipped
# (exit 77) with a line that says why. Packages go to the work folder, as package-lock.json has them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
gpusight=$1 work=$2

skip() {
    echo "skipped: $1"
    exit 77
}

for program in node npm; do
    command -v "$program" >/dev/null || skip "no $program"
done
mkdir -p "$work"
cp "$here/package.json" "$here/package-lock.json" "$here/official.mjs" "$work"
(
    flock 9
    if ! cmp -s "$here/package-lock.json" "$work/node_modules/.of"; then
        npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund >"$work/npm.log" 2>&1 ||
            exit 1
        cp "$here/package-lock.json" "$work/node_modules/.of"
    fi
) 9>"$work/lock" || skip "cannot fetch packages, see $work/npm.log"

export GPUSIGHT="$gpusight" WORK="$work"
exec node --test-reporter=spec --test "$work/official.mjs"
