#include "render/fields_json.h"

#include "base/str.h"

static void member(struct jwrite *w, const struct field *f, const void *row)
{
    const void *at = (const char *)row + f->offset;
    switch (f->type) {
    case FIELD_I64:
        jw_int(w, f->key, *(const int64_t *)at);
        break;
    case FIELD_U64:
        jw_uint(w, f->key, *(const uint64_t *)at);
        break;
    case FIELD_U32:
        jw_uint(w, f->key, *(const uint32_t *)at);
        break;
    case FIELD_I32:
        jw_int(w, f->key, *(const int32_t *)at);
        break;
    case FIELD_NUM:
        jw_num(w, f->key, *(const double *)at);
        break;
    case FIELD_TEXT:
        jw_str(w, f->key, *(const char *const *)at);
        break;
    case FIELD_BOOL:
        jw_bool(w, f->key, *(const bool *)at);
        break;
    }
}

void fields_json_members(struct jwrite *w, const struct fields *f, const void *row)
{
    for (size_t i = 0; i < f->n; i++)
        member(w, &f->v[i], row);
}

void fields_json_object(struct jwrite *w, const char *key, const struct fields *f, const void *row)
{
    jw_open(w, key, '{');
    fields_json_members(w, f, row);
    jw_close(w);
}

void fields_json_rows(struct jwrite *w, const char *key, const struct fields *f, const void *rows,
                      size_t n, size_t most)
{
    jw_open(w, key, '[');
    for (size_t i = 0; i < n && (!most || i < most); i++)
        fields_json_object(w, NULL, f, (const char *)rows + i * f->row_size);
    jw_close(w);
}

void fields_json_result(struct jwrite *w, const struct result *r)
{
    if (r->is_object)
        fields_json_object(w, r->fields->key, r->fields, r->rows);
    else
        fields_json_rows(w, r->fields->key, r->fields, r->rows, r->n, 0);
}
