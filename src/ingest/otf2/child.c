/* The child that reads: callbacks of libotf2 into records. */
#include "ingest/otf2/otf2.h"

#include <fcntl.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LOCATIONS_MAX = 1000000 };
enum { BUFFER = 1 << 16, MEMBERS_MAX = 1 << 16, ATTRIBUTES_MAX = 256, STRINGS_MAX = 1 << 16 };

struct out {
    int fd;
    size_t n;
    char buf[BUFFER];
};

struct child {
    struct out out;
    struct {
        uint32_t name, unit;
    } member[MEMBERS_MAX];
    uint8_t note_of[ATTRIBUTES_MAX]; /* by attribute: 1 + enum otf2_note */
    uint8_t note_name[STRINGS_MAX];  /* by string: the same, of the names they have */
    uint64_t *location;              /* those that were defined */
    size_t n_locations, cap_locations;
};

static struct child *self;

static void flush(void)
{
    for (size_t at = 0; at < self->out.n;) {
        ssize_t got = write(self->out.fd, self->out.buf + at, self->out.n - at);
        if (got <= 0)
            _exit(2);
        at += (size_t)got;
    }
    self->out.n = 0;
}

static void put(const void *p, size_t n)
{
    const char *from = p;
    while (n) {
        size_t part = BUFFER - self->out.n < n ? BUFFER - self->out.n : n;
        memcpy(self->out.buf + self->out.n, from, part);
        self->out.n += part;
        from += part;
        n -= part;
        if (self->out.n == BUFFER)
            flush();
    }
}

static void record(uint32_t kind, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint32_t e)
{
    struct otf2_record r = {kind, e, a, b, c, d};
    put(&r, sizeof(r));
}

