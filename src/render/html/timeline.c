/* The timeline's controls, and its events. */
#include "render/html/html_in.h"
#include "render/html/timeline_pack.h"

static const char controls[] =
    "<div class=\"tl-bar\" role=\"toolbar\" aria-label=\"Timeline\">\n"
    "<button type=\"button\" id=\"tl-in\" aria-label=\"Zoom in\">+</button>\n"
    "<button type=\"button\" id=\"tl-out\" aria-label=\"Zoom out\">−</button>\n"
    "<button type=\"button\" id=\"tl-fit\">Fit</button>\n"
    "<label class=\"tl-find\">Find <input type=\"search\" id=\"tl-search\" placeholder=\"kernel, "
    "call, "
    "marker\" autocomplete=\"off\"></label>\n"
    "<button type=\"button\" id=\"tl-prev\" aria-label=\"Previous match\">◀</button>\n"
    "<button type=\"button\" id=\"tl-next\" aria-label=\"Next match\">▶</button>\n"
    "<span id=\"tl-matches\" role=\"status\"></span>\n"
    "<span class=\"grow\"></span>\n"
    "<button type=\"button\" id=\"tl-range\">Select what is visible</button>\n"
    "<button type=\"button\" id=\"tl-clear\" hidden>Clear selection</button>\n"
    "</div>\n"
    "<canvas id=\"tl-map\" height=\"40\" aria-hidden=\"true\"></canvas>\n"
    "<div id=\"tl-scroll\"><div id=\"tl-space\"><canvas id=\"tl\" tabindex=\"0\" "
    "role=\"application\" "
    "aria-label=\"Timeline of GPU work, host calls and markers\" "
    "aria-describedby=\"tl-keys\"></canvas>"
    "</div></div>\n"
    "<div id=\"tl-legend\" class=\"legend\"></div>\n"
    "<details class=\"keys\"><summary>Keys and gestures</summary><p id=\"tl-keys\">Drag to pan, "
    "Ctrl+wheel (or the wheel alone once the timeline has the focus) or pinch to zoom, Shift+drag "
    "to "
    "select a range. Keys: arrows or a, d pan; w, s, + and - zoom; Home shows everything; up and "
    "down "
    "choose a row; . and , choose the next and previous event; Enter zooms to it; g goes to the "
    "call of a "
    "kernel or the kernel of a call; Escape clears.</p></details>\n"
    "<div id=\"tl-hover\" hidden></div>\n"
    "<div id=\"tl-event\" class=\"box\" role=\"status\" hidden></div>\n"
    "<div id=\"tl-summary\" class=\"box\" hidden></div>\n";

void html_timeline(struct html *h)
{
    html_raw(h,
             "<p id=\"tl-status\" class=\"note\" role=\"status\">The timeline needs scripts.</p>\n"
             "<div id=\"tl-box\" hidden>\n");
    html_raw(h, controls);
    html_raw(h, "</div>\n");
}

void html_events(struct html *h)
{
    struct arena *temporary = arena_scratch();
    struct tracks tracks;
    struct timeline_pack pack;
    struct pack_chunks chunks;
    tracks_make(&tracks, h->d->a, h->d->timeline_limit, temporary);
    timeline_pack_make(&pack, &tracks, temporary);
    timeline_pack_compress(&chunks, &pack, h->d->a->view.workers);
    size_t size = 0;
    for (size_t i = 0; i < chunks.n; i++)
        size += chunks.v[i].size + 128;
    str_room(h->out, size);
    for (size_t i = 0; i < chunks.n; i++) {
        html(h, "<script type=\"application/octet-stream\" class=\"pack\" data-size=\"%zu\"",
             chunks.v[i].raw_size);
        if (!i)
            html(h, " data-header=\"%zu\"", pack.header_size);
        html_raw(h, ">");
        str_put(h->out, chunks.v[i].text, chunks.v[i].size);
        html_raw(h, "</script>\n");
    }
    arena_release(temporary);
}
