/*
 * Completion for bash: a case per command with its options, a case per option with choices.
 */
#include "cli/generate.h"

static void put_name(const struct opt *o, void *ctx)
{
    struct str *out = ctx;
    str_printf(out, " --%s%s", o->name, o->kind == OPT_KIND_FLAG ? "" : "=");
    if (o->letter)
        str_printf(out, " -%c", o->letter);
}

static void put_choices(const struct opt *o, void *ctx)
{
    struct str *out = ctx;
    if (!opt_has_words(o))
        return;
    str_printf(out, "        --%s) words='", o->name);
    for (const char *p = o->arg; *p; p++)
        str_putc(out, *p == '|' ? ' ' : *p);
    str_puts(out, "' ;;\n");
}

static void put_command(struct str *out, const struct command *c)
{
    static const char *const operands[] = {
        [OPERAND_NONE] = "none", [OPERAND_COMMAND] = "commands", [OPERAND_FILE] = "files"};
    str_printf(out, "    %s)\n        operands=%s\n        options='", c->name,
               operands[operand_kind(c)]);
    each_option(c, put_name, out);
    str_puts(out, "'\n        case $option in\n");
    each_option(c, put_choices, out);
    str_puts(out, "        esac ;;\n");
}

void complete_bash(struct str *out)
{
    str_puts(out, "# bash completion for gpusight; made by gpusight --generate bash\n"
                  "_gpusight()\n{\n"
                  "    local cur=${COMP_WORDS[COMP_CWORD]} command='' option='' words='' i\n"
                  "    local operands=commands options='' commands='");
    for (const struct command *const *c = cli_commands; *c; c++)
        str_printf(out, "%s%s", c == cli_commands ? "" : " ", (*c)->name);
    str_puts(out, "'\n"
                  "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                  "        case ${COMP_WORDS[i]} in\n"
                  "        -* | = | auto | always | never | [0-9]*) ;;\n"
                  "        *) command=${COMP_WORDS[i]}; break ;;\n"
                  "        esac\n"
                  "    done\n"
                  "    # bash divides words at '=': \"--color = al\"\n"
                  "    if [[ $cur == '=' ]]; then\n"
                  "        option=${COMP_WORDS[COMP_CWORD - 1]} cur=''\n"
                  "    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == '=' ]]; then\n"
                  "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
                  "    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == --* ]]; then\n"
                  "        option=${COMP_WORDS[COMP_CWORD - 1]}\n"
                  "    fi\n"
                  "    case $command in\n");
    for (const struct command *const *c = cli_commands; *c; c++)
        put_command(out, *c);
    str_puts(out, "    '')\n        options='");
    each_option(NULL, put_name, out);
    str_puts(out, "'\n        case $option in\n");
    each_option(NULL, put_choices, out);
    str_puts(out, "        esac ;;\n"
                  "    esac\n"
                  "    if [[ -z $words && $cur == -* ]]; then\n"
                  "        words=$options\n"
                  "    elif [[ -z $words && $operands == commands ]]; then\n"
                  "        words=$commands\n"
                  "    fi\n"
                  "    COMPREPLY=()\n"
                  "    if [[ -n $words ]]; then\n"
                  "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
                  "        [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] &&\n"
                  "            compopt -o nospace 2>/dev/null\n"
                  "    elif [[ $operands == files || -n $option ]]; then\n"
                  "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
                  "        compopt -o filenames 2>/dev/null\n"
                  "    fi\n"
                  "    return 0\n"
                  "}\n"
                  "complete -F _gpusight gpusight\n");
}
