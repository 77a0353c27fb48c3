#ifndef PAGE_ASSETS_H
#define PAGE_ASSETS_H

#include <stddef.h>

/// A file of the page, as it is sent.
struct page_asset {
  /// The path of its URL: "/page.css".
  const char *path;
  /// Its text, which a zero ends.
  const unsigned char *text;
};

/// The files of the page: an array of `page_asset_count()`.
const struct page_asset *page_asset_list(void);
size_t page_asset_count(void);

/// Compresses bytes in the format of gzip (RFC 1952), as far as zlib can, and returns how many bytes that took. Returns 0
/// if they are more than the capacity, or if there is no memory.
size_t page_gzip(const unsigned char *bytes, size_t count, unsigned char *result, size_t capacity);

#endif
