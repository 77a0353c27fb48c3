// Linux interfaces that Swift's Glibc module leaves out: the declarations, and calls that Swift cannot make itself
// (variadic ones).
#ifndef CSETTINGS_LINUX_H
#define CSETTINGS_LINUX_H

#include <fcntl.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

// Names the calling thread; at most 15 bytes, prctl(2).
static inline void csettings_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// Glibc declares these for _GNU_SOURCE only, which its Swift module is built without.
void *memmem(const void *text, unsigned long count, const void *part, unsigned long part_count);
void *memrchr(const void *bytes, int byte, unsigned long count);
int memfd_create(const char *name, unsigned int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

int renameat2(int old_directory, const char *old_name, int new_directory, const char *new_name, unsigned int flags);

// The variables of the process, environ(7). NULL after clearenv(3), which the Glibc module takes for impossible.
static inline char **csettings_environment(void) {
  extern char **environ;
  return environ;
}

// A descriptor that a child made by fork(2) does not get: its copy is closed before fork() returns in the child. The
// open file, and with it an flock(2), then belongs to this process alone.
typedef struct {
  int number;
  // How many forks lie between the first process and the one that opened it.
  unsigned forks;
} csettings_own_descriptor;

// open(2), as a descriptor of this process alone. Returns -1 and sets errno on failure. fork() waits for it.
int csettings_own_open(const char *path, int flags, csettings_own_descriptor *result);
// A duplicate, close-on-exec, that is this process's alone, too. Returns -1 and sets errno on failure.
int csettings_own_duplicate(csettings_own_descriptor descriptor, csettings_own_descriptor *result);
// Closes it, and releases its flock(2) before that if `unlocks` is not 0. Does nothing in a forked child, where it is
// closed already: an unlock there would take the lock from the parent.
void csettings_own_close(csettings_own_descriptor descriptor, int unlocks);

// Gives the calling thread, and no other of the process, a user's rights to files, for a thread that does nothing else
// and then ends. Returns -1 and sets errno if it has not got them all.
int csettings_take_file_rights(unsigned user, unsigned group, const unsigned *groups, int count);

// Has users, groups and hosts looked up by what is built into the C library (/etc/passwd, /etc/group, /etc/hosts and DNS)
// if the program is linked without shared libraries. It would load the services of nsswitch.conf(5) with a second C
// library, and some of them end such a program by a signal: libnss_systemd does, for each user that /etc/passwd has not.
void csettings_use_builtin_name_services(void);

// The arguments of the process, its name first, and their number. The memory is the process's own: `ps` shows it.
char **csettings_arguments(int *count);

enum {
  CSETTINGS_O_PATH = 010000000,
  CSETTINGS_MFD_CLOEXEC = 1,
  CSETTINGS_RENAME_NOREPLACE = 1,
  CSETTINGS_RENAME_EXCHANGE = 2,
  // fcntl(2), "File leases" and "I/O availability signals".
  CSETTINGS_F_SETSIG = 10,
  CSETTINGS_F_SETLEASE = 1024,
};

#endif
