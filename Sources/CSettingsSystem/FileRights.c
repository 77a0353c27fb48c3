#include "Linux.h"

#include <errno.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

int csettings_take_file_rights(unsigned user, unsigned group, const unsigned *groups, int count) {
  // The system call, not the function of that name, which changes every thread of the process.
#ifdef SYS_setgroups32
  if (syscall(SYS_setgroups32, (size_t)count, groups) != 0) return -1;
#else
  if (syscall(SYS_setgroups, (size_t)count, groups) != 0) return -1;
#endif
  setfsgid(group);
  setfsuid(user);
  // They report no failure, but what counted before: setfsuid(2).
  if ((unsigned)setfsgid(-1) == group && (unsigned)setfsuid(-1) == user) return 0;
  errno = EPERM;
  return -1;
}
