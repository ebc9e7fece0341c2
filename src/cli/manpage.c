/*
 * Man pages in the man(7) macros. Text is escaped so that no line of ours can become a macro.
 */
#include <ctype.h>
#include <string.h>

#include "cli/generate.h"
#include "cli/help.h"
#include "cli/wrap.h"
#include "config.h"

static void text(struct str *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool line_start = !i || s[i - 1] == '\n';
        if (line_start && (s[i] == '.' || s[i] == '\''))
            str_puts(out, "\\&");
        if (s[i] == '\\')
            str_puts(out, "\\e");
        else if (s[i] == '-')
            str_puts(out, "\\-");
        else
            str_putc(out, s[i]);
    }
}

static void words(struct str *out, const char *s)
{
    text(out, s, strlen(s));
}

static void title(struct str *out, const char *command)
{
    str_puts(out, ".TH GPUSIGHT");
    for (const char *p = command; p && *p; p++)
        str_printf(out, "%s%c", p == command ? "\\-" : "", toupper((unsigned char)*p));
    str_puts(out, " 1 \"\" \"gpusight " GPUSIGHT_VERSION "\" \"gpusight manual\"\n.SH NAME\n");
}

static void paragraphs(struct str *out, const char *doc)
{
    size_t n;
    bool first = true; /* a heading starts a paragraph by itself */
    for (const char *p; (p = wrap_next_paragraph(&doc, &n)); first = false) {
        bool verbatim = *p == ' ';
        str_puts(out, first ? "" : ".PP\n");
        str_puts(out, verbatim ? ".nf\n" : "");
        text(out, p, n);
        str_puts(out, verbatim ? "\n.fi\n" : "\n");
    }
}

static void option(const struct opt *o, void *ctx)
{
    struct str *out = ctx, name;
    str_init(&name, out->arena);
    if (o->letter)
        str_printf(&name, "-%c, ", o->letter);
    str_printf(&name, "--%s", o->name);
    str_puts(out, ".TP\n\\fB");
    words(out, name.buf);
    str_puts(out, "\\fR");
    if (o->kind != OPT_KIND_FLAG) {
        str_puts(out, "=\\fI");
        words(out, o->arg);
        str_puts(out, "\\fR");
    }
    str_putc(out, '\n');
    words(out, o->help);
    str_puts(out, o->kind == OPT_KIND_LIST ? "; may be repeated.\n" : ".\n");
}

static void examples(struct str *out, const char *lines)
{
    if (!lines || !*lines)
        return;
    str_puts(out, ".SH EXAMPLES\n.nf\n");
    words(out, lines);
    str_puts(out, "\n.fi\n");
}

static void common_end(struct str *out)
{
    str_puts(out, ".SH EXIT STATUS\n");
    for (const struct exit_code *e = exit_codes; e->text; e++) {
        str_printf(out, ".TP\n\\fB%d\\fR\n", (int)e->code);
        words(out, e->text);
        str_puts(out, ".\n");
    }
    str_puts(out, ".SH ENVIRONMENT\n");
    for (const struct env_variable *v = env_variables; v->name; v++) {
        str_printf(out, ".TP\n\\fB%s\\fR\n", v->name);
        words(out, v->text);
        str_puts(out, ".\n");
    }
}

void man_command(struct str *out, const struct command *c)
{
    title(out, c->name);
    str_printf(out, "gpusight\\-%s \\- ", c->name);
    words(out, c->summary);
    str_printf(out, "\n.SH SYNOPSIS\n\\fBgpusight %s\\fR [options] ", c->name);
    words(out, c->operands);
    str_puts(out, "\n.SH DESCRIPTION\n");
    paragraphs(out, c->doc && *c->doc ? c->doc : c->summary);
    str_puts(out, ".SH OPTIONS\n");
    each_option(c, option, out);
    examples(out, c->examples);
    common_end(out);
    str_puts(out, ".SH SEE ALSO\n\\fBgpusight\\fR(1)\n");
}

void man_overview(struct str *out)
{
    title(out, NULL);
    str_puts(out, "gpusight \\- where the time of a GPU trace went, and what would get it back\n"
                  ".SH SYNOPSIS\n\\fBgpusight\\fR \\fICOMMAND\\fR [options] [operands]\n"
                  ".SH DESCRIPTION\nResults go to standard output and nothing else does; notes, "
                  "warnings and errors go to standard error. Long options may be abbreviated "
                  "where that is unambiguous, and \\fB\\-\\-\\fR ends them.\n.SH COMMANDS\n");
    for (const struct command *const *c = cli_commands; *c; c++) {
        str_printf(out, ".TP\n\\fBgpusight\\-%s\\fR(1)\n", (*c)->name);
        words(out, (*c)->summary);
        str_puts(out, ".\n");
    }
    str_puts(out, ".SH OPTIONS\nThese may stand before the command or behind it.\n");
    each_option(NULL, option, out);
    common_end(out);
}
