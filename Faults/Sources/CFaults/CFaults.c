#define _GNU_SOURCE
#include "CFaults.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int faults_fork_idle(void) {
  int child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  return child;
}

int faults_exchange(const char *one, const char *other) {
  return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}
