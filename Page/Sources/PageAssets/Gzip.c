#include "PageAssets.h"

#include <stdint.h>
#include <string.h>

// A page is some 160 kB of text and is sent once in a while: fixed codes and one candidate per hash shrink it to a third
// in about a millisecond. That is worth neither a library nor compressed files in the repository.

enum { window = 32768, shortest = 3, longest = 258, hash_bits = 14 };

struct output {
  unsigned char *bytes;
  size_t count, capacity;
  uint32_t bits;
  int bit_count;
};

static void put_byte(struct output *output, unsigned char byte) {
  if (output->count < output->capacity) output->bytes[output->count] = byte;
  output->count++;
}

static void put_bits(struct output *output, uint32_t value, int count) {
  output->bits |= value << output->bit_count;
  output->bit_count += count;
  while (output->bit_count >= 8) {
    put_byte(output, output->bits & 0xff);
    output->bits >>= 8;
    output->bit_count -= 8;
  }
}

// Huffman codes begin with their highest bit.
static void put_code(struct output *output, uint32_t code, int count) {
  uint32_t reversed = 0;
  for (int bit = 0; bit < count; bit++) reversed |= ((code >> bit) & 1) << (count - 1 - bit);
  put_bits(output, reversed, count);
}

static void put_symbol(struct output *output, int symbol) {
  if (symbol < 144) put_code(output, 0x30 + symbol, 8);
  else if (symbol < 256) put_code(output, 0x190 + symbol - 144, 9);
  else if (symbol < 280) put_code(output, symbol - 256, 7);
  else put_code(output, 0xc0 + symbol - 280, 8);
}

static void put_match(struct output *output, int length, int distance) {
  if (length == longest) {
    put_symbol(output, 285);
  } else {
    int extra = 0, value = length - shortest;
    while ((value >> extra) >= 8) extra++;
    put_symbol(output, 257 + 4 * extra + (value >> extra));
    put_bits(output, value & ((1 << extra) - 1), extra);
  }
  int extra = 0, value = distance - 1;
  while ((value >> extra) >= 4) extra++;
  put_code(output, 2 * extra + (value >> extra), 5);
  put_bits(output, value & ((1 << extra) - 1), extra);
}

static uint32_t checksum(const unsigned char *bytes, size_t count) {
  uint32_t sum = 0xffffffff;
  for (size_t at = 0; at < count; at++) {
    sum ^= bytes[at];
    for (int bit = 0; bit < 8; bit++) sum = (sum >> 1) ^ (0xedb88320 & -(sum & 1));
  }
  return ~sum;
}

static uint32_t hash(const unsigned char *bytes) {
  uint32_t value = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
  return value * 2654435761u >> (32 - hash_bits);
}

size_t page_gzip(const unsigned char *bytes, size_t count, unsigned char *result, size_t capacity) {
  // For each hash the newest place, and for each place the one before it with the same hash.
  int32_t newest[1 << hash_bits], before[window];
  memset(newest, -1, sizeof newest);
  struct output output = {result, 0, capacity, 0, 0};
  static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
  for (size_t at = 0; at < sizeof head; at++) put_byte(&output, head[at]);
  put_bits(&output, 1, 1);
  put_bits(&output, 1, 2);
  for (size_t at = 0; at < count;) {
    int length = 0, distance = 0;
    if (at + shortest <= count) {
      int tries = 64;
      int32_t place = newest[hash(bytes + at)];
      while (place >= 0 && at - place <= window && tries-- > 0) {
        int same = 0;
        while (same < longest && at + same < count && bytes[place + same] == bytes[at + same]) same++;
        if (same > length) (length = same, distance = (int)(at - place));
        int32_t next = before[place % window];
        if (next >= place) break;
        place = next;
      }
    }
    int step = length >= shortest ? length : 1;
    if (length >= shortest) put_match(&output, length, distance);
    else put_symbol(&output, bytes[at]);
    for (; step > 0; step--, at++) {
      if (at + shortest > count) continue;
      uint32_t key = hash(bytes + at);
      before[at % window] = newest[key];
      newest[key] = (int32_t)at;
    }
  }
  put_symbol(&output, 256);
  put_bits(&output, 0, 7);
  uint32_t tail[2] = {checksum(bytes, count), (uint32_t)count};
  for (int word = 0; word < 2; word++) {
    for (int byte = 0; byte < 4; byte++) put_byte(&output, tail[word] >> 8 * byte & 0xff);
  }
  return output.count;
}
