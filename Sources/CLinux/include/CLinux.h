// Linux interfaces that Swift's Glibc module leaves out: the declarations, and calls that Swift cannot make itself
// (variadic ones).
#ifndef CLINUX_H
#define CLINUX_H

#include <fcntl.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

// Names the calling thread; at most 15 bytes, prctl(2).
static inline void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// Glibc declares these for _GNU_SOURCE only, which its Swift module is built without.
int memfd_create(const char *name, unsigned int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

int renameat2(int old_directory, const char *old_name, int new_directory, const char *new_name, unsigned int flags);

enum {
  CLINUX_O_PATH = 010000000,
  CLINUX_MFD_CLOEXEC = 1,
  CLINUX_RENAME_NOREPLACE = 1,
  // fcntl(2), "File leases" and "I/O availability signals".
  CLINUX_F_SETSIG = 10,
  CLINUX_F_SETLEASE = 1024,
};

#endif
