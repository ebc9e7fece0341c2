#!/usr/bin/env python3
"""The manual as HTML: docs/*.md, README, changelog, and the C interface from its headers.

    tools/manual.py [-o FOLDER]

One page a file, an index and a search that works from a disk (no server, no network, nothing
fetched). The same files give the same bytes. Ends with 1 when a link leads nowhere.
"""
import argparse
import html
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIRST = ["tutorial", "coming-from", "install", "formats", "filters", "outputs", "compare", "query", "library",
         "exit-codes"]
STYLE = """:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0;display:flex}
nav{width:15em;min-width:15em;padding:1em;border-right:1px solid #8884;height:100vh;overflow:auto;
position:sticky;top:0;box-sizing:border-box}nav a{display:block;text-decoration:none;padding:.1em 0}
main{padding:1em 2em;max-width:60em;min-width:0;overflow-wrap:anywhere}pre{overflow:auto;padding:.8em;background:#8881}
code{font-family:ui-monospace,monospace;font-size:.92em}table{border-collapse:collapse;display:block;overflow:auto}
td,th{border:1px solid #8886;padding:.25em .6em;text-align:left;vertical-align:top}
input{width:100%;box-sizing:border-box;font:inherit}.here{font-weight:bold}#hits a{margin:.4em 0;font-size:.9em}
@media(max-width:50em){body{display:block}nav{width:auto;height:auto;position:static}}"""
SCRIPT = """const box=document.getElementById('search'),hits=document.getElementById('hits');
box.addEventListener('input',()=>{const words=box.value.toLowerCase().split(/\\s+/).filter(Boolean);
hits.textContent='';if(!words.length)return;const found=[];
for(const e of MANUAL){const title=e.title.toLowerCase(),text=e.text.toLowerCase();let score=0;
for(const w of words){const a=title.includes(w)?10:0,b=text.includes(w)?1:0;if(!a&&!b){score=0;break}score+=a+b}
if(score)found.push([score,e])}found.sort((a,b)=>b[0]-a[0]);
for(const [,e] of found.slice(0,30)){const a=document.createElement('a');a.href=e.at;a.textContent=e.title;
hits.append(a)}if(!found.length)hits.textContent='nothing found'});"""


def slug(text):
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")


class Page:
    """One Markdown file: its HTML, the sections for the search, the links that must lead somewhere."""

    def __init__(self, name, text, links):
        self.name, self.links = name, links
        self.title, self.sections, self.out = name, [], []
        self.lines = text.split("\n")
        self.blocks()

    def inline(self, text):
        kept = []

        def keep(made):
            kept.append(made)
            return f"\0{len(kept) - 1}\0"

        def link(m):
            target = m.group(2)
            self.links.append((self.name, target))
            return keep(f'<a href="{html.escape(page_of(target))}">') + m.group(1) + keep("</a>")

        text = re.sub(r"(`+)(.+?)\1", lambda m: keep(f"<code>{html.escape(m.group(2).strip())}</code>"), text)
        text = re.sub(r"!?\[([^\]]*)\]\(([^)\s]+)\)", link, text)
        text = html.escape(text, quote=False)
        text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
        text = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"<em>\1</em>", text)
        while "\0" in text:
            text = re.sub("\0(\\d+)\0", lambda m: kept[int(m.group(1))], text)
        return text

    def blocks(self):
        lines, i = self.lines, 0
        while i < len(lines):
            line = lines[i]
            if not line.strip():
                i += 1
            elif m := re.match(r"(#{1,6}) (.*)", line):
                self.heading(len(m.group(1)), m.group(2))
                i += 1
            elif line.startswith("```"):
                i = self.fenced(i + 1)
            elif line.startswith("    "):
                i = self.code(i)
            elif line.startswith("|"):
                i = self.table(i)
            elif re.match(r"\s*([-*]|\d+\.) ", line):
                i = self.items(i)
            else:
                i = self.paragraph(i)

    def heading(self, level, text):
        if level == 1:
            self.title = re.sub("[`*]", "", text)
        self.sections.append([re.sub("[`*]", "", text), slug(text), []])
        self.out.append(f'<h{level} id="{slug(text)}">{self.inline(text)}</h{level}>')

    def say(self, text):
        if not self.sections:
            self.sections.append([self.title, "", []])
        self.sections[-1][2].append(text)

    def put_code(self, lines):
        text = "\n".join(lines).rstrip("\n")
        self.say(text)
        self.out.append(f"<pre><code>{html.escape(text)}</code></pre>")

    def fenced(self, i):
        end = next((k for k in range(i, len(self.lines)) if self.lines[k].startswith("```")), len(self.lines))
        self.put_code(self.lines[i:end])
        return end + 1

    def code(self, i):
        end = i
        while end < len(self.lines) and (self.lines[end].startswith("    ") or not self.lines[end].strip()):
            end += 1
        self.put_code([line[4:] for line in self.lines[i:end]])
        return end

    def table(self, i):
        rows = []
        while i < len(self.lines) and self.lines[i].startswith("|"):
            cells = re.split(r"(?<!\\)\|", self.lines[i].strip().strip("|"))
            rows.append([c.strip().replace("\\|", "|") for c in cells])
            self.say(self.lines[i])
            i += 1
        self.out.append("<table>")
        for n, row in enumerate(rows):
            if n != 1:
                kind = "td" if n else "th"
                self.out.append("<tr>" + "".join(f"<{kind}>{self.inline(c)}</{kind}>" for c in row) + "</tr>")
        self.out.append("</table>")
        return i

    def items(self, i):
        kind = "ol" if re.match(r"\s*\d", self.lines[i]) else "ul"
        self.out.append(f"<{kind}>")
        while i < len(self.lines) and (m := re.match(r"\s*(?:[-*]|\d+\.) (.*)", self.lines[i])):
            text, i = [m.group(1)], i + 1
            while i < len(self.lines) and self.lines[i].strip() and self.lines[i].startswith("  ") and \
                    not re.match(r"\s*([-*]|\d+\.) ", self.lines[i]):
                text.append(self.lines[i].strip())
                i += 1
            self.say(" ".join(text))
            self.out.append(f"<li>{self.inline(' '.join(text))}</li>")
        self.out.append(f"</{kind}>")
        return i

    def paragraph(self, i):
        text = []
        while i < len(self.lines) and self.lines[i].strip() and \
                not re.match(r"#{1,6} |```|\||([-*]|\d+\.) ", self.lines[i]):
            text.append(self.lines[i].strip())
            i += 1
        if not text:  # a line that looks like a block and is none
            text, i = [self.lines[i]], i + 1
        self.say(" ".join(text))
        self.out.append(f"<p>{self.inline(' '.join(text))}</p>")
        return i


