#include "PageAssets.h"

#include <stdint.h>
#include <string.h>

// A page is some 250 kB of text and is sent once in a while: the codes that fit each file shrink it to a third in a few
// milliseconds. That is worth neither a library nor compressed files in the repository.

enum { window = 32768, shortest = 3, longest = 258, hash_bits = 14, most_symbols = 288, end_of_block = 256 };

/// Symbols, with Huffman codes that fit how often each is used.
struct alphabet {
  int count, most_bits;
  uint32_t uses[most_symbols];
  unsigned char lengths[most_symbols];
  uint16_t codes[most_symbols];
};

/// What is written, or else only counted: the codes are known when all symbols have been counted.
struct output {
  unsigned char *bytes;
  size_t count, capacity;
  uint32_t bits;
  int bit_count, is_counting;
};

static void put_byte(struct output *output, unsigned char byte) {
  if (output->count < output->capacity) output->bytes[output->count] = byte;
  output->count++;
}

static void put_bits(struct output *output, uint32_t value, int count) {
  if (output->is_counting) return;
  output->bits |= value << output->bit_count;
  output->bit_count += count;
  while (output->bit_count >= 8) {
    put_byte(output, output->bits & 0xff);
    output->bits >>= 8;
    output->bit_count -= 8;
  }
}

static void put_symbol(struct output *output, struct alphabet *alphabet, int symbol) {
  if (output->is_counting) alphabet->uses[symbol]++;
  // Huffman codes begin with their highest bit.
  for (int bit = alphabet->lengths[symbol] - 1; bit >= 0; bit--) put_bits(output, alphabet->codes[symbol] >> bit & 1, 1);
}

/// The node with the fewest uses; -1 if there is none.
static int rarest_of(uint32_t *uses, int count) {
  int rarest = -1;
  for (int node = 0; node < count; node++) {
    if (uses[node] > 0 && (rarest < 0 || uses[node] < uses[rarest])) rarest = node;
  }
  return rarest;
}

/// Gives each symbol that is used a length, rarer ones longer ones. Returns the greatest.
static int set_lengths(struct alphabet *alphabet) {
  uint32_t uses[2 * most_symbols];
  int parents[2 * most_symbols] = {0}, depths[2 * most_symbols] = {0}, count = alphabet->count, greatest = 0;
  memcpy(uses, alphabet->uses, sizeof alphabet->uses);
  for (;; count++) {
    int first = rarest_of(uses, count);
    uint32_t sum = uses[first];
    uses[first] = 0;
    int second = rarest_of(uses, count);
    if (second < 0) break;
    uses[count] = sum + uses[second];
    uses[second] = 0;
    parents[first] = parents[second] = count;
  }
  // A parent is after its children, and the root is the last one.
  for (int node = count - 2; node >= 0; node--) {
    if (parents[node] > 0) depths[node] = depths[parents[node]] + 1;
    if (depths[node] > greatest) greatest = depths[node];
  }
  for (int symbol = 0; symbol < alphabet->count; symbol++) alphabet->lengths[symbol] = depths[symbol];
  return greatest;
}

static void make_codes(struct alphabet *alphabet) {
  // A code needs two symbols.
  for (int symbol = 0; symbol < 2; symbol++) alphabet->uses[symbol] += alphabet->uses[symbol] == 0;
  while (set_lengths(alphabet) > alphabet->most_bits) {
    for (int symbol = 0; symbol < alphabet->count; symbol++) alphabet->uses[symbol] = (alphabet->uses[symbol] + 1) / 2;
  }
  uint16_t code = 0;
  for (int length = 1; length <= alphabet->most_bits; length++, code <<= 1) {
    for (int symbol = 0; symbol < alphabet->count; symbol++) {
      if (alphabet->lengths[symbol] == length) alphabet->codes[symbol] = code++;
    }
  }
}

static void put_match(struct output *output, struct alphabet *texts, struct alphabet *distances, int length, int distance) {
  if (length == longest) {
    put_symbol(output, texts, 285);
  } else {
    int extra = 0, value = length - shortest;
    while ((value >> extra) >= 8) extra++;
    put_symbol(output, texts, 257 + 4 * extra + (value >> extra));
    put_bits(output, value & ((1 << extra) - 1), extra);
  }
  int extra = 0, value = distance - 1;
  while ((value >> extra) >= 4) extra++;
  put_symbol(output, distances, 2 * extra + (value >> extra));
  put_bits(output, value & ((1 << extra) - 1), extra);
}

/// Puts the lengths of both alphabets' codes, and how often those are repeated that are 0, as most are.
static void put_lengths(struct output *output, struct alphabet *lengths, struct alphabet *texts, struct alphabet *distances) {
  unsigned char all[2 * most_symbols];
  int count = texts->count + distances->count;
  memcpy(all, texts->lengths, texts->count);
  memcpy(all + texts->count, distances->lengths, distances->count);
  for (int at = 0, same = 1; at < count; at += same) {
    for (same = 1; at + same < count && all[at + same] == all[at] && same < 138; same++) {}
    if (all[at] == 0 && same > 10) (put_symbol(output, lengths, 18), put_bits(output, same - 11, 7));
    else if (all[at] == 0 && same > 2) (put_symbol(output, lengths, 17), put_bits(output, same - 3, 3));
    else (put_symbol(output, lengths, all[at]), same = 1);
  }
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

static void put_text(
  struct output *output, struct alphabet *texts, struct alphabet *distances, const unsigned char *bytes, size_t count) {
  // For each hash the newest place, and for each place the one before it with the same hash.
  int32_t newest[1 << hash_bits], before[window];
  memset(newest, -1, sizeof newest);
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
    if (length >= shortest) put_match(output, texts, distances, length, distance);
    else put_symbol(output, texts, bytes[at]);
    for (; step > 0; step--, at++) {
      if (at + shortest > count) continue;
      uint32_t key = hash(bytes + at);
      before[at % window] = newest[key];
      newest[key] = (int32_t)at;
    }
  }
  put_symbol(output, texts, end_of_block);
}

size_t page_gzip(const unsigned char *bytes, size_t count, unsigned char *result, size_t capacity) {
  struct alphabet texts = {.count = 286, .most_bits = 15}, distances = {.count = 30, .most_bits = 15};
  struct alphabet lengths = {.count = 19, .most_bits = 7};
  struct output output = {.bytes = result, .capacity = capacity, .is_counting = 1};
  put_text(&output, &texts, &distances, bytes, count);
  make_codes(&texts);
  make_codes(&distances);
  put_lengths(&output, &lengths, &texts, &distances);
  make_codes(&lengths);
  output.is_counting = 0;
  static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
  for (size_t at = 0; at < sizeof head; at++) put_byte(&output, head[at]);
  // The one and last block, with codes of its own, and how many there are of each kind.
  put_bits(&output, 1, 1);
  put_bits(&output, 2, 2);
  put_bits(&output, texts.count - 257, 5);
  put_bits(&output, distances.count - 1, 5);
  put_bits(&output, lengths.count - 4, 4);
  static const unsigned char order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  for (int at = 0; at < lengths.count; at++) put_bits(&output, lengths.lengths[order[at]], 3);
  put_lengths(&output, &lengths, &texts, &distances);
  put_text(&output, &texts, &distances, bytes, count);
  put_bits(&output, 0, 7);
  uint32_t tail[2] = {checksum(bytes, count), (uint32_t)count};
  for (int word = 0; word < 2; word++) {
    for (int byte = 0; byte < 4; byte++) put_byte(&output, tail[word] >> 8 * byte & 0xff);
  }
  return output.count;
}
