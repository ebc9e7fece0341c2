"""Every command line there is to try on an input, made from what the program says of itself.

A command that this module does not know, a format, chart or table that it has not seen in the help
is found there; a whole command that is new fails the test until it gets a function here.
"""
import re
import subprocess


class Line:
    """One command line: words with {in} (all inputs), {one} (the first) and {out} (a new folder)."""

    def __init__(self, words, raw=False, refused=False, copies=()):
        self.words = words.split() if isinstance(words, str) else words
        self.raw = raw          # prints data as it is: control characters may be in it
        self.refused = refused  # may fail for a sound input, too
        self.copies = copies    # what is secret in the file and stays in its output, as documented

    def argv(self, paths, out):
        words = []
        for w in self.words:
            if w == "{in}":
                words += paths
            else:
                words.append(w.replace("{one}", paths[0]).replace("{out}", out))
        return words

    def __str__(self):
        return " ".join(self.words)


class Program:
    def __init__(self, path):
        self.path = path

    def help(self, *command):
        return subprocess.run([self.path, *command, "--help"], capture_output=True, text=True,
                              check=True).stdout

    def names(self):
        text = self.help().split("Commands:")[1].split("\n\n")[0]
        return re.findall(r"^  ([a-z]+) ", text, re.M)

    def choices(self, command, option):
        """The words that an option takes."""
        text = re.sub(r"\s+", " ", self.help(command))
        found = re.search(r"--" + option + r"=((?:[a-z0-9_.-]+\|)+[a-z0-9_.-]+)", text)
        if found:
            return found.group(1).split("|")
        found = re.search(r"--" + option + r"=WORD .*?one of ([a-z0-9_, -]+?)(?: --| -[a-z],|$)", text)
        return re.split(r", ", found.group(1).strip())

    def charts(self):
        text = subprocess.run([self.path, "plot", "--list"], capture_output=True, text=True,
                              check=True).stdout
        return re.findall(r"^  ([a-z_]+)  ", text, re.M)[1:]


def analyze(p):
    lines = [Line(f"analyze {{in}} --format {f} -o {{out}}/x") for f in p.choices("analyze", "format")]
    lines += [Line(f"analyze {{in}} --reader {r}") for r in ("fast", "sqlite", "check")]
    return lines + [
        Line("analyze {in}"), Line("analyze {in} --json"),
        Line("analyze {in} --by gpu --by process --by stream", refused=True),
        Line("analyze {in} --format markdown --charts {out}/charts -o {out}/x.md", refused=True),
        Line("analyze {in} -d {out}/named"), Line("analyze {in} --json -d {out}/named"),
        Line("analyze {in} -o {out}/x.html", refused=True),
        Line("analyze {in} -o {out}/x.svg", refused=True),
        Line("analyze {in} --window 0:1s", refused=True), Line("analyze {in} --phase 1", refused=True),
        Line("analyze {in} --json --json-profile rocinsight", refused=True),
        Line("analyze {in} --kernel /./ --category gpu,api --stream 0,1", refused=True),
        Line("analyze {in} --top-kernels 1000000 --timeline-limit 1000000000 --format html -o {out}/x"),
        Line("analyze {in} --color always -o {out}/x.txt")]


def compare(p):
    lines = [Line(f"compare {{one}} {{one}} --format {f} -o {{out}}/x.{f}", refused=True)
             for f in p.choices("compare", "format")]
    return lines + [
        Line("compare {one} {one}"), Line("compare {one} {one} --json"),
        Line("compare {one} {one} -o {out}/x.html", refused=True),
        Line("compare {one} {one} --junit {out}/x.xml --fail-on wall>5%,idle>1ms,kernel:k>1%",
             refused=True),
        Line("compare {one} {one} --annotations github --fail-on wall>-1%", refused=True),
        Line("compare {one} {one} --save-baseline b --baseline-dir {out}/b", refused=True)]


def history(p):
    return [Line(f"history {{in}} --format {f} -o {{out}}/x.{f}", refused=True)
            for f in p.choices("history", "format")] + [
        Line("history {in}", refused=True), Line("history {one} {one} {one} --by time"),
        Line("history {in} -o {out}/x.html", refused=True)]


def collect(p):
    return [Line(f"collect {{in}} --db {{out}}/fleet.db --runs {r}", refused=True) for r in p.choices("collect", "runs")] + [
        Line("collect {one} --db {one}", refused=True), Line("history --db {one}", refused=True),
        Line("compare --db {one} latest latest", refused=True)]


