#include "CFloor.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int cfloor_replace(const char *directory, const char *name, const void *bytes, size_t count) {
  int dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return errno;
  int file = openat(dir, ".floor-new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  size_t done = 0;
  while (done < count) {
    ssize_t n = write(file, (const char *)bytes + done, count - done);
    if (n < 0) return errno;
    done += (size_t)n;
  }
  if (fsync(file) != 0) return errno;
  close(file);
  if (renameat(dir, ".floor-new", dir, name) != 0) return errno;
  if (fsync(dir) != 0) return errno;
  close(dir);
  return 0;
}

long cfloor_read(const char *path, void *buffer, size_t capacity) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  long total = 0;
  for (;;) {
    ssize_t n = read(file, (char *)buffer + total, capacity - (size_t)total);
    if (n < 0) return -1;
    if (n == 0) break;
    total += n;
  }
  close(file);
  return total;
}

// Both halves are watched: the kernel merges equal events that follow each other.
int cfloor_count_begin(const char *directory) {
  int descriptor = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (descriptor >= 0 && inotify_add_watch(descriptor, directory, IN_MOVED_FROM | IN_MOVED_TO) < 0) return -1;
  return descriptor;
}

long cfloor_count_end(int descriptor) {
  char buffer[65536] __attribute__((aligned(8)));
  long count = 0;
  for (;;) {
    ssize_t n = read(descriptor, buffer, sizeof buffer);
    if (n <= 0) break;
    for (char *next = buffer; next < buffer + n;) {
      struct inotify_event *event = (struct inotify_event *)next;
      // An exchange moves the old file, too, to a name that begins with a dot.
      if (event->mask & IN_MOVED_TO && event->name[0] != '.') count++;
      next += sizeof *event + event->len;
    }
  }
  close(descriptor);
  return count;
}

// Not static: the compiler must not know that no one else writes it.
_Atomic long cfloor_variable = 14;

long cfloor_loads(long count) {
  long sum = 0;
  for (long i = 0; i < count; i++) sum += atomic_load_explicit(&cfloor_variable, memory_order_acquire);
  return sum;
}

extern void *swift_retain(void *object);
extern void swift_release(void *object);

void cfloor_retains(void *object, long count) {
  for (long i = 0; i < count; i++) swift_release(swift_retain(object));
}

struct cfloor_watcher {
  int descriptor;
  char *path;
  sem_t seen;
  _Atomic long time;
};

long cfloor_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void *watch(void *context) {
  struct cfloor_watcher *watcher = context;
  char events[4096] __attribute__((aligned(8)));
  char text[65536];
  for (;;) {
    ssize_t n = read(watcher->descriptor, events, sizeof events);
    if (n <= 0) return NULL;
    for (char *next = events; next < events + n;) {
      struct inotify_event *event = (struct inotify_event *)next;
      next += sizeof *event + event->len;
      if (cfloor_read(watcher->path, text, sizeof text) < 0) continue;
      atomic_store(&watcher->time, cfloor_now());
      sem_post(&watcher->seen);
    }
  }
}

struct cfloor_watcher *cfloor_watch_begin(const char *directory, const char *path) {
  struct cfloor_watcher *watcher = calloc(1, sizeof *watcher);
  watcher->descriptor = inotify_init1(IN_CLOEXEC);
  watcher->path = strdup(path);
  sem_init(&watcher->seen, 0, 0);
  pthread_t thread;
  if (watcher->descriptor < 0 || inotify_add_watch(watcher->descriptor, directory, IN_MOVED_TO) < 0) return NULL;
  if (pthread_create(&thread, NULL, watch, watcher) != 0) return NULL;
  pthread_detach(thread);
  return watcher;
}

long cfloor_watch_wait(struct cfloor_watcher *watcher) {
  while (sem_wait(&watcher->seen) != 0) {}
  return atomic_load(&watcher->time);
}
