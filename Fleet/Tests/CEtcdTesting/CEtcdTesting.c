#define _GNU_SOURCE
#include "CEtcdTesting.h"

#include <errno.h>
#include <spawn.h>

int etcd_testing_close_from(void *actions, int first) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
  return ENOSYS;
#endif
}
