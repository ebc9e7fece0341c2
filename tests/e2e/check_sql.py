#!/usr/bin/env python3
"""Random SQL over traces, against SQLite on plain tables with the same rows.

    check_sql.py --gpusight build/src/cli/gpusight [--statements 150] [--seed 1] [TRACE]...

What tables of traces do to be fast (conditions, orders and groups of their own, in the place of
SQLite's) must not be seen: every statement gives the same rows in the same order, value by value, as it
does on tables that SQLite made, from rows that were read with 'select *'. Statements run one after the
other in one process, so that indexes and orders of earlier ones are used by later ones. Joins without
ORDER BY may have another order.
"""
import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

SCENARIOS = (("mpi_job", ["--set", "n=4", "--merge"]), ("telemetry", []), ("hostile_names", []),
             ("odd_durations", []), ("counters", []))
TABLES = ("kernels", "regions", "memory_copies", "memory_allocations", "samples", "pmc_events",
          "marker_rows", "telemetry_points", "rocpd_kernel_dispatch", "rocpd_region",
          "regions_and_samples")
MOST_ROWS = 4000


def run(program, path, statements, folder):
    script = os.path.join(folder, "statements.sql")
    with open(script, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write(";\n".join(statements) + ";\n")
    done = subprocess.run([program, "query", "--json", "--script", script, path],
                          capture_output=True, timeout=600, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 5):
        sys.exit(f"{path}: exit code {done.returncode}: {done.stderr.decode(errors='replace')}\n"
                 f"one of:\n" + ";\n".join(statements))
    out = json.loads(done.stdout.decode("utf-8", "surrogateescape"))
    if len(statements) == 1:
        out = [{"rows": out}]
    return [s["rows"] for s in out]


def plain(program, path, folder):
    """A database with the tables as they are read."""
    db = sqlite3.connect(":memory:")
    columns, kept = {}, []
    schemas = run(program, path, [f"pragma table_info({t})" for t in TABLES], folder)
    rows = run(program, path, [f"select * from {t} limit {MOST_ROWS + 1}" for t in TABLES], folder)
    for table, schema, data in zip(TABLES, schemas, rows):
        if not data or len(data) > MOST_ROWS or "\ufffd" in json.dumps(data, ensure_ascii=False):
            continue  # malformed bytes are no longer what they were
        columns[table] = [(c["name"], c["type"]) for c in schema]
        names = ", ".join(f'"{n}" {t}' for n, t in columns[table])
        db.execute(f"create table {table} ({names})")
        marks = ", ".join("?" * len(schema))
        db.executemany(f"insert into {table} values ({marks})", [tuple(r.values()) for r in data])
        kept.append((table, data))
    return db, columns, dict(kept)


def quoted(value):
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


class Statements:
    def __init__(self, rng, columns, data):
        self.rng, self.columns, self.data = rng, columns, data

    def column(self, table, kind=None):
        some = [c for c in self.columns[table] if kind is None or c[1] == kind]
        if not some:
            return self.column(table)
        # those that people ask for, more often
        liked = [c for c in some if c[0] in ("name", "start", "end", "duration", "gpu", "stream_id",
                                             "category", "call", "size", "tid", "short_name")]
        return self.rng.choice(liked if liked and self.rng.random() < 0.6 else some)[0]

    def value(self, table, column):
        rng = self.rng
        value = rng.choice(self.data[table])[column]
        if isinstance(value, int) and rng.random() < 0.3:
            value += rng.choice((-1, 1, 1000, 0.5, -0.5))
        if isinstance(value, str) and rng.random() < 0.1:
            value += "x"
        return quoted(value)

    def pattern(self, table, column):
        value = self.rng.choice(self.data[table])[column]
        text = value if isinstance(value, str) else str(value)
        begin = self.rng.randrange(len(text) + 1)
        part = text[begin:begin + self.rng.randrange(1, 6)]
        if any(ord(c) < 32 or 0xd800 <= ord(c) < 0xe000 for c in part):
            part = "a"
        if self.rng.random() < 0.5:
            return "like", quoted(self.rng.choice(("%", "")) + part.upper() + "%")
        return "glob", quoted("*" + part.replace("[", "?") + self.rng.choice(("*", "")))

    def condition(self, table, alternatives=True):
        rng, column = self.rng, self.column(table)
        kind = rng.random() if alternatives else 0.9 * rng.random()
        if kind < 0.35:
            return f'"{column}" {rng.choice(("=", "<", ">", "<=", ">=", "<>"))} ' + \
                self.value(table, column)
        if kind < 0.5:
            return f'"{column}" between {self.value(table, column)} and ' + \
                self.value(table, column)
        if kind < 0.7:
            column = self.column(table, "TEXT")
            how, pattern = self.pattern(table, column)
            return f'"{column}" {rng.choice(("", "not "))}{how} {pattern}'
        if kind < 0.8:
            return f'"{column}" in ({self.value(table, column)}, {self.value(table, column)}, ' + \
                f'{self.value(table, column)})'
        if kind < 0.9:
            return f'"{column}" is {rng.choice(("", "not "))}null'
        # with '+', as SQLite finds rows of alternatives one after the other if it can
        return f'({self.condition(table, False)} or {self.condition(table, False)})'.replace(
            '"' + column + '"', '+"' + column + '"').replace('("', '(+"').replace('or "', 'or +"')

    def where(self, table):
        n = self.rng.choice((0, 0, 1, 1, 2))
        return " where " + " and ".join(self.condition(table) for _ in range(n)) if n else ""

    def key(self, table):
        if self.rng.random() < 0.75:
            return f'"{self.column(table)}"'
        column = self.column(table, "INTEGER")
        return self.rng.choice((f'"{column}" / 1000', f'"{column}" % 7', f'"{column}" / 1e6',
                                f'case when "{column}" > 5000 then \'long\' else \'short\' end',
                                f'("{column}" - (select min("{column}") from {table})) / 1000',
                                f'length("{self.column(table, "TEXT")}")'))

    def aggregate(self, table):
        rng, number = self.rng, self.column(table, "INTEGER")
        return rng.choice((
            "count(*)", f'count("{self.column(table)}")', f'sum("{number}")', f'avg("{number}")',
            f'min("{self.column(table)}")', f'max("{self.column(table)}")', f'total("{number}")',
            f'count(distinct "{self.column(table)}")', f'sum("{number}") / 1e6',
            f'max("{number}") - min("{number}")', f'sum("{number}" / 10)', f'sum("{number}") * 2 + 1',
            f'round(avg("{number}"), 2)', f'sum("{number}") * 100.0 / (select sum("{number}") from {table})',
            f'sum(case when "{number}" > 2000 and "{number}" <= 9000 then 1 else 0 end)', f'sum("{number}" > 1000)'))

    def end(self, terms):
        rng, text = self.rng, ""
        if terms and rng.random() < 0.6:
            some = rng.sample(terms, rng.randrange(1, min(3, len(terms)) + 1))
            text += " order by " + ", ".join(t + rng.choice(("", " desc")) for t in some)
        if rng.random() < 0.3:
            text += f" limit {rng.randrange(12)}"
            if rng.random() < 0.3:
                text += f" offset {rng.randrange(5)}"
        return text

    def grouped(self, table):
        rng = self.rng
        keys = [self.key(table) for _ in range(rng.choice((0, 1, 1, 1, 2, 3)))]
        sums = [self.aggregate(table) for _ in range(rng.randrange(1, 5))]
        terms = keys + sums
        if rng.random() < 0.2:
            rng.shuffle(terms)
        listed = [t + rng.choice(("", "", f" as c{i}")) for i, t in enumerate(terms)]
        by = keys
        if keys and terms[:len(keys)] == keys and rng.random() < 0.3:
            by = [str(i + 1) for i in range(len(keys))]
        sql = f"select {', '.join(listed)} from {table}{self.where(table)}"
        if keys:
            sql += " group by " + ", ".join(by)
            if rng.random() < 0.2:
                sql += f" having {self.aggregate(table)} > {rng.choice((0, 1, 3, 1000))}"
        return sql + self.end(terms + [str(i + 1) for i in range(len(terms))])

    def listed(self, table):
        rng = self.rng
        names = [f'"{self.column(table)}"' for _ in range(rng.randrange(1, 4))]
        sql = f"select {rng.choice(('', 'distinct '))}{', '.join(names)} from {table}"
        return sql + self.where(table) + self.end(names)

    def nested(self, table):
        # of max() over nothing but NULL, SQLite takes other columns from any row
        number = next(n for n in ("start", "timestamp", "id")
                      if any(c[0] == n for c in self.columns[table]))
        return self.rng.choice((
            f'select count(*) from {table} where "{number}" = (select max("{number}") from {table})',
            f'with t as ({self.grouped(table)}) select count(*) from t',
            f'select * from ({self.grouped(table)}) limit 5',
            f'select "{number}", row_number() over (order by "{number}", rowid) from {table} limit 9',
            f'select max("{number}"), "{self.column(table)}" from {table}{self.where(table)}',
            f'select min("{number}") from {table}{self.where(table)}',
            f'select count(*) from {table} where {self.condition(table, False)} or '
            f'{self.condition(table, False)}',
            f'select 1 where exists (select 1 from {table}{self.where(table)})'))

    def joined(self, _):
        if "regions" in self.data and "kernels" in self.data:
            how = self.rng.choice(("join", "left join"))
            tail = self.rng.choice((" group by r.name", " group by k.name, r.name", ""))
            what = self.rng.choice(("r.name", "k.name"))
            if "k." in what and tail == " group by r.name":
                what = "r.name"
            return f"select {what}, count(*), sum(k.duration), avg(k.start - r.end) from kernels " \
                   f"k {how} regions r on r.id = k.stack_id and r.pid = k.pid" + \
                   (tail or " group by 1")
        return "select 1"

    def any(self):
        table = self.rng.choice(list(self.data))
        make = self.rng.choices((self.grouped, self.listed, self.nested, self.joined),
                                (6, 3, 2, 0.5))[0]
        return make(table)


def is_same(a, b):
    """Whole doubles have no point in JSON, and numbers there have no more digits than they need."""
    return a == b and isinstance(a, str) == isinstance(b, str)


def expected_of(db, sql):
    cursor = db.execute(sql)
    rows = cursor.fetchall()
    return [d[0] for d in cursor.description], rows


def compare(path, sql, expected, actual):
    names, want = expected
    got = [tuple(r.values()) for r in actual]
    if len(set(names)) < len(names):  # JSON of two columns with one name
        return
    if " join " in sql:
        want, got = sorted(want, key=repr), sorted(got, key=repr)
    if len(want) != len(got):
        sys.exit(f"{path}: {len(got)} rows instead of {len(want)}: {sql}")
    if got and list(actual[0]) != names:
        sys.exit(f"{path}: columns {list(actual[0])} instead of {names}: {sql}")
    for i, (e, a) in enumerate(zip(want, got)):
        if len(e) != len(a) or not all(is_same(x, y) for x, y in zip(e, a)):
            sys.exit(f"{path}: row {i} is {a} instead of {e}: {sql}")


def check(program, path, count, seed, folder):
    db, columns, data = plain(program, path, folder)
    make = Statements(random.Random(seed), columns, data)
    statements, expected = [], []
    while len(statements) < count:
        sql = make.any()
        try:
            answer = expected_of(db, sql)
        except sqlite3.OperationalError:  # 'integer overflow', 'misuse of aggregate': not ours
            continue
        statements.append(sql)
        expected.append(answer)
    for sql, want, got in zip(statements, expected, run(program, path, statements, folder)):
        compare(path, sql, want, got)
    return len(statements), sum(len(e[1]) for e in expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("--statements", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("traces", nargs="*")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        traces = args.traces
        for name, more in SCENARIOS if not traces else ():
            path = os.path.join(folder, name + ".db")
            subprocess.run([args.gpusight, "synth", name, "-o", path, *more], check=True)
            traces = traces + [path]
        for path in traces:
            n, rows = check(args.gpusight, path, args.statements, args.seed, folder)
            print(f"{os.path.basename(path)}: {n} statements, {rows} rows, all as SQLite has them")


if __name__ == "__main__":
    main()
