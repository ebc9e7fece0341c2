/* Between the files of the scan. */
#ifndef GS_SOURCE_SOURCE_IN_H
#define GS_SOURCE_SOURCE_IN_H

#include "source/source.h"

enum keyword {
    WORD_NONE,
    WORD_FOR,
    WORD_WHILE,
    WORD_DO,
    WORD_ELSE,
    WORD_IF,
    WORD_VERB,
    WORD_TEMPLATE,
    WORD_SCOPE,
    WORD_ENUM,
    WORD_OPERATOR,
    WORD_DECORATION,
    WORD_GLOBAL,
    WORD_CL_KERNEL,
    WORD_DEF,
    WORD_IMPORT,
    WORD_FROM,
    WORD_ASYNC,
};

enum symbol_form {
    FORM_KEYWORD,
    FORM_CALL,
    FORM_LAUNCH,
    FORM_OWNED,
    FORM_DECORATOR,
    FORM_TO,
    FORM_RAW
};

struct symbol {
    const char *name, *owner; /* owner NULL: none needed */
    enum symbol_form form;
    enum keyword word;
    enum fact_kind kind;
    enum source_pattern_id pattern;
    uint8_t argument; /* FORM_LAUNCH: which one is the kernel */
    uint16_t next;    /* another meaning of the same name; 0: none */
};

/* Names to symbols; number 0 is "none". Read-only once made. */
enum { SYMBOL_SLOTS = 8192, SYMBOLS_MAX = 640, PREFIXES_MAX = 64 };
struct symbols {
    struct symbol v[SYMBOLS_MAX];
    uint16_t n;
    uint16_t slot[SYMBOL_SLOTS];
    uint16_t by_letter[128]; /* first prefix that begins so; they are chained by next */
    bool fold;               /* case does not matter */
};

void symbols_init_c(struct symbols *s, bool fold);
void symbols_init_python(struct symbols *s);
uint16_t symbols_find(const struct symbols *s, const char *name, size_t n, uint32_t hash);
#define SYMBOL_HASH_START 2166136261u
static inline uint32_t symbol_hash(uint32_t h, uint8_t c)
{
    return (h ^ c) * 16777619u;
}

enum token_kind {
    TOKEN_END,
    TOKEN_IDENT,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_PUNCT,     /* ch is the character, or a PUNCT_… */
    TOKEN_DIRECTIVE, /* ch says which; its tokens follow up to TOKEN_DIRECTIVE_END */
    TOKEN_DIRECTIVE_END,
    TOKEN_LINE, /* a logical line begins; len is its indentation */
};

/* Punctuation of several characters. */
enum {
    PUNCT_LAUNCH = 'L',  /* <<< */
    PUNCT_SCOPE = 'S',   /* :: */
    PUNCT_ARROW = 'A',   /* -> */
    PUNCT_COMPARE = 'E', /* == != <= >= */
};

/* Directives. */
enum {
    DIRECTIVE_IF = 'i', /* whose truth is not known: both sides are read */
    DIRECTIVE_ELSE = 'e',
    DIRECTIVE_ENDIF = 'x',
    DIRECTIVE_DEFINE = 'd',
    DIRECTIVE_PRAGMA = 'p',
    DIRECTIVE_OMP = 'o', /* Fortran's !$omp, !$acc, !$cuf */
    DIRECTIVE_ACC = 'a',
    DIRECTIVE_CUF = 'u',
};

struct token {
    uint32_t at, len, line;
    uint16_t symbol;
    uint8_t kind;
    char ch;
};

struct token_list {
    struct token *v;
    size_t n, cap;
};

/* Tokens end with so many TOKEN_END: looking ahead is safe. */
enum { TOKENS_BEHIND = 9 };

/* A file being read. */
struct source_text {
    const char *text;
    size_t size;
    enum source_language language;
    const struct symbols *symbols;
    struct token_list tokens;
    struct arena *token_arena;
    uint32_t lines;
    bool includes_sycl;
    struct arena *scratch; /* stacks; given back after the file */
    struct arena *arena;   /* strings of facts */
};

