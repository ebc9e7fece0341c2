/*
 * embed: puts text files into a C file, at build time.
 *
 *     embed OUT.c HEADER.h TYPE ARRAY FILE...
 *
 * makes `const TYPE ARRAY[]` of {name, text}, ended by {NULL, NULL}; HEADER.h declares it. The name
 * is the part of the file name before the dot.
 */
#include <stdio.h>
#include <string.h>

static int put_text(FILE *out, const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in) {
        fprintf(stderr, "embed: cannot open '%s'\n", path);
        return 1;
    }
    fputs("     \"", out);
    for (int c; (c = fgetc(in)) != EOF;) {
        if (c == '\n')
            fputs("\\n\"\n     \"", out);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c >= ' ' && c < 127)
            fputc(c, out);
        else
            fprintf(out, "\\%03o", (unsigned)c);
    }
    fputs("\"},\n", out);
    fclose(in);
    return 0;
}

int main(int argc, char **argv)
{
    FILE *out = argc > 4 ? fopen(argv[1], "wb") : NULL;
    if (!out) {
        fprintf(stderr, "usage: embed OUT.c HEADER.h TYPE ARRAY FILE...\n");
        return 2;
    }
    int failed = 0;
    fprintf(out, "/* made by tools/embed.c */\n#include \"%s\"\n\nconst %s %s[] = {\n", argv[2],
            argv[3], argv[4]);
    for (int i = 5; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/'), *name = slash ? slash + 1 : argv[i];
        fprintf(out, "    {\"%.*s\",\n", (int)strcspn(name, "."), name);
        failed |= put_text(out, argv[i]);
    }
    fputs("    {0, 0},\n};\n", out);
    return fclose(out) != 0 || failed;
}
