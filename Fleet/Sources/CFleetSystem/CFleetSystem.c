#define _GNU_SOURCE
#include "CFleetSystem.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void fleet_return_memory(void) {
  // To set it also ends that it grows up to 32 MB with what is freed.
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 256 << 10);
  mallopt(M_ARENA_MAX, 2);
}

// From the linker: the first byte of the program, and the one behind its code. Between them nothing is ever written, so
// nothing is lost.
extern char __executable_start, etext;

void fleet_unmap_code(void) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t start = ((uintptr_t)&__executable_start + page - 1) & ~(page - 1);
  uintptr_t end = (uintptr_t)&etext & ~(page - 1);
  if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
}
