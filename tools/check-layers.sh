#!/bin/sh
# Checks the shape of the source tree:
#   - a file includes only its own layer or lower ones (the table below is ARCHITECTURE's),
#   - rooms of layer 9 stand alone: none includes another,
#   - reports and renderers run no analysis,
#   - no file in src has more than 600 lines (.def lists are data and exempt).
# Prints every breach and a final count; exit 1 when there is one.
set -eu
cd "$(dirname "$0")/.."

# shellcheck disable=SC2016
find src include tests tools -name '*.[ch]' | LC_ALL=C sort | xargs awk '
    BEGIN {
        rooms = "base 0 " \
            "field 1 model 1 team 1 " \
            "cache 2 guide 2 ingest 2 metric 2 source 2 synth 2 " \
            "analyze 3 att 3 depend 3 job 3 tally 3 workload 3 " \
            "advise 4 compare 4 plan 4 " \
            "convert 5 run 5 " \
            "fleet 6 query 6 report 6 rewrite 6 " \
            "compat 7 render 7 verify 7 " \
            "launch 8 llm 8 tool 8 " \
            "agent 9 dist 9 evaluate 9 mcp 9 serve 9 session 9 tui 9 " \
            "api 10 cli 10"
        split(rooms, words, " ")
        for (i = 1; words[i] != ""; i += 2)
            layer[words[i]] = words[i + 1]
        most = 600
    }
    function breach(text) { print text; breaches++ }
    FNR == 1 {
        files++
        split(FILENAME, path, "/")
        room = path[1] == "src" ? path[2] : ""
        if (room != "" && !(room in layer))
            breach(FILENAME ": room \"" room "\" has no layer; add it to tools/check-layers.sh")
    }
    (room == "report" || room == "render") && /analysis_run\(|->run\(/ {
        breach(FILENAME ":" FNR ": " room " runs an analysis; make it before, in src/analyze")
    }
    room != "" && FNR == most + 1 { breach(FILENAME ": more than " most " lines") }
    room != "" && /^[ \t]*#[ \t]*include[ \t]*"[a-z_]+\// {
        split($0, quoted, "\"")
        split(quoted[2], target, "/")
        to = target[1]
        if (to == "gpusight")
            next
        where = FILENAME ":" FNR ": "
        if (!(to in layer))
            breach(where "includes \"" quoted[2] "\" of no known room")
        else if (layer[to] > layer[room])
            breach(where room " (layer " layer[room] ") includes \"" quoted[2] "\" (layer " layer[to] ")")
        else if (layer[room] == 9 && layer[to] == 9 && to != room)
            breach(where room " and " to " must not know each other")
    }
    path[1] == "include" && /#[ \t]*include[ \t]*"/ && !/"gpusight\// {
        breach(FILENAME ":" FNR ": a public header includes only public headers")
    }
    END {
        printf "%d files, %d breaches\n", files, breaches
        exit breaches > 0
    }'
