#!/bin/sh
# Checks that numbers of files are added up with care (the rule is in src/base/sat.h):
#   - no `+=`, `-=`, `*=` on what is called ..._ns or ..._bytes, unless the right side starts with
#     (double): add_ns(), sub_ns(), mul_ns(), add_bytes(),
#   - no cast from a double to an integer, no lround() and the like: ns_from(), count_from(),
#     int_from(),
#   - no product of two times or of a time and a number: mul_ns(),
#   - every trace passes the door (ingest/door.c) and every number of a profile is bounded.
# A line that is safe for another reason says so: /* in range: why */.
# Prints every breach and a final count; exit 1 when there is one.
set -eu
cd "$(dirname "$0")/.."

# shellcheck disable=SC2016
find src -name '*.[ch]' | grep -Ev '^src/(base|model|source|metric)/' | LC_ALL=C sort | xargs awk '
    function breach(text) { print FILENAME ":" FNR ": " text; breaches++ }
    BEGIN {
        value = "(^|[^a-zA-Z0-9_])([a-z0-9_]*_)?(ns|bytes)"
        sum = value "(\\[[^=]*\\])?\\)? *[-+*]= "
        product = value "(\\[[^]]*\\])? \\* [a-z(]"
        whole = "\\((u?int(8|16|32|64)_t|size_t|int|long|long long|unsigned|int8_t)\\)"
        cast = whole "\\(?(\\(double\\)|fabs|floor|ceil|round|sqrt|log2|exp2|pow|fmin|fmax|[a-z_.>-]*_(us|pct|gib|gbps|mhz) |[a-z_.>-]*(mean|avg)[a-z_]*\\))"
    }
    FNR == 1 { files++ }
    /in range: / { next }
    FILENAME !~ /ingest/ && match($0, sum) && substr($0, RSTART + RLENGTH) !~ /^\(double\)/ {
        breach("a sum may overflow; use add_ns(), sub_ns(), mul_ns() or add_bytes()")
    }
    FILENAME !~ /ingest/ && $0 ~ product && !/double|__int128|^ *\*|\/\*/ {
        breach("a product may overflow; use mul_ns()")
    }
    $0 ~ cast || /[^a-z_](l?lround|l?lrint)\(/ {
        breach("a double need not fit; use ns_from(), count_from() or int_from()")
    }
    FILENAME ~ /render\/profile_/ && /jr_u?int\(/ && !/bound_|\((u?int32_t)\)jr_/ {
        breach("a number of a profile must be bounded: bound_ns(), bound_bytes()")
    }
    /->load\(/ { loads++; if (FILENAME != "src/ingest/ingest.c") breach("loads past the door") }
    FILENAME == "src/ingest/ingest.c" && /door_pass\(/ { doors++ }
    END {
        if (loads != 1 || doors != 1) {
            print "src/ingest/ingest.c: must load in one place and pass the door in one"
            breaches++
        }
        printf "%d files, %d breaches\n", files, breaches
        exit breaches > 0
    }'
