#define _GNU_SOURCE
#include "Linux.h"

#include <sys/stat.h>

int csettings_birth(int directory, const char *name, int64_t *time) {
  struct statx status;
  if (statx(directory, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status) != 0) return -1;
  if (!(status.stx_mask & STATX_BTIME)) return 0;
  *time = status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
  return 1;
}
