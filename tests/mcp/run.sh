#!/bin/sh
# The MCP server driven by the official client library: run.sh GPUSIGHT WORK-FOLDER
#
# Needs node and npm; without them, or when the packages cannot be fetched, the test is skipped
# (exit 77) with a line that says why. Packages go to the work folder, as package-lock.json has them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
gpusight=$1 work=$2
# shellcheck source=tests/tools/npm.sh
. "$here/../tools/npm.sh"

need node npm
fetch_packages
cp "$here/official.mjs" "$work"

export GPUSIGHT="$gpusight" WORK="$work"
exec node --test-reporter=spec --test "$work/official.mjs"
