#include "PageAssets.h"

// To be standard C, '#embed' needs C23; clang has had it as an extension since version 19.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "assets/index.html"
};
static const unsigned char page_css[] = {
#embed "assets/page.css"
};
static const unsigned char page_js[] = {
#embed "assets/page.js"
};

#define HTML "text/html; charset=utf-8"
#define CSS "text/css; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"

// Another file of the page is one more '#embed' and one more line here.
static const struct page_asset assets[] = {
    {"/", "index.html", HTML, index_html, sizeof index_html},
    {"/page.css", "page.css", CSS, page_css, sizeof page_css},
    {"/page.js", "page.js", SCRIPT, page_js, sizeof page_js},
};

const struct page_asset *page_asset_list(void) { return assets; }
size_t page_asset_count(void) { return sizeof assets / sizeof assets[0]; }
