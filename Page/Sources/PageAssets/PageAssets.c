#include "PageAssets.h"

// To be standard C, '#embed' needs C23; clang has had it as an extension since version 19.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "assets/index.html"
};
static const unsigned char page_css[] = {
#embed "assets/page.css"
};
static const unsigned char api_js[] = {
#embed "assets/api.js"
};
static const unsigned char changes_js[] = {
#embed "assets/changes.js"
};
static const unsigned char choices_js[] = {
#embed "assets/choices.js"
};
static const unsigned char controls_js[] = {
#embed "assets/controls.js"
};
static const unsigned char copy_js[] = {
#embed "assets/copy.js"
};
static const unsigned char details_js[] = {
#embed "assets/details.js"
};
static const unsigned char diff_js[] = {
#embed "assets/diff.js"
};
static const unsigned char dom_js[] = {
#embed "assets/dom.js"
};
static const unsigned char drafts_js[] = {
#embed "assets/drafts.js"
};
static const unsigned char events_js[] = {
#embed "assets/events.js"
};
static const unsigned char file_js[] = {
#embed "assets/file.js"
};
static const unsigned char files_js[] = {
#embed "assets/files.js"
};
static const unsigned char fixes_js[] = {
#embed "assets/fixes.js"
};
static const unsigned char list_js[] = {
#embed "assets/list.js"
};
static const unsigned char lists_js[] = {
#embed "assets/lists.js"
};
static const unsigned char marks_js[] = {
#embed "assets/marks.js"
};
static const unsigned char model_js[] = {
#embed "assets/model.js"
};
static const unsigned char notices_js[] = {
#embed "assets/notices.js"
};
static const unsigned char page_js[] = {
#embed "assets/page.js"
};
static const unsigned char past_js[] = {
#embed "assets/past.js"
};
static const unsigned char row_js[] = {
#embed "assets/row.js"
};
static const unsigned char search_js[] = {
#embed "assets/search.js"
};
static const unsigned char settings_js[] = {
#embed "assets/settings.js"
};
static const unsigned char shortcuts_js[] = {
#embed "assets/shortcuts.js"
};
static const unsigned char start_js[] = {
#embed "assets/start.js"
};
static const unsigned char stream_js[] = {
#embed "assets/stream.js"
};
static const unsigned char tables_js[] = {
#embed "assets/tables.js"
};
static const unsigned char toml_js[] = {
#embed "assets/toml.js"
};
static const unsigned char typed_js[] = {
#embed "assets/typed.js"
};

#define HTML "text/html; charset=utf-8"
#define CSS "text/css; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"

// Another file of the page is one more '#embed' and one more line here.
static const struct page_asset assets[] = {
    {"/", "index.html", HTML, index_html, sizeof index_html},
    {"/page.css", "page.css", CSS, page_css, sizeof page_css},
    {"/api.js", "api.js", SCRIPT, api_js, sizeof api_js},
    {"/changes.js", "changes.js", SCRIPT, changes_js, sizeof changes_js},
    {"/choices.js", "choices.js", SCRIPT, choices_js, sizeof choices_js},
    {"/controls.js", "controls.js", SCRIPT, controls_js, sizeof controls_js},
    {"/copy.js", "copy.js", SCRIPT, copy_js, sizeof copy_js},
    {"/details.js", "details.js", SCRIPT, details_js, sizeof details_js},
    {"/diff.js", "diff.js", SCRIPT, diff_js, sizeof diff_js},
    {"/dom.js", "dom.js", SCRIPT, dom_js, sizeof dom_js},
    {"/drafts.js", "drafts.js", SCRIPT, drafts_js, sizeof drafts_js},
    {"/events.js", "events.js", SCRIPT, events_js, sizeof events_js},
    {"/file.js", "file.js", SCRIPT, file_js, sizeof file_js},
    {"/files.js", "files.js", SCRIPT, files_js, sizeof files_js},
    {"/fixes.js", "fixes.js", SCRIPT, fixes_js, sizeof fixes_js},
    {"/list.js", "list.js", SCRIPT, list_js, sizeof list_js},
    {"/lists.js", "lists.js", SCRIPT, lists_js, sizeof lists_js},
    {"/marks.js", "marks.js", SCRIPT, marks_js, sizeof marks_js},
    {"/model.js", "model.js", SCRIPT, model_js, sizeof model_js},
    {"/notices.js", "notices.js", SCRIPT, notices_js, sizeof notices_js},
    {"/page.js", "page.js", SCRIPT, page_js, sizeof page_js},
    {"/past.js", "past.js", SCRIPT, past_js, sizeof past_js},
    {"/row.js", "row.js", SCRIPT, row_js, sizeof row_js},
    {"/search.js", "search.js", SCRIPT, search_js, sizeof search_js},
    {"/settings.js", "settings.js", SCRIPT, settings_js, sizeof settings_js},
    {"/shortcuts.js", "shortcuts.js", SCRIPT, shortcuts_js, sizeof shortcuts_js},
    {"/start.js", "start.js", SCRIPT, start_js, sizeof start_js},
    {"/stream.js", "stream.js", SCRIPT, stream_js, sizeof stream_js},
    {"/tables.js", "tables.js", SCRIPT, tables_js, sizeof tables_js},
    {"/toml.js", "toml.js", SCRIPT, toml_js, sizeof toml_js},
    {"/typed.js", "typed.js", SCRIPT, typed_js, sizeof typed_js},
};

const struct page_asset *page_asset_list(void) { return assets; }
size_t page_asset_count(void) { return sizeof assets / sizeof assets[0]; }
