#include "PageAssets.h"

// To be standard C, '#embed' needs C23; clang has had it as an extension since version 19.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Another file of the page is three more lines here.
static const struct page_asset assets[] = {
    {"/", (const unsigned char[]){
#embed "assets/index.html" suffix(, 0)
    }},
    {"/page.css", (const unsigned char[]){
#embed "assets/page.css" suffix(, 0)
    }},
    {"/api.js", (const unsigned char[]){
#embed "assets/api.js" suffix(, 0)
    }},
    {"/changes.js", (const unsigned char[]){
#embed "assets/changes.js" suffix(, 0)
    }},
    {"/choices.js", (const unsigned char[]){
#embed "assets/choices.js" suffix(, 0)
    }},
    {"/controls.js", (const unsigned char[]){
#embed "assets/controls.js" suffix(, 0)
    }},
    {"/copy.js", (const unsigned char[]){
#embed "assets/copy.js" suffix(, 0)
    }},
    {"/details.js", (const unsigned char[]){
#embed "assets/details.js" suffix(, 0)
    }},
    {"/diff.js", (const unsigned char[]){
#embed "assets/diff.js" suffix(, 0)
    }},
    {"/dom.js", (const unsigned char[]){
#embed "assets/dom.js" suffix(, 0)
    }},
    {"/drafts.js", (const unsigned char[]){
#embed "assets/drafts.js" suffix(, 0)
    }},
    {"/events.js", (const unsigned char[]){
#embed "assets/events.js" suffix(, 0)
    }},
    {"/file.js", (const unsigned char[]){
#embed "assets/file.js" suffix(, 0)
    }},
    {"/files.js", (const unsigned char[]){
#embed "assets/files.js" suffix(, 0)
    }},
    {"/fixes.js", (const unsigned char[]){
#embed "assets/fixes.js" suffix(, 0)
    }},
    {"/list.js", (const unsigned char[]){
#embed "assets/list.js" suffix(, 0)
    }},
    {"/lists.js", (const unsigned char[]){
#embed "assets/lists.js" suffix(, 0)
    }},
    {"/marks.js", (const unsigned char[]){
#embed "assets/marks.js" suffix(, 0)
    }},
    {"/model.js", (const unsigned char[]){
#embed "assets/model.js" suffix(, 0)
    }},
    {"/notices.js", (const unsigned char[]){
#embed "assets/notices.js" suffix(, 0)
    }},
    {"/page.js", (const unsigned char[]){
#embed "assets/page.js" suffix(, 0)
    }},
    {"/past.js", (const unsigned char[]){
#embed "assets/past.js" suffix(, 0)
    }},
    {"/row-notes.js", (const unsigned char[]){
#embed "assets/row-notes.js" suffix(, 0)
    }},
    {"/row-writes.js", (const unsigned char[]){
#embed "assets/row-writes.js" suffix(, 0)
    }},
    {"/row.js", (const unsigned char[]){
#embed "assets/row.js" suffix(, 0)
    }},
    {"/search.js", (const unsigned char[]){
#embed "assets/search.js" suffix(, 0)
    }},
    {"/settings.js", (const unsigned char[]){
#embed "assets/settings.js" suffix(, 0)
    }},
    {"/shortcuts.js", (const unsigned char[]){
#embed "assets/shortcuts.js" suffix(, 0)
    }},
    {"/start.js", (const unsigned char[]){
#embed "assets/start.js" suffix(, 0)
    }},
    {"/stream.js", (const unsigned char[]){
#embed "assets/stream.js" suffix(, 0)
    }},
    {"/tables.js", (const unsigned char[]){
#embed "assets/tables.js" suffix(, 0)
    }},
    {"/toml.js", (const unsigned char[]){
#embed "assets/toml.js" suffix(, 0)
    }},
    {"/typed.js", (const unsigned char[]){
#embed "assets/typed.js" suffix(, 0)
    }},
};

const struct page_asset *page_asset_list(void) { return assets; }
size_t page_asset_count(void) { return sizeof assets / sizeof assets[0]; }
