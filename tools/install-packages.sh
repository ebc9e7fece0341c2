#!/bin/sh
# Installs the packages of the named sections of packages.txt, as far as they are missing.
#
#     tools/install-packages.sh build build-optional
#
# Nothing is fetched, and no root is needed, when all of them are there. On systems without dpkg
# the names are printed and the build goes on: what is missing will show there.
set -eu

list=$(dirname "$0")/packages.txt

packages_of() { # SECTION: its lines
    awk -v want="[$1]" '
        /^\[/ { inside = $0 == want; found += inside; next }
        inside && NF && !/^#/ { print $1 }
        END { if (!found) exit 1 }' "$list"
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing_of() { # SECTION: the packages to install
    for line in $(packages_of "$1"); do
        there=
        for name in $(echo "$line" | tr '|' ' '); do
            if is_installed "$name"; then there=yes; fi
        done
        [ -n "$there" ] || echo "${line%%|*}"
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

install() { # PACKAGE...
    echo "installing: $*" >&2
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        echo "install-packages: neither root nor sudo; install by hand: $*" >&2
        return 1
    fi
    # The package lists may be old or absent; fetch them only when the first attempt fails.
    as_root apt-get install -y -q --no-install-recommends "$@" >&2 ||
        { as_root apt-get update -q >&2 &&
            as_root apt-get install -y -q --no-install-recommends "$@" >&2; }
}

[ $# -gt 0 ] || { echo "usage: tools/install-packages.sh SECTION..." >&2; exit 2; }
for section; do
    packages_of "$section" >/dev/null ||
        { echo "install-packages: no section '$section' in $list" >&2; exit 2; }
done
if ! command -v dpkg-query >/dev/null; then
    echo "install-packages: not a Debian system; needed are (Debian names):" >&2
    for section; do packages_of "$section" >&2; done
    exit 0
fi

failed=
for section; do
    missing=$(missing_of "$section")
    [ -n "$missing" ] || continue
    # shellcheck disable=SC2086
    install $missing && continue
    case $section in
    *-optional) echo "install-packages: going on without: $(echo "$missing" | tr '\n' ' ')" >&2 ;;
    *) failed=yes ;;
    esac
done
[ -z "$failed" ]