def plan(p):
    return [Line(f"plan {{in}} --format {f}", raw=f == "pdf") for f in p.choices("plan", "format")] + [
        Line("plan {in} --format shell -o {out}/x.sh -- ./app"),
        Line("plan {in} -o {out}/x.html", refused=True)]


def whatif(p):
    return [Line(f"whatif {{in}} --remove sync --format {f} -o {{out}}/x.{'txt' if f == 'text' else f}",
                 refused=True) for f in p.choices("whatif", "format")] + [
        Line("whatif {in}"), Line("whatif {in} --json --kernel *=0.5x --graph --streams 8"),
        Line("whatif {in} --overlap copies --pinned --prefetch --link 1000000x --host 0.000001x"),
        Line("whatif {in} --gpu H200 --remove communication --rank 0=typical", refused=True)]


def summary(p):
    return [Line("summary {in}"), Line("summary {in} --json"),
            Line("summary {in} -o {out}/x.html", refused=True),
            Line("summary {in} --by-domain --summary-by-rank", refused=True),
            Line("summary {in} --by-domain --format csv -d {out}/sums", refused=True),
            Line("summary {in} --domain-summary --json --window 10%..90%", refused=True)]


def report(p):
    return [Line("report {in}"), Line("report {in} -o {out}/x.xlsx --kernel-details"),
            Line("report {in} --csv-dir {out}/csv"),
            Line("report {in} --csv-dir {out}/csv --kernel-details --short-kernel-study --full-names")]


def plot(p):
    lines = []
    for chart in p.charts() + ["all"]:
        lines.append(Line(f"plot {{in}} --chart {chart} -o {{out}}/x"))
        if chart != "all":
            lines.append(Line(f"plot {{in}} --chart {chart} -o {{out}}/x.png", refused=True))
    return lines + [Line("plot {in} --chart timeline --format draw", refused=True),
                    Line("plot {in} --chart memory", refused=True),
                    Line("plot {in} --chart timeline --width 20000 --height 20000 -o {out}/x.svg",
                         refused=True)]


def query(p):
    rows = ["select * from kernels", "select * from regions_and_samples", "select * from rocpd_event",
            "select * from memory_copies, busy", "select * from pmc_events", "select * from top",
            "select * from counters_collection", "select * from rocpd_arg", "select * from gaps",
            "select name, stddev(duration), median(duration) from kernels group by 1",
            "select * from kernels k join regions r on r.id = k.stack_id",
            "select start / 1000, count(distinct name) from kernels where name like '%e%' group by 1 order by 2, 1",
            "select distinct name, tid from regions order by name desc, tid",
            "select * from ledger", "select * from findings", "select * from marker_rows"]
    forms = [f for f in p.choices("query", "format") if f != "clipboard"]
    return [Line(["query", "{in}", sql, "--limit", "1000", "--timeout", "10"], refused=True)
            for sql in rows] + [
        Line(["query", "{in}", "select * from kernels limit 100", "--format", f, "-o",
              "{out}/x." + {"text": "txt", "console": "txt", "markdown": "md", "webview": "html",
                            "dashboard": "html"}.get(f, f)], refused=True) for f in forms]


def info(p):
    return [Line(f"info {{in}} --reader {r}") for r in p.choices("info", "reader")] + [
        Line("info {in} --json"), Line("info {in} --verbose --stats"), Line("info {in} --cache {out}/kept"),
        Line("info {in} -o {out}/x.html", refused=True)]


def verify(p):
    return [Line(f"verify {{one}} {{in}} --kind {k} --json", refused=True) for k in p.choices("verify", "kind")] + [
        Line("verify {one} {in} --by-words --all", refused=True),
        Line("verify {one} {in} -o {out}/x.html", refused=True)]


def evaluate(p):
    return [Line("evaluate {one}", refused=True), Line("evaluate {one} --cached {one}", refused=True)]


def dump(p):
    return [Line(f"dump {{in}} --table {t}") for t in p.choices("dump", "table")] + [
        Line("dump {in} --csv", raw=True), Line("dump {in} --reader sqlite"),
        Line("dump {in} --kernel * --window 10%..60%", refused=True),
        Line("dump {in} --table regions --category !hsa --inclusive false --start 1%", refused=True),
        Line("dump {in} --table markers --marker *", refused=True)]


