/*
 * Completion for zsh: one _arguments call per command.
 */
#include "cli/generate.h"

/* Inside a single-quoted _arguments specification: no quote, and no bracket or colon bare. */
static void put_text(struct str *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '\'')
            str_puts(out, "'\\''");
        else if (*s == '[' || *s == ']' || *s == ':' || *s == '\\')
            str_printf(out, "\\%c", *s);
        else
            str_putc(out, *s);
    }
}

static void put_value(struct str *out, const struct opt *o)
{
    if (o->kind == OPT_KIND_FLAG)
        return;
    str_puts(out, opt_has_words(o) ? ":word:(" : ":");
    if (opt_has_words(o)) {
        for (const char *p = o->arg; *p; p++)
            str_putc(out, *p == '|' ? ' ' : *p);
        str_putc(out, ')');
        return;
    }
    put_text(out, o->arg);
    str_puts(out, o->kind == OPT_KIND_TEXT || o->kind == OPT_KIND_LIST ? ":_files" : ": ");
}

static void put_option(const struct opt *o, void *ctx)
{
    struct str *out = ctx;
    const char *repeat = o->kind == OPT_KIND_LIST ? "*" : "";
    const char *equals = o->kind == OPT_KIND_FLAG ? "" : "=";
    str_printf(out, "            '%s--%s%s[", repeat, o->name, equals);
    put_text(out, o->help);
    str_putc(out, ']');
    put_value(out, o);
    str_puts(out, "' \\\n");
    if (!o->letter)
        return;
    str_printf(out, "            '%s-%c%s[", repeat, o->letter, *equals ? "+" : "");
    put_text(out, o->help);
    str_putc(out, ']');
    put_value(out, o);
    str_puts(out, "' \\\n");
}

static void put_commands(struct str *out)
{
    str_puts(out, "_gpusight_commands()\n{\n    local -a commands=(\n");
    for (const struct command *const *c = cli_commands; *c; c++) {
        str_printf(out, "        '%s:", (*c)->name);
        put_text(out, (*c)->summary);
        str_puts(out, "'\n");
    }
    str_puts(out, "    )\n    _describe -t commands 'gpusight command' commands\n}\n\n");
}

void complete_zsh(struct str *out)
{
    static const char *const operands[] = {[OPERAND_NONE] = "",
                                           [OPERAND_COMMAND] = " '1:command:_gpusight_commands'",
                                           [OPERAND_FILE] = " '*:file:_files'"};
    str_puts(out, "#compdef gpusight\n# made by gpusight --generate zsh\n\n");
    put_commands(out);
    str_puts(out, "_gpusight()\n{\n    local curcontext=$curcontext state line\n"
                  "    typeset -A opt_args\n    _arguments -C \\\n");
    each_option(NULL, put_option, out);
    str_puts(out, "            '1:command:_gpusight_commands' '*::operand:->operands'\n"
                  "    [[ $state == operands ]] || return\n    case $words[1] in\n");
    for (const struct command *const *c = cli_commands; *c; c++) {
        str_printf(out, "    %s)\n        _arguments -S \\\n", (*c)->name);
        each_option(*c, put_option, out);
        str_printf(out, "           %s ;;\n", operands[operand_kind(*c)]);
    }
    str_puts(out, "    esac\n}\n\n"
                  "if [[ $funcstack[1] == _gpusight ]]; then\n    _gpusight \"$@\"\n"
                  "else\n    compdef _gpusight gpusight\nfi\n");
}
