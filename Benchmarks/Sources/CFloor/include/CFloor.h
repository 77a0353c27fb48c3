// What the operating system itself asks for: the least that can be done for the same promise.
#ifndef CFLOOR_H
#define CFLOOR_H

#include <stddef.h>

// Replaces `name` in `directory` durably: temporary file, fsync, rename, fsync of the directory. 0, or an errno.
int cfloor_replace(const char *directory, const char *name, const void *bytes, size_t count);

// Reads a whole file into `buffer`; the number of bytes, or -1.
long cfloor_read(const char *path, void *buffer, size_t capacity);

// Acquire loads of one variable; their sum.
long cfloor_loads(long count);

// Pairs of a retain and a release of a Swift object.
void cfloor_retains(void *object, long count);

// Counts renames into a directory: begin gives a descriptor, end the number since then.
int cfloor_count_begin(const char *directory);
long cfloor_count_end(int descriptor);

// A thread that blocks in read(2) on inotify and, after each rename into `directory`, reads the file `path`.
struct cfloor_watcher;
struct cfloor_watcher *cfloor_watch_begin(const char *directory, const char *path);
// Waits for it to have read the file once more; the time of that on the monotonic clock, in nanoseconds.
long cfloor_watch_wait(struct cfloor_watcher *watcher);

// The time on the monotonic clock, in nanoseconds.
long cfloor_now(void);

#endif
