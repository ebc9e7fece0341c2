#include "model/priority.h"

#include "base/str.h"

const char *const priority_names[] = {"HIGH", "MEDIUM", "LOW", "INFO", NULL};

const char *priority_name(enum priority p)
{
    return priority_names[p];
}

enum priority priority_of(const char *word)
{
    int i = str_word(word, priority_names);
    return i < 0 ? PRIORITY_MEDIUM : (enum priority)i;
}