def page_of(target):
    """docs/x.md#y and ../README.md as pages; other places stay as they are."""
    path, _, part = target.partition("#")
    if path.endswith(".md") and not re.match(r"\w+:", path):
        path = os.path.basename(path)[:-3].lower() + ".html"
    elif path.endswith(("gpusight.h", "error.h")):
        path = "c-interface.html"
    return path + ("#" + part if part else "")


def header_page():
    """The headers as Markdown: comments are text, declarations are code."""
    out = ["# C interface", ""]
    for name in ("gpusight.h", "error.h"):
        with open(os.path.join(ROOT, "include", "gpusight", name), encoding="utf-8") as f:
            text = f.read()
        out += [f"## gpusight/{name}", ""]
        for title, part in parts_of(text):
            out += ([f"### {title}", ""] if title else []) + ["```", part.strip("\n"), "```", ""]
    return "\n".join(out)


def parts_of(text):
    pieces = re.split(r"/\* -+ (.*?) -+ \*/\n", text)
    return [("", pieces[0])] + list(zip(pieces[1::2], pieces[2::2]))


def sources():
    found = {"readme": "README.md", "changelog": "CHANGELOG.md", "architecture": "ARCHITECTURE.md",
             "contributing": "CONTRIBUTING.md", "security": "SECURITY.md"}
    for name in sorted(os.listdir(os.path.join(ROOT, "docs"))):
        if name.endswith(".md"):
            found[name[:-3].lower()] = "docs/" + name
    return found


def read_pages():
    links, pages = [], {}
    for name, path in sources().items():
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            pages[name] = Page(name, f.read(), links)
    pages["c-interface"] = Page("c-interface", header_page(), links)
    return pages, links


def broken(pages, links):
    bad = []
    for name, target in links:
        path, _, part = page_of(target).partition("#")
        if re.match(r"\w+:", target):
            continue
        to = path[:-5] if path.endswith(".html") else name if not path else None
        if to is None:
            base = "" if name in ("readme", "changelog", "architecture", "contributing", "security") else "docs"
            if not os.path.exists(os.path.join(ROOT, base, path)):
                bad.append(f"{name}: {target}")
        elif to not in pages or (part and part not in {s[1] for s in pages[to].sections}):
            bad.append(f"{name}: {target}")
    return bad


def write_page(folder, page, order, pages):
    menu = "".join(f'<a href="{n}.html"{" class=here" if n == page.name else ""}>'
                   f"{html.escape(pages[n].title)}</a>" for n in order)
    with open(os.path.join(folder, page.name + ".html"), "w", encoding="utf-8") as f:
        f.write(f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
                f'content="width=device-width"><title>{html.escape(page.title)} - gpusight</title><style>{STYLE}</style>'
                f'</head><body><nav><input id="search" type="search" placeholder="search" aria-label="search">'
                f'<div id="hits"></div><a href="index.html">Contents</a>{menu}</nav><main>\n' +
                "\n".join(page.out) + '\n</main><script src="search.js"></script></body></html>\n')


def main():
    p = argparse.ArgumentParser(description="makes the manual")
    p.add_argument("-o", "--output", default="build-manual", help="folder (build-manual)")
    o = p.parse_args()
    os.makedirs(o.output, exist_ok=True)
    pages, links = read_pages()
    order = ["readme"] + [n for n in FIRST if n in pages]
    order += sorted(n for n in pages if n not in order)
    index = Page("index", "# Contents\n\n" + "\n".join(f"- [{pages[n].title}]({n}.md)" for n in order), [])
    entries = [{"title": pages[n].title + ("" if s[0] == pages[n].title else ": " + s[0]), "at": f"{n}.html#{s[1]}",
                "text": " ".join(s[2])} for n in order for s in pages[n].sections]
    for page in [*pages.values(), index]:
        write_page(o.output, page, order, pages)
    with open(os.path.join(o.output, "search.js"), "w", encoding="utf-8") as f:
        f.write("const MANUAL=" + json.dumps(entries, ensure_ascii=False).replace("</", "<\\/") + ";\n" + SCRIPT + "\n")
    bad = broken(pages, links)
    for text in bad:
        print("leads nowhere: " + text, file=sys.stderr)
    print(f"{len(pages)} pages, {len(entries)} sections in {o.output}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