def synth(p):
    lines = []
    for f in p.choices("synth", "format"):
        lines.append(Line(f"synth {{one}} --format {f} --max-events 100000 -o {{out}}/t/", refused=True))
        lines.append(Line(f"synth {{one}} --format {f} --max-events 100000 -o {{out}}/%host%.x",
                          refused=True))
    return lines + [Line("synth {one} --max-events 100000 -o {out}/a.db --merge", refused=True),
                    Line("synth {one} --max-events 100000 --truth {out}/truth.json -o {out}/b/",
                         refused=True)]


def ask(p):
    return [Line("ask {in} --question why", refused=True), Line("ask {in} --question idle --json", refused=True),
            Line("ask {in} --question kernels --format html -o {out}/x.html", refused=True),
            Line("ask {in} --question findings --format markdown -o {out}/x.md", refused=True)]


def convert(p):
    forms = ("pftrace", "chrome", "csv", "rocpd", "otf2", "speedscope", "folded")
    return [Line(f"convert {{in}} -f {f} -d {{out}}/c", refused=True) for f in forms] + [
        Line("convert {in} -f chrome -o {out}/%hostname%-%args%-%tag% --per-rank --annotate-args",
             refused=True),
        Line("convert {in} -f pftrace -o {out}/x --compress --annotate-pmc --group-by-queue "
             "--kernel-rename", refused=True),
        Line("convert {in} -f csv,rocpd -d {out}/%hostname%/%env{HOME}% --durations", refused=True)]


def run(p):
    """It starts programs and reads no file: there is nothing to attack but its own options."""
    return [Line("run --dry-run -- {one}", refused=True)]


def session(p):
    """Traces are read by others that it starts; its own files are below the user's state."""
    return [Line("session show {one}", refused=True), Line("session list --json", refused=True),
            Line("session new --dry-run --source {out} --patches {one} --trace {one}", refused=True)]


def trim(p):
    return [Line("trim {in} -o {out}/x.db", refused=True), Line("trim {in} --window 10%..60% -o {out}/x.pftrace",
                                                               refused=True),
            Line("trim {in} --kernel '*a*' --format csv -o {out}/x", refused=True),
            Line("trim {in} --iteration 2 -o {out}/x.json", refused=True)]


def merge(p):
    return [Line("merge {in} -o {out}/x.db", refused=True, copies=("environment",)),
            Line("merge {in} --rename -o {out}/x.db", refused=True, copies=("environment",))]


def package(p):
    return [Line("package {in} -o {out}/x", refused=True), Line("package {in} --copy -o {out}/y", refused=True, copies=("command", "environment"))]


def anonymise(p):
    return [Line("anonymise {in} -o {out}/x.db --key {out}/key", refused=True),
            Line("anonymise {in} -o {out}/x.json", refused=True), Line("anonymise {in} --undo {one} -o {out}/x.db",
                                                                      refused=True)]


def repair(p):
    return [Line("repair {one} -o {out}/x", refused=True, copies=("command", "environment"))]


def mcp(p):
    return [Line("mcp {one}", refused=True)]


def cache(p):
    """What lies in the folder may be anything."""
    return [Line("cache {one}", refused=True), Line("cache {one} --json", refused=True)]


def explain(p):
    return [Line("explain {one}", refused=True)]


def help(p):
    return [Line("help {one}", refused=True)]


# What only some kinds of input can be given to.
KINDS = {
    "att": lambda p: [Line(f"analyze --att-dir {{one}} --att-listing all --format {f} -o {{out}}/x")
                      for f in p.choices("analyze", "format")] + [Line("analyze --att-dir {one}")],
    "source": lambda p: [Line(f"analyze --source-dir {{one}} --format {f} -o {{out}}/x")
                         for f in p.choices("analyze", "format")],
    "description": synth,
    "baseline": lambda p: [line for line in compare(p) if "save" not in str(line)] + history(p) + [
        Line("compare --baseline {one} {one}", refused=True)],
}
ONLY_KIND = ("source", "description")  # these are no traces


def by_command(program):
    """{command: lines}; fails where a command has no lines."""
    p = Program(program)
    made = {}
    for name in p.names():
        if name not in globals():
            raise SystemExit(f"commands.py knows nothing to try with 'gpusight {name}'")
        made[name] = globals()[name](p)
    for kind, lines in KINDS.items():
        made[f"({kind})"] = lines(p)
    return made
