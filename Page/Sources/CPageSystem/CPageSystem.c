#define _GNU_SOURCE
#include "CPageSystem.h"

#include <fcntl.h>
#include <unistd.h>

int page_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int page_spawn_in(posix_spawn_file_actions_t *actions, const char *directory) {
  return posix_spawn_file_actions_addchdir_np(actions, directory);
}
