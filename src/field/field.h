/*
 * Fields: what the members of a struct are called, measured in and mean, and everything that can
 * be done with a struct by knowing that.
 *
 * JSON out and in, its schema, CSV, workbooks, tables of the page, `gpusight explain` and
 * docs/metrics.md come from these tables, so no output can disagree with another or forget a field.
 *
 *     static const struct field list[] = {
 *         FIELD(struct hotspot, calls, FIELD_U64, "calls", NO_UNIT, "number of dispatches"),
 *         ...
 *     };
 *     const struct fields hotspot_fields = FIELDS("hotspots", "...", struct hotspot, list);
 *
 *     fields_write(&w, "hotspot", &hotspot_fields, row);          as JSON
 *     field_text(fields_find(&hotspot_fields, "calls"), row, arena)   "1,234", for a person
 *
 * FIELD() is a column: a number or a text with a label and a unit. A JSON document is a struct,
 * too, with objects and lists in it; ALWAYS(), OR_NULL() and IF_ANY() name its members:
 *
 *     #define T struct command
 *     static const struct field list[] = {
 *         ALWAYS(T, tool, FIELD_TEXT, "tool", "the profiler"),
 *         ALWAYS(T, args, FIELD_LIST, "args", "its options", .of = &argument_fields),
 *         OR_NULL(T, parent, FIELD_REF, "parent", "null: none", .of = &command_fields),
 *     };
 *
 * Nothing here is changed after it was made; all functions may run in several threads.
 */
#ifndef GS_FIELD_FIELD_H
#define GS_FIELD_FIELD_H

#include "base/jread.h"
#include "base/jwrite.h"
#include "base/unit.h"
#include "base/vec.h"

enum field_type {
    FIELD_I64,
    FIELD_U64,
    FIELD_U32,
    FIELD_I32,    /* -1 is "none" where the doc says so */
    FIELD_NUM,    /* double; NaN is "not known": null in JSON, "-" in tables */
    FIELD_TEXT,   /* const char *; NULL is null */
    FIELD_CHARS,  /* char[] inside the struct */
    FIELD_BOOL,   /* bool */
    FIELD_ENUM,   /* an enum; `words` has the name of each value */
    FIELD_SET,    /* unsigned: a list of the words whose bits are set */
    FIELD_FIXED,  /* no member at all: always the text words[0] */
    FIELD_NULL,   /* no member at all: always null */
    FIELD_OBJECT, /* a struct inside the struct */
    FIELD_REF,    /* a pointer to a struct; NULL is null */
    FIELD_LIST,   /* a VEC of structs, or of what field_texts describes */
    FIELD_MAP,    /* a VEC of structs, an object with them by their first field */
    FIELD_PAIRS,  /* a VEC of structs of two fields, an object of names and values */
    FIELD_TABLES, /* struct results: an object with each table by its key */
};

/* How people see a number, where its unit does not say it all. */
enum field_style {
    STYLE_BY_UNIT,
    STYLE_CHANGE,    /* a difference: "+213 ms", "-3.4 %"; with `decimals`, no unit: "+1.5" */
    STYLE_FROM_ZERO, /* below 0 there is none to show */
    STYLE_OVER_ZERO, /* nor is 0 one */
    STYLE_MOMENT,    /* a point in time: reports show it from the start of their window on */
    STYLE_FIGURE,    /* of any size, without its unit: "12,345", "1.25", "0.0123" */
    STYLE_DECIMALS,  /* without its unit, `decimals` places of what is no integer */
    STYLE_EXACT,     /* all digits, and nothing where there is no value */
};

/* What else may stand for a value. */
enum field_null {
    NULL_BY_TYPE, /* null, where the type is FIELD_NUM or FIELD_TEXT */
    NULL_NEVER,
    NULL_MAYBE,   /* null; integers are then null when they are negative and nothing says if */
    NULL_OMITTED, /* not even the key; without anything that says if, when it is 0 or empty */
};

