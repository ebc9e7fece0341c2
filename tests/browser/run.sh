#!/bin/sh
# Runs one browser test: run.sh GPUSIGHT WORK-FOLDER TEST.mjs
#
# Needs node, npm and chromium; without them, or when the packages cannot be fetched, the test is
# skipped (exit 77) with a line that says why. Packages go to the work folder, as
# package-lock.json has them; screenshots and pages go to output/ in it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
gpusight=$1 work=$2 test=$3
# shellcheck source=tests/tools/npm.sh
. "$here/../tools/npm.sh"

need node npm
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "no chromium"

mkdir -p "$work/output"
fetch_packages

export GPUSIGHT="$gpusight" BROWSER="$browser" WORK="$work"
# Once more after a failure: a browser on a busy machine misses its time limits now and then.
node --test-reporter=spec --test "$here/$test" || node --test-reporter=spec --test "$here/$test"
