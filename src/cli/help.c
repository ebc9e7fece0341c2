#include "cli/help.h"

#include <string.h>

#include "base/fs.h"
#include "base/utf8.h"
#include "cli/globals.h"
#include "cli/wrap.h"

enum { INDENT = 2, NAME_COLUMN = 26, WIDEST = 100 };

const struct opt help_option = {"help", 'h', OPT_KIND_FLAG, 0, NULL, "print this help",
                                0,      0,   NAMES_NOTHING};

const struct exit_code exit_codes[] = {
    {GS_OK, "all is well"},
    {GS_E_GATE, "the gate failed: a limit that was asked for is exceeded"},
    {GS_E_USAGE, "the command line makes no sense"},
    {GS_E_IO, "a file, the disk, memory or a pipe failed"},
    {GS_E_FORMAT, "the input is not what it claims to be"},
    {GS_E_EMPTY, "the input is fine and holds nothing to analyze"},
    {GS_E_NETWORK, "a language model or a database server did not answer"},
    {GS_OK, NULL},
};

const struct env_variable env_variables[] = {
    {"NO_COLOR", "when set and not empty, no colour unless --color=always"},
    {"COLUMNS", "the width to lay out for, instead of the terminal's"},
    {"GPUSIGHT_THREADS", "how many threads to use, as --threads"},
    {"GPUSIGHT_CACHE", "folder of loaded traces, as --cache"},
    {NULL, NULL},
};

struct page {
    struct str out;
    size_t width;
    bool color;
};

static void page_init(struct page *p, const struct cli *cli)
{
    str_init(&p->out, cli->arena);
    p->width = cli->columns < WIDEST ? (size_t)cli->columns : WIDEST;
    p->color = cli->color;
}

static void heading(struct page *p, const char *text)
{
    str_printf(&p->out, p->color ? "\n\033[1m%s:\033[0m\n" : "\n%s:\n", text);
}

/* A name and its text beside it, or below it where the name is too long. */
static void entry(struct page *p, const char *name, const char *text)
{
    size_t at = INDENT + utf8_width(name);
    str_fill(&p->out, ' ', INDENT);
    str_puts(&p->out, name);
    if (at + 2 > NAME_COLUMN) {
        str_putc(&p->out, '\n');
        at = 0;
    }
    str_fill(&p->out, ' ', NAME_COLUMN - at);
    wrap_words(&p->out, text, strlen(text), NAME_COLUMN, NAME_COLUMN, p->width);
}

/* Appends "-o, --output=FILE", without the letter's place when there is none. */
static void help_option_name(struct str *out, const struct opt *o)
{
    if (o->letter)
        str_printf(out, "-%c, ", o->letter);
    str_printf(out, "--%s", o->name);
    if (opt_has_words(o))
        str_printf(out, "=%s", strlen(o->arg) > 24 ? "WORD" : o->arg);
    else if (o->kind != OPT_KIND_FLAG)
        str_printf(out, "=%s", o->arg);
}

static void option(struct page *p, const struct opt *o)
{
    struct str name, text;
    str_init(&name, p->out.arena);
    str_init(&text, p->out.arena);
    if (!o->letter)
        str_puts(&name, "    ");
    help_option_name(&name, o);
    str_puts(&text, o->help);
    if (o->kind == OPT_KIND_LIST)
        str_puts(&text, "; may be repeated");
    if (opt_has_words(o) && strlen(o->arg) > 24) {
        str_puts(&text, "; one of ");
        for (const char *c = o->arg; *c; c++)
            str_puts(&text, *c == '|' ? ", " : (char[]){*c, 0});
    }
    entry(p, name.buf, text.buf);
}

static void options(struct page *p, const struct opt *table, const char *title)
{
    if (table && table->name && *table->name)
        heading(p, title);
    for (const struct opt *o = table; o && o->name; o++) {
        if (*o->name)
            option(p, o);
        else
            heading(p, o->help);
    }
}

static void common_end(struct page *p)
{
    options(p, globals_opts, "Global options");
    option(p, &help_option);
    heading(p, "Exit codes");
    for (const struct exit_code *e = exit_codes; e->text; e++)
        str_printf(&p->out, "  %d  %s\n", (int)e->code, e->text);
}

bool help_command(struct cli *cli, const struct command *c, struct gs_error *err)
{
    struct page p;
    page_init(&p, cli);
    str_printf(&p.out, "usage: gpusight %s [options]%s%s\n\n", c->name, *c->operands ? " " : "",
               c->operands);
    wrap_words(&p.out, c->summary, strlen(c->summary), 0, 0, p.width);
    if (c->doc && *c->doc) {
        str_putc(&p.out, '\n');
        wrap_paragraphs(&p.out, c->doc, 0, p.width);
    }
    options(&p, c->opts, "Options");
    if (c->examples && *c->examples) {
        heading(&p, "Examples");
        for (const char *line = c->examples; *line;) {
            size_t n = strcspn(line, "\n");
            str_printf(&p.out, "  %.*s\n", (int)n, line);
            line += n + (line[n] == '\n');
        }
    }
    common_end(&p);
    return fs_write("-", p.out.buf, p.out.len, err);
}

bool help_overview(struct cli *cli, struct gs_error *err)
{
    struct page p;
    page_init(&p, cli);
    str_puts(&p.out, "usage: gpusight COMMAND [options] [operands]\n\n"
                     "where the time of a GPU trace went, and what would get it back\n");
    heading(&p, "Commands");
    for (const struct command *const *c = cli_commands; *c; c++)
        entry(&p, (*c)->name, (*c)->summary);
    common_end(&p);
    str_puts(&p.out, "\nMore on one command: gpusight help COMMAND\n");
    return fs_write("-", p.out.buf, p.out.len, err);
}
