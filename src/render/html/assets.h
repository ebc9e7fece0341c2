/* The files of src/render/html/, put into the program at build time: see tools/embed.c. */
#ifndef GS_RENDER_HTML_ASSETS_H
#define GS_RENDER_HTML_ASSETS_H

struct html_asset {
    const char *name; /* without extension; NULL ends the list */
    const char *text;
};

extern const struct html_asset html_styles[], html_scripts[];

#endif
