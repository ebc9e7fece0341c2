"""The options that profilers really have; commands may use no other.

Read from the tables that the program itself is built with: src/plan/tool_options.def and, in
src/metric, blocks.def, counters.def and families.def.
"""
import os
import re

SRC = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "src")


def rows(file, macro):
    """The arguments of every MACRO(...) in a .def file, as text."""
    room = "plan" if file == "tool_options.def" else "metric"
    with open(os.path.join(SRC, room, file), encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    for body in re.findall(rf"^{macro}\((.*)\)$", text, flags=re.M):
        yield [a.strip().strip('"') for a in re.findall(r'"[^"]*"|[^,]+', body)]


def program(tool):
    """ROCPROF_SYS_RUN of the table is rocprof-sys-run."""
    return tool.lower().replace("_", "-")


TOOLS, SUBCOMMANDS, SEPARATORS, VARIABLES = {}, {}, set(), {}
for tool, option, takes, values in rows("tool_options.def", "OPTION"):
    tool = program(tool)
    TOOLS.setdefault(tool, {})[option] = (takes, values.split("|") if values else None)
for tool, word in rows("tool_options.def", "SUBCOMMAND"):
    SUBCOMMANDS[program(tool)] = word
for (tool,) in rows("tool_options.def", "SEPARATOR"):
    tool = program(tool)
    SEPARATORS.add(tool)
    TOOLS.setdefault(tool, {})
for tool, name in rows("tool_options.def", "VARIABLE"):
    VARIABLES.setdefault(program(tool), set()).add(name)

# What of these a trace already holds, see `capabilities` in the JSON.
CAPTURES = {"--kernel-trace": "kernels", "--hip-trace": "api", "--memory-copy-trace": "copies",
            "--memory-allocation-trace": "allocations", "--marker-trace": "markers"}

FAMILIES = {row[0]: row[1:] for row in rows("families.def", "FAMILY")}
FAMILIES.update(GCN=FAMILIES["GFX900"] + FAMILIES["GFX906"])
FAMILIES.update(CDNA2UP=FAMILIES["GFX90A"] + FAMILIES["GFX942"] + FAMILIES["GFX950"])
FAMILIES.update(CDNA=FAMILIES["GFX908"] + FAMILIES["CDNA2UP"])
FAMILIES.update(RDNA=FAMILIES["GFX10"] + FAMILIES["GFX11"] + FAMILIES["GFX115"] + FAMILIES["GFX12"])


def archs(expression):
    return [arch for name in expression.split("|") for arch in FAMILIES[name.strip()]]


# (architecture, counter): (block, slots); (architecture, block): counters at a time.
COUNTERS = {(arch, name): (block, int(slots)) for name, block, slots, where in rows("counters.def", "COUNTER")
            for arch in archs(where)}
BLOCK_LIMITS = {(arch, block): int(n) for where, block, n in rows("blocks.def", "BLOCK") for arch in archs(where)}


def pass_faults(counters, arch):
    """What is wrong with the counters of one pass on one architecture."""
    used = {}
    for c in counters:
        if (arch, c) not in COUNTERS:
            yield f"{arch} has no counter {c}"
            continue
        block, slots = COUNTERS[arch, c]
        used[block] = used.get(block, 0) + slots
    for block, n in used.items():
        if n > BLOCK_LIMITS[arch, block]:
            yield f"{n} counters of block {block} of {arch} in one pass"
    if len(set(counters)) < len(counters):
        yield f"a counter twice in {counters}"


def take(words, takes):
    """The values of an option, and the words behind them."""
    n = {"NONE": 0, "ONE": 1}.get(takes, len(words))
    i = 0
    while i < n and i < len(words) and not words[i].startswith("-"):
        i += 1
    return words[:i], words[i:]


def parse(argv):
    """(tool, [(option, values)], program) of a command line; ValueError says what the tool would not take."""
    words, variables = list(argv), []
    if words[:1] == ["env"]:
        words.pop(0)
    while words and re.match(r"[A-Z_]+=", words[0]):
        variables.append(words.pop(0).split("=")[0])
    tool = words.pop(0) if words else ""
    if tool not in TOOLS:
        raise ValueError(f"unknown tool '{tool}'")
    for v in variables:
        if v not in VARIABLES.get(tool, ()):
            raise ValueError(f"{tool} does not read {v}")
    if tool in SUBCOMMANDS and words[:1] != [SUBCOMMANDS[tool]]:
        raise ValueError(f"'{tool}' without '{SUBCOMMANDS[tool]}'")
    words = words[tool in SUBCOMMANDS:]
    options = []
    while words and words[0].startswith("-") and words[0] != "--":
        name, equals, inline = words.pop(0).partition("=")
        takes, allowed = TOOLS[tool].get(name, (None, None))
        if takes is None or (takes == "JOINED") != bool(equals):
            raise ValueError(f"'{tool}' has no option '{name}' of this form")
        values, words = ([inline], words) if equals else take(words, takes)
        if len(values) < (takes != "NONE") or (allowed and set(values) - set(allowed)):
            raise ValueError(f"'{tool} {name}' does not take {values}")
        options.append((name, values))
    if (words[:1] == ["--"]) != (tool in SEPARATORS):
        raise ValueError(f"'--' and {tool}")
    words = words[tool in SEPARATORS:]
    if not words:
        raise ValueError("no program")
    return tool, options, words