void lex_c(struct source_text *t);
void lex_python(struct source_text *t);
void lex_fortran(struct source_text *t);

/* Directives of the preprocessor, for C and Fortran. */
enum { CONDITION_DEPTH = 256 };
struct conditions {
    struct {
        bool told;  /* the parser knows of it */
        bool taken; /* a branch that is true for certain was read */
    } v[CONDITION_DEPTH];
    size_t n, lost; /* lost: opened beyond the depth */
};
enum condition_step { CONDITION_OTHER, CONDITION_LIVE, CONDITION_DEAD };
/*
 * The directive whose name and rest are given (after '#'). Live: go on reading; dead: skip to the
 * next directive at the start of a line. *tell is what the parser is to hear, or 0.
 */
enum condition_step condition_line(struct conditions *c, const char *p, const char *end,
                                   char *tell);

struct fact_list {
    struct source_fact *v;
    size_t n, cap;
};

void parse_c(struct source_text *t, struct fact_list *out);
void parse_python(struct source_text *t, struct fact_list *out);
void parse_fortran(struct source_text *t, struct fact_list *out);

/* An OpenMP or OpenACC directive whose words begin at token i; adds what it means. */
void parse_offload(struct source_text *t, size_t i, struct source_fact around,
                   struct fact_list *out);

/* Text of tokens [from, to), blanks squeezed, cut to a sensible length. */
const char *tokens_text(const struct source_text *t, size_t from, size_t to);
static inline bool token_is(const struct token *k, char ch)
{
    return k->kind == TOKEN_PUNCT && k->ch == ch;
}
bool token_eq(const struct source_text *t, size_t i, const char *word);
bool token_eq_fold(const struct source_text *t, size_t i, const char *word);
/* i is an opening bracket: the token after its partner, or the end of the file. */
size_t tokens_skip(const struct source_text *t, size_t i);

/* ---- files ---- */
struct found_file {
    const char *path; /* as to open it */
    const char *shown;
    enum source_language language;
};
struct found_files {
    VEC(struct found_file) v;
};
bool collect_files(struct source_scan *s, const char *dir, struct found_files *out,
                   struct gs_error *err);
void source_skip(struct source_scan *s, const char *path, const char *reason);

/* ---- .gitignore ---- */
struct ignore_rule {
    const char *pattern;
    bool negated, folder_only, anchored;
};
struct ignore_file {
    const struct ignore_file *above;
    size_t base; /* length of the folder's path that rules are relative to, with its '/' */
    VEC(struct ignore_rule) rules;
};
void ignore_parse(struct ignore_file *f, const char *text, size_t n, struct arena *a);
/* path: below the folder scanned. */
bool ignored(const struct ignore_file *f, const char *path, bool is_folder);
/* '*' stays in a folder, two of them do not. *steps: what it took so far, which is bounded. */
bool glob_match(const char *pattern, const char *path, size_t *steps);

/* ---- what follows from the facts ---- */
void judge_kernels(struct source_scan *s);
/* A short list, most severe or urgent first; equals stay in the order in which they were judged. */
#define SORT_BY(list, member)                                                                      \
    for (size_t i_ = 1; i_ < (list)->n; i_++) {                                                    \
        __typeof__(*(list)->v) one_ = (list)->v[i_];                                               \
        size_t at_ = i_;                                                                           \
        for (; at_ && (list)->v[at_ - 1].member > one_.member; at_--)                              \
            (list)->v[at_] = (list)->v[at_ - 1];                                                   \
        (list)->v[at_] = one_;                                                                     \
    }
void judge_patterns(struct source_scan *s);
void judge_model(struct source_scan *s);
void judge_risks(struct source_scan *s);
void judge_counters(struct source_scan *s);
void judge_advice(struct source_scan *s);
/* "src/step.cpp:214" of the first fact of a pattern. */
const char *judge_first_place(struct source_scan *s, enum source_pattern_id id);
/* "1 blocking copy", "2 blocking copies": `what` is the singular, the plural behind '|'. */
const char *judge_counted(struct source_scan *s, uint32_t n, const char *what);
uint32_t pattern_count(const struct source_scan *s, enum source_pattern_id id);

#endif
