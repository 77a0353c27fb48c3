#include "PageAssets.h"

#include <zlib.h>

// https://zlib.net/manual.html#Advanced: 16 more than the largest window is the format of gzip.
enum { gzip_format = MAX_WBITS + 16, most_memory = MAX_MEM_LEVEL };

size_t page_gzip(const unsigned char *bytes, size_t count, unsigned char *result, size_t capacity) {
  z_stream stream = {
    .next_in = (unsigned char *)bytes, .avail_in = (unsigned)count, .next_out = result, .avail_out = (unsigned)capacity};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_format, most_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    return 0;
  int status = deflate(&stream, Z_FINISH);
  size_t written = stream.total_out;
  deflateEnd(&stream);
  return status == Z_STREAM_END ? written : 0;
}
