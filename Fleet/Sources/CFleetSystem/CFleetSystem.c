#define _GNU_SOURCE
#include "CFleetSystem.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

int fleet_memory_file(void) { return memfd_create("input", MFD_CLOEXEC); }

void fleet_return_memory(void) {
  // Setting it also stops glibc from raising it, up to 32 MB, as blocks are freed.
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
