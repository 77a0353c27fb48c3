#ifndef C_PAGE_SYSTEM_H
#define C_PAGE_SYSTEM_H

#include <spawn.h>

// Calls that Swift does not see, since the C library has them for GNU programs only.

/// pipe2(2), with O_CLOEXEC: a process that another thread starts at this moment does not get the ends.
int page_pipe(int ends[2]);

/// posix_spawn_file_actions_addchdir_np(3).
int page_spawn_in(posix_spawn_file_actions_t *actions, const char *directory);

/// posix_spawn_file_actions_addclosefrom_np(3): the program gets its standard streams and no other descriptor.
int page_spawn_without_others(posix_spawn_file_actions_t *actions);

/// mallopt(3): memory that is freed goes back to the system. Without it, each thread keeps what its largest answer took.
void page_return_memory(void);

#endif
