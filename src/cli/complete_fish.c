/*
 * Completion for fish: one `complete` line per command and option.
 */
#include "cli/generate.h"

struct fish {
    struct str *out;
    const struct command *command; /* NULL: before a command is given */
};

static void put_text(struct str *out, const char *s)
{
    str_putc(out, '\'');
    for (; *s; s++) {
        if (*s == '\'' || *s == '\\')
            str_putc(out, '\\');
        str_putc(out, *s);
    }
    str_putc(out, '\'');
}

static void put_option(const struct opt *o, void *ctx)
{
    struct fish *f = ctx;
    str_puts(f->out, "complete -c gpusight");
    if (f->command)
        str_printf(f->out, " -n '__fish_seen_subcommand_from %s'", f->command->name);
    else
        str_puts(f->out, " -n __fish_use_subcommand");
    str_printf(f->out, " -l %s", o->name);
    if (o->letter)
        str_printf(f->out, " -s %c", o->letter);
    if (opt_has_words(o)) {
        str_puts(f->out, " -x -a '");
        for (const char *p = o->arg; *p; p++)
            str_putc(f->out, *p == '|' ? ' ' : *p);
        str_putc(f->out, '\'');
    } else if (o->kind == OPT_KIND_TEXT || o->kind == OPT_KIND_LIST) {
        str_puts(f->out, " -r -F");
    } else if (o->kind != OPT_KIND_FLAG) {
        str_puts(f->out, " -x");
    }
    str_puts(f->out, " -d ");
    put_text(f->out, o->help);
    str_putc(f->out, '\n');
}

static void put_operands(struct str *out, const struct command *c)
{
    str_printf(out, "complete -c gpusight -n '__fish_seen_subcommand_from %s'", c->name);
    switch (operand_kind(c)) {
    case OPERAND_NONE:
        str_puts(out, " -f\n");
        return;
    case OPERAND_FILE:
        str_puts(out, " -F\n");
        return;
    case OPERAND_COMMAND:
        str_puts(out, " -f -a '");
        for (const struct command *const *other = cli_commands; *other; other++)
            str_printf(out, "%s%s", other == cli_commands ? "" : " ", (*other)->name);
        str_puts(out, "'\n");
        return;
    }
}

void complete_fish(struct str *out)
{
    str_puts(out, "# fish completion for gpusight; made by gpusight --generate fish\n"
                  "complete -c gpusight -n __fish_use_subcommand -f\n");
    for (const struct command *const *c = cli_commands; *c; c++) {
        str_printf(out, "complete -c gpusight -n __fish_use_subcommand -a %s -d ", (*c)->name);
        put_text(out, (*c)->summary);
        str_putc(out, '\n');
    }
    struct fish f = {.out = out};
    each_option(NULL, put_option, &f);
    for (const struct command *const *c = cli_commands; *c; c++) {
        f.command = *c;
        each_option(*c, put_option, &f);
        put_operands(out, *c);
    }
}
