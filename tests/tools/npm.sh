# shellcheck shell=sh disable=SC2154
# What tests with packages of npm share; to be sourced, with `here` (the test's folder, which holds
# package.json and package-lock.json) and `work` (where packages go, as package-lock.json has them).

skip() {
    echo "skipped: $1"
    exit 77
}

need() {
    for program; do
        command -v "$program" >/dev/null || skip "no $program"
    done
}

fetch_packages() {
    mkdir -p "$work"
    cp "$here/package.json" "$here/package-lock.json" "$work"
    (
        flock 9
        if ! cmp -s "$here/package-lock.json" "$work/node_modules/.of"; then
            npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund >"$work/npm.log" 2>&1 ||
                exit 1
            cp "$here/package-lock.json" "$work/node_modules/.of"
        fi
    ) 9>"$work/lock" || skip "cannot fetch packages, see $work/npm.log"
}