struct field {
    const char *key;   /* in JSON; NULL: see struct fields */
    const char *label; /* over a column */
    enum unit unit;
    enum field_type type;
    size_t offset;
    const char *doc; /* one sentence: the formula */
    enum field_null null;
    const struct fields *of;  /* of objects and lists: what is in there */
    const char *const *words; /* of texts: all that it can be; NULL at the end */
    const char *least;        /* of numbers, for the schema: "1"; NULL: 0 where it has no sign */
    double divide;            /* of numbers: shown divided by this; 0: as they are */
    double steps; /* of numbers: rounded to 1 / steps, 0 where there is none; 0: as they are */
    enum field_style style;
    int decimals;
    bool whole;                   /* of texts: never cut to fit */
    bool right;                   /* of texts: these are numbers, and stand as such */
    bool (*has)(const void *row); /* whether there is a value; NULL: always */
    size_t flag; /* the same, by a bool of the struct: FLAG(T, member). Reading sets it */
};

/*
 * The fields of a struct. A nameless object or reference is no member of its own: what is in it
 * stands among the others; nameless pairs do, too. A list of structs with nothing but nameless
 * numbers and texts is a list of these, row after row.
 */
struct fields {
    const char *key; /* of the table, in JSON */
    const char *doc;
    const struct field *v;
    size_t n, row_size;
    const void *start; /* a row before anything is read into it; NULL: zeros */
};

#define FIELD_AS(T, m, t, k, l, u, d, ...)                                                         \
    {                                                                                              \
        .key = k, .label = l, .unit = u, .type = t, .offset = offsetof(T, m), .doc = d,            \
        ##__VA_ARGS__                                                                              \
    }
