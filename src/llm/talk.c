#include "llm/talk.h"

#include <string.h>
#include <time.h>

#include "base/log.h"
#include "llm/journal.h"
#include "llm/transcript.h"

static const char summarise[] =
    "You shorten a conversation about the performance of a GPU program. Write at most 300 words: "
    "what the program is like, what was asked and found, what was suggested or tried, where things "
    "stand. Keep numbers and words in square brackets exactly as they are.";

bool talk_begin(struct llm_talk *t, struct llm *l, struct run *run, int threads,
                struct gs_error *err)
{
    *t = (struct llm_talk){.l = l, .run = run};
    if (l->o->archive && !l->o->preview &&
        !(t->archive = journal_open(l->o->archive, true, l->arena, err)))
        return false;
    llm_begin(l, &t->d);
    redact_run(&l->redact, run);
    redact_seal(&l->redact);
    agent_init(&t->agent, l, run, threads);
    agent_offer(&t->agent, &t->d);
    t->d.system = prompt_system(l, TASK_QUESTION, t->d.tools.n > 0, run, NULL, false);
    return true;
}

void talk_put(struct llm_talk *t, const char *question)
{
    struct llm *l = t->l;
    vec_push(&t->starts, l->arena, t->d.messages.n);
    llm_say(&t->d, LLM_USER,
            t->d.messages.n
                ? redact_text(&l->redact, question)
                : prompt_message(l, prompt_analysis(l, t->run), TASK_QUESTION, question));
}

/* ---- archive ---- */

static void archive(struct llm_talk *t, const char *role, const char *content)
{
    struct arena *scratch = arena_scratch();
    struct str line;
    struct jwrite w;
    char when[40];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc);
    str_init(&line, scratch);
    jw_init(&w, &line, 0);
    jw_open(&w, NULL, '{');
    jw_str(&w, "role", role);
    jw_str(&w, "content", content);
    jw_uint(&w, "turn", t->asked);
    jw_str(&w, "ts", when);
    jw_close(&w);
    str_putc(&line, '\n');
    journal_put(t->archive, &line);
    arena_release(scratch);
}

/* ---- compaction ---- */

static const char *said_between(const struct llm_talk *t, size_t from, size_t to, struct arena *a)
{
    struct str out;
    str_init(&out, a);
    for (size_t i = from; i < to; i++) {
        const struct llm_message *m = &t->d.messages.v[i];
        for (size_t k = 0; k < m->parts.n; k++) {
            const struct llm_part *p = &m->parts.v[k];
            if (p->kind == LLM_PART_TEXT)
                str_printf(&out, "[%s] %s\n", m->role == LLM_USER ? "user" : "model", p->text);
            else if (p->kind == LLM_PART_CALL)
                str_printf(&out, "[model looked up] %s %s\n", p->name, p->text);
        }
    }
    return out.buf;
}

static void compact(struct llm_talk *t)
{
    struct llm *l = t->l;
    struct llm_dialogue d;
    struct llm_answer a;
    size_t keep = t->starts.v[t->starts.n - TALK_RECENT];
    llm_begin(l, &d);
    d.system = summarise;
    d.max_tokens = 600;
    d.thinking = 0;
    d.effort = EFFORT_OWN;
    llm_say(&d, LLM_USER, said_between(t, 1, keep, l->arena));
    t->since_compaction = 0;
    if (!llm_exchange(l, &d, &a, NULL, NULL)) {
        log_warn("the conversation could not be shortened: %s", a.fault_text);
        return;
    }
    struct llm_dialogue shorter = t->d;
    memset(&shorter.messages, 0, sizeof(shorter.messages));
    vec_push(&shorter.messages, l->arena, t->d.messages.v[0]);
    llm_say(&shorter, LLM_MODEL, arena_printf(l->arena, "[Session summary] %s", a.raw));
    for (size_t i = keep; i < t->d.messages.n; i++)
        vec_push(&shorter.messages, l->arena, t->d.messages.v[i]);
    for (size_t i = 0; i < TALK_RECENT; i++)
        t->starts.v[i + 1] = t->starts.v[t->starts.n - TALK_RECENT + i] - keep + 2;
    t->starts.n = TALK_RECENT + 1;
    t->d = shorter;
}

bool talk_ask(struct llm_talk *t, const char *question, struct llm_answer *out, llm_shower *show,
              void *ctx)
{
    size_t before = t->starts.v[t->starts.n - 1];
    t->asked++;
    transcript_open(t->l, NULL); /* llm_exchange() says where that fails */
    transcript_question(t->l, question);
    archive(t, "user", question);
    if (!agent_run(&t->agent, &t->d, out, show, ctx)) {
        t->d.messages.n = before;
        t->starts.n--;
        return false;
    }
    archive(t, "assistant", out->text);
    t->since_compaction++;
    if (t->l->o->compact_every > 0 && (int64_t)t->since_compaction >= t->l->o->compact_every &&
        t->starts.n > TALK_RECENT + 1)
        compact(t);
    return true;
}
