#define _GNU_SOURCE
#include "CPageSystem.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

int page_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int page_spawn_in(posix_spawn_file_actions_t *actions, const char *directory) {
  return posix_spawn_file_actions_addchdir_np(actions, directory);
}

int page_spawn_without_others(posix_spawn_file_actions_t *actions) {
  return posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

void page_return_memory(void) {
  // Setting it also stops glibc from raising it, up to 32 MB, as blocks are freed.
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 256 << 10);
  mallopt(M_ARENA_MAX, 2);
}
