#include "Linux.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

// Descriptors that a forked child gives up. The mutex protects all of it, and is held across fork(), so that the child
// finds the list whole, and no descriptor that is open but not in it.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *descriptors;
static size_t count;
static size_t capacity;
static unsigned forks;

static void before_fork(void) { pthread_mutex_lock(&mutex); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&mutex); }

// Only what is safe in a signal handler may be called here: other threads' locks, that of malloc() among them, may be
// held for ever.
static void after_fork_in_child(void) {
  for (size_t index = 0; index < count; index++) close(descriptors[index]);
  count = 0;
  forks++;
  pthread_mutex_unlock(&mutex);
}

static void handle_forks(void) { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }

// Makes room for one more, so that nothing can fail once it is open.
static int reserve(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, handle_forks);
  pthread_mutex_lock(&mutex);
  if (count < capacity) return 0;
  size_t more = capacity ? capacity * 2 : 8;
  int *larger = realloc(descriptors, more * sizeof *descriptors);
  if (larger) {
    descriptors = larger;
    capacity = more;
    return 0;
  }
  pthread_mutex_unlock(&mutex);
  errno = ENOMEM;
  return -1;
}

static int add(int number, csettings_own_descriptor *result) {
  int error = errno;
  if (number >= 0) {
    descriptors[count++] = number;
    result->number = number;
    result->forks = forks;
  }
  pthread_mutex_unlock(&mutex);
  errno = error;
  return number < 0 ? -1 : 0;
}

int csettings_own_open(const char *path, int flags, csettings_own_descriptor *result) {
  return reserve() < 0 ? -1 : add(open(path, flags | O_CLOEXEC), result);
}

int csettings_own_duplicate(csettings_own_descriptor descriptor, csettings_own_descriptor *result) {
  return reserve() < 0 ? -1 : add(fcntl(descriptor.number, F_DUPFD_CLOEXEC, 0), result);
}

void csettings_own_close(csettings_own_descriptor descriptor, int unlocks) {
  pthread_mutex_lock(&mutex);
  if (descriptor.forks == forks) {
    for (size_t index = 0; index < count; index++) {
      if (descriptors[index] == descriptor.number) {
        descriptors[index] = descriptors[--count];
        break;
      }
    }
    if (unlocks) flock(descriptor.number, LOCK_UN);
    close(descriptor.number);
  }
  pthread_mutex_unlock(&mutex);
}
