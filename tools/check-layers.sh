#!/bin/sh
# Checks the shape of the source tree:
#   - a file includes only its own layer or lower ones (the table below is ARCHITECTURE's),
#   - inside a layer, two rooms do not include each other; rooms of layer 9 stand alone: none
#     includes another,
#   - reports, renderers and shapes of other tools compute nothing: they call no function of the rooms
#     that do (analyze to compare, below) whose name says that it finds something out,
#   - what a room declares it also defines: no call goes up by way of a header below,
#   - lengths of arrays are counted by ARRAY_LEN() (base/array.h),
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
        split("analyze depend job att tally workload metric source advise compare plan", words, " ")
        for (i in words)
            computes[words[i]] = 1
        split("report render compat", words, " ")
        for (i in words)
            shows[words[i]] = 1
        finds_out = "(^|_)(make|run|find|check|analyze|evaluate|solve|count|sum|measure)(_|$)"
    }
    function breach(text) { print text; breaches++ }
    FNR == 1 {
        files++
        split(FILENAME, path, "/")
        room = path[1] == "src" ? path[2] : ""
        if (room != "" && !(room in layer))
            breach(FILENAME ": room \"" room "\" has no layer; add it to tools/check-layers.sh")
    }
    # Functions are declared at the beginning of a line; what is called is looked up at the end.
    (room in computes) && FILENAME ~ /\.h$/ && match($0, /^[a-z][a-z0-9_ ]*[ *][a-z0-9_]+\(/) {
        name = substr($0, RSTART, RLENGTH - 1)
        sub(/.*[ *]/, "", name)
        if (name ~ finds_out)
            declared[name] = FILENAME
    }
    room != "" && !/^static/ && match($0, /^[a-z][a-z0-9_ ]*[ *][a-z0-9_]+\(/) {
        name = substr($0, RSTART, RLENGTH - 1)
        sub(/.*[ *]/, "", name)
        if (FILENAME ~ /\.h$/) {
            homes[name] = homes[name] " " room
            home[name, room] = 1
        } else
            defined[name] = FILENAME
    }
    room in shows {
        line = $0
        if (line ~ /->run\(/)
            breach(FILENAME ":" FNR ": " room " runs an analysis; make it before, in src/analyze")
        while (match(line, /[a-z_][a-z0-9_]*\(/)) {
            name = substr(line, RSTART, RLENGTH - 1)
            if (name ~ finds_out && !(name in called))
                called[name] = FILENAME ":" FNR ": " room
            line = substr(line, RSTART + RLENGTH)
        }
    }
    room != "" && FILENAME != "src/base/array.h" && /sizeof\([a-z_]+\) \/ sizeof/ {
        breach(FILENAME ":" FNR ": a length is ARRAY_LEN(), see base/array.h")
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
        else if (layer[room] == layer[to] && to != room)
            beside[room, to] = where
    }
    path[1] == "include" && /#[ \t]*include[ \t]*"/ && !/"gpusight\// {
        breach(FILENAME ":" FNR ": a public header includes only public headers")
    }
    END {
        for (name in called)
            if (name in declared)
                breach(called[name] " calls " name "() of " declared[name] "; what it finds must be there before")
        for (name in defined) {
            split(defined[name], path, "/")
            if (name in homes && !((name, path[2]) in home))
                breach(defined[name] ": " name "() is declared in" homes[name])
        }
        for (pair in beside) {
            split(pair, two, SUBSEP)
            if (two[1] < two[2] && (two[2], two[1]) in beside)
                breach(beside[pair] two[1] " and " two[2] " include each other")
        }
        printf "%d files, %d breaches\n", files, breaches
        exit breaches > 0
    }'