/* ---- definitions ---- */

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t realtime)
{
    (void)user, (void)length;
    record(O_CLOCK, resolution, realtime == OTF2_UNDEFINED_TIMESTAMP ? 0 : realtime, offset, 0, 0);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef id, const char *text)
{
    static const char *const names[ON_NOTES] = {
        [ON_CATEGORY] = "category",
        [ON_CORRELATION] = "corr_id",
        [ON_ID] = "id",
        [ON_BYTES] = "bytes",
        [ON_GRID] = "grid_size",
        [ON_WORKGROUP] = "workgroup_size",
        [ON_LDS] = "lds_bytes",
        [ON_SCRATCH] = "scratch_bytes",
        [ON_VGPRS] = "vgprs",
        [ON_SRC] = "src_gpu",
        [ON_DST] = "dst_gpu",
        [ON_OPERATION] = "operation",
        [ON_QUEUE] = "queue",
        [ON_TID] = "tid",
        [ON_GPU] = "gpu",
        [ON_ADDRESS] = "address",
    };
    size_t n = text ? strlen(text) : 0;
    (void)user;
    for (uint8_t i = 0; i < ON_NOTES && id < STRINGS_MAX; i++)
        if (n && !strcmp(text, names[i]))
            self->note_name[id] = (uint8_t)(i + 1);
    record(O_STRING, id, n, 0, 0, 0);
    put(text, n);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *user, OTF2_AttributeRef id, OTF2_StringRef name,
                                      OTF2_StringRef text, OTF2_Type type)
{
    (void)user, (void)text, (void)type;
    if (id < ATTRIBUTES_MAX && name < STRINGS_MAX)
        self->note_of[id] = self->note_name[name];
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node(void *user, OTF2_SystemTreeNodeRef id, OTF2_StringRef name,
                                 OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
    (void)user, (void)class, (void)parent;
    record(O_NODE, id, name, 0, 0, 0);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *user, OTF2_LocationGroupRef id, OTF2_StringRef name,
                                  OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                  OTF2_LocationGroupRef maker)
{
    (void)user;
    record(O_GROUP, id, name, node, maker, type);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef id, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
    (void)events;
    record(O_LOCATION, id, name, group, 0, type);
    OTF2_Reader_SelectLocation(user, id);
    if (self->n_locations == LOCATIONS_MAX)
        _exit(3);
    if (self->n_locations == self->cap_locations) {
        self->cap_locations = self->cap_locations * 2 + 64;
        self->location = realloc(self->location, self->cap_locations * sizeof(*self->location));
        if (!self->location)
            _exit(2);
    }
    self->location[self->n_locations++] = id;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef id, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef text,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                   uint32_t end)
{
    (void)user, (void)canonical, (void)text, (void)flags, (void)file, (void)begin, (void)end;
    record(O_REGION, id, name, paradigm, 0, role);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_member(void *user, OTF2_MetricMemberRef id, OTF2_StringRef name,
                                   OTF2_StringRef text, OTF2_MetricType type, OTF2_MetricMode mode,
                                   OTF2_Type value, OTF2_Base base, int64_t exponent,
                                   OTF2_StringRef unit)
{
    (void)user, (void)text, (void)type, (void)mode, (void)value, (void)base, (void)exponent;
    if (id < MEMBERS_MAX) {
        self->member[id].name = name;
        self->member[id].unit = unit;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_class(void *user, OTF2_MetricRef id, uint8_t n,
                                  const OTF2_MetricMemberRef *members,
                                  OTF2_MetricOccurrence occurrence, OTF2_RecorderKind kind)
{
    (void)user, (void)occurrence, (void)kind;
    if (n && members && members[0] < MEMBERS_MAX)
        record(O_METRIC, id, self->member[members[0]].name, self->member[members[0]].unit, 0, 0);
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- events ---- */

static void take_notes(struct otf2_notes *to, OTF2_AttributeList *list)
{
    uint32_t n = list ? OTF2_AttributeList_GetNumberOfElements(list) : 0;
    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef id;
        OTF2_Type type;
        OTF2_AttributeValue v;
        if (OTF2_AttributeList_GetAttributeByIndex(list, i, &id, &type, &v) != OTF2_SUCCESS ||
            id >= ATTRIBUTES_MAX || !self->note_of[id])
            continue;
        int k = self->note_of[id] - 1;
        to->given |= UINT64_C(1) << k;
        to->value[k] = type == OTF2_TYPE_STRING   ? (int64_t)v.stringRef
                       : type == OTF2_TYPE_INT64  ? v.int64
                       : type == OTF2_TYPE_UINT64 ? (int64_t)v.uint64
                       : type == OTF2_TYPE_UINT32 ? (int64_t)v.uint32
                       : type == OTF2_TYPE_INT32  ? (int64_t)v.int32
                                                  : 0;
    }
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *list, OTF2_RegionRef region)
{
    struct otf2_notes notes = {0};
    (void)user;
    take_notes(&notes, list);
    record(O_ENTER, location, time, region, 0, 0);
    put(&notes, sizeof(notes));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *list, OTF2_RegionRef region)
{
    (void)user, (void)list, (void)region;
    record(O_LEAVE, location, time, 0, 0, 0);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                   OTF2_AttributeList *list, OTF2_MetricRef metric, uint8_t n,
                                   const OTF2_Type *types, const OTF2_MetricValue *values)
{
    (void)user, (void)list;
    if (!n || !types || !values)
        return OTF2_CALLBACK_SUCCESS;
    double v = types[0] == OTF2_TYPE_DOUBLE  ? values[0].floating_point
               : types[0] == OTF2_TYPE_INT64 ? (double)values[0].signed_int
                                             : (double)values[0].unsigned_int;
    uint64_t bits;
    memcpy(&bits, &v, 8);
    record(O_VALUE, location, time, metric, bits, 0);
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- the archive ---- */

static void read_definitions(OTF2_Reader *r)
{
    uint64_t n;
    OTF2_GlobalDefReader *d = OTF2_Reader_GetGlobalDefReader(r);
    OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
    if (!d || !c)
        _exit(3);
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(c, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, on_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(c, on_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(c, on_class);
    OTF2_Reader_RegisterGlobalDefCallbacks(r, d, c, r);
    if (OTF2_Reader_ReadAllGlobalDefinitions(r, d, &n) != OTF2_SUCCESS)
        _exit(3);
}

/* A reader takes kilobytes: who claims a location must have a file for it. */
static bool has_events(const char *stem, uint64_t location)
{
    char path[4096];
    int n = snprintf(path, sizeof(path), "%s/%llu.evt", stem, (unsigned long long)location);
    return n > 0 && (size_t)n < sizeof(path) && access(path, R_OK) == 0;
}

/* Opens readers of locations from `k` on, as many as memory allows; where the next begin. */
static size_t open_locations(OTF2_Reader *r, const char *stem, size_t k, size_t most, bool local)
{
    uint64_t n;
    for (size_t opened = 0; k < self->n_locations && opened < most; k++) {
        uint64_t i = self->location[k];
        if (!has_events(stem, i))
            continue;
        OTF2_DefReader *d = local ? OTF2_Reader_GetDefReader(r, i) : NULL;
        if (d) {
            OTF2_Reader_ReadAllLocalDefinitions(r, d, &n);
            OTF2_Reader_CloseDefReader(r, d);
        }
        OTF2_Reader_GetEvtReader(r, i);
        opened++;
    }
    return k;
}

/* In the order of their times, of all locations that are open. */
static void read_open(OTF2_Reader *r, OTF2_GlobalEvtReaderCallbacks *c)
{
    uint64_t n;
    OTF2_GlobalEvtReader *e = OTF2_Reader_GetGlobalEvtReader(r);
    if (!e)
        _exit(3);
    OTF2_Reader_RegisterGlobalEvtCallbacks(r, e, c, NULL);
    if (OTF2_Reader_ReadAllGlobalEvents(r, e, &n) != OTF2_SUCCESS)
        _exit(3);
    OTF2_Reader_CloseGlobalEvtReader(r, e);
}

/*
 * A reader takes a chunk of memory, however small its file is, and the archive says how large that
 * is. So they are read in batches; events are joined by location, whatever stands between them.
 */
static void read_events(OTF2_Reader *r, const char *stem, uint64_t bytes)
{
    enum { ALWAYS = 32 << 20, TIMES = 100, MOST = 512 << 20 };
    uint64_t chunk = 0, definitions;
    bool local = OTF2_Reader_OpenDefFiles(r) == OTF2_SUCCESS;
    OTF2_GlobalEvtReaderCallbacks *c = OTF2_GlobalEvtReaderCallbacks_New();
    if (!c || OTF2_Reader_GetChunkSize(r, &chunk, &definitions) != OTF2_SUCCESS || !chunk ||
        OTF2_Reader_OpenEvtFiles(r) != OTF2_SUCCESS)
        _exit(3);
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(c, on_enter);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(c, on_leave);
    OTF2_GlobalEvtReaderCallbacks_SetMetricCallback(c, on_metric);
    uint64_t room = ALWAYS + bytes * TIMES < MOST ? ALWAYS + bytes * TIMES : MOST;
    for (size_t k = 0; k < self->n_locations;) {
        k = open_locations(r, stem, k, room / chunk ? (size_t)(room / chunk) : 1, local);
        read_open(r, c);
    }
    if (local)
        OTF2_Reader_CloseDefFiles(r);
}

static void limit(int what, uint64_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now) != 0)
        return;
    if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > most)
        now.rlim_cur = most;
    setrlimit(what, &now);
}

/* What the process has already: its parent's, which it shares. */
static uint64_t addresses_now(void)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f || fscanf(f, "%llu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

_Noreturn void otf2_child(const char *path, const char *stem, int fd, uint64_t bytes,
                          uint64_t files)
{
    enum { ALWAYS_MIB = 700, FILE_KIB = 64, TIMES = 8, ALWAYS_S = 10 };
    int quiet = open("/dev/null", O_WRONLY);
    if (quiet >= 0) { /* libotf2 tells its troubles itself; ours is one line */
        dup2(quiet, STDERR_FILENO);
        dup2(quiet, STDOUT_FILENO);
    }
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, ALWAYS_S + bytes / (1 << 20));
    limit(RLIMIT_AS, addresses_now() + ((((uint64_t)ALWAYS_MIB << 10) + files * FILE_KIB) << 10) +
                         bytes * TIMES);
    self = calloc(1, sizeof(*self));
    if (!self)
        _exit(2);
    self->out.fd = fd;
    OTF2_Reader *r = OTF2_Reader_Open(path);
    if (!r || OTF2_Reader_SetSerialCollectiveCallbacks(r) != OTF2_SUCCESS)
        _exit(3);
    read_definitions(r);
    read_events(r, stem, bytes);
    record(O_END, 0, 0, 0, 0, 0);
    flush();
    _exit(0);
}