#define FIELD(T, member, type, label, unit, doc, ...)                                              \
    FIELD_AS(T, member, type, #member, label, unit, doc, ##__VA_ARGS__)
#define ALWAYS(T, member, type, key, doc, ...)                                                     \
    FIELD_AS(T, member, type, key, key, NO_UNIT, doc, .null = NULL_NEVER, ##__VA_ARGS__)
#define OR_NULL(T, member, type, key, doc, ...)                                                    \
    FIELD_AS(T, member, type, key, key, NO_UNIT, doc, .null = NULL_MAYBE, ##__VA_ARGS__)
#define IF_ANY(T, member, type, key, doc, ...)                                                     \
    FIELD_AS(T, member, type, key, key, NO_UNIT, doc, .null = NULL_OMITTED, ##__VA_ARGS__)
/* At the end of a field: its style; that its texts are never cut. */
#define AS_CHANGE .style = STYLE_CHANGE
#define AS_MOMENT .style = STYLE_MOMENT
#define AS_FIGURE .style = STYLE_FIGURE
#define AS_DECIMALS(n) .style = STYLE_DECIMALS, .decimals = (n)
#define UNCUT .whole = true
/* All members of a table, among those of this one; the same, where the struct is that of the table.
 */
#define ALL_OF(fields)                                                                             \
    {                                                                                              \
        .type = FIELD_OBJECT, .null = NULL_NEVER, .of = fields                                     \
    }
/* Where the row is a pointer to a struct of the table. */
#define ALL_AT(fields)                                                                             \
    {                                                                                              \
        .type = FIELD_REF, .null = NULL_NEVER, .of = fields                                        \
    }
#define SPREAD(T, member, type, fields)                                                            \
    FIELD_AS(T, member, type, NULL, "", NO_UNIT, "", .null = NULL_NEVER, .of = fields)
/* Without a member: a text that never changes, or an object made of the struct itself. */
#define FIXED(k, text, d)                                                                          \
    {                                                                                              \
        .key = k, .label = k, .type = FIELD_FIXED, .doc = d, .null = NULL_NEVER,                   \
        .words = WORDS(text)                                                                       \
    }
#define WITHIN(k, d, fields, ...)                                                                  \
    {                                                                                              \
        .key = k, .label = k, .type = FIELD_OBJECT, .doc = d, .of = fields, ##__VA_ARGS__          \
    }
#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
/* The table of a part of a document, for one file. */
#define PART(name, T, ...)                                                                         \
    static const struct field name##_list[] = {__VA_ARGS__};                                       \
    static const struct fields name = FIELDS("", "", T, name##_list)
/* The same for several files: a header declares `name`. */
#define SHARED_PART(name, T, ...)                                                                  \
    static const struct field name##_list[] = {__VA_ARGS__};                                       \
    const struct fields name = FIELDS("", "", T, name##_list)
#define ALWAYS_NULL(k, d)                                                                          \
    {                                                                                              \
        .key = k, .label = k, .type = FIELD_NULL, .doc = d                                         \
    }
#define FLAG(T, member) (offsetof(T, member) + 1)
#define FIELDS(key, doc, T, array)                                                                 \
    {                                                                                              \
        key, doc, array, ARRAY_LEN(array), sizeof(T), NULL                                         \
    }

/* Of lists of const char *. */
extern const struct fields field_texts;

/* A table of results: rows of one struct, or a single object. */
struct result {
    const struct fields *fields;
    const void *rows;
    size_t n;
    bool is_object;
};

struct results {
    struct result *v;
    size_t n, cap;
};

/* The table with this key, or NULL. */
const struct result *results_find(const struct results *all, const char *key);

/* The field with this key, or NULL; those of nameless objects are not looked at. */
const struct field *fields_find(const struct fields *f, const char *key);

/* ---- one value ---- */

enum value_kind {
    VALUE_NONE, /* NaN, NULL, not there; objects and lists as well */
    VALUE_INT,
    VALUE_UINT,
    VALUE_REAL,
    VALUE_TEXT,
    VALUE_BOOL,
};

struct field_value {
    enum value_kind kind;
    union {
        int64_t i;
        uint64_t u;
        double real;
        const char *text;
        bool yes;
    };
};

struct field_value field_get(const struct field *f, const void *row);

bool field_is_text(const struct field *f);  /* no number: text, word, yes or no */
bool field_is_count(const struct field *f); /* how many: no sign; what has one names something */
double field_number(const struct field *f, const void *row); /* NaN: none, or no number */

/* For a person, by unit and style: "1.25 ms", "3 KiB", "9.17 GB/s", "yes"; "-" where there is no
 * number. */
const char *field_text(const struct field *f, const void *row, struct arena *a);
bool field_is_blank(const struct field *f, const void *row); /* that is "" or "-" */

/*
 * All digits, for programs: the fewest that read back equal; "" where there is no value. Numbers
 * are written to buf, of VALUE_MAX bytes.
 */
enum { VALUE_MAX = 40 };
const char *value_exact(struct field_value v, char *buf);

/* ---- JSON out (field_json.c) ---- */

void fields_write(struct jwrite *w, const char *key, const struct fields *f, const void *row);
void fields_write_members(struct jwrite *w, const struct fields *f, const void *row);
void fields_write_rows(struct jwrite *w, const char *key, const struct fields *f, const void *rows,
                       size_t n);
void result_write(struct jwrite *w, const struct result *r); /* under its own key */

/* ---- JSON in (field_read.c) ---- */

/*
 * An object, into a row that is zeroed or holds defaults. Members without a field are skipped,
 * values of another type are as good as none (0, NaN, NULL, -1 for FIELD_I32); lists are appended
 * to. Texts and rows are in the arena. FIELD_TABLES, nameless references and what is divided are
 * not read. Syntax errors stay with the reader (jr_end).
 */
void fields_read(struct jread *j, const struct fields *f, void *row, struct arena *a);

/* ---- what others need to know (field_schema.c, field_doc.c) ---- */

/*
 * The JSON Schema of what fields_write() writes, into an object that is open: properties, required
 * and that there is nothing else. `example` is a row, for FIELD_TABLES in it; NULL: there are none.
 */
void fields_schema(struct jwrite *w, const struct fields *f, const void *example);

/* The same as a whole file. */
void fields_schema_document(struct str *out, const char *id, const char *title, const char *doc,
                            const struct fields *f);

/* A chapter of a reference in Markdown: the table's doc, and a row for each field. */
void fields_doc(struct str *out, const struct fields *f, bool is_object);

/* A row of such a table; nothing in a text becomes markup or ends a cell. */
void fields_doc_row(struct str *out, const char *code, const char *second, const char *third);
void fields_doc_text(struct str *out, const char *text);

#endif
