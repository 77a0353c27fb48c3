// A variable of each thread, which Swift has none of.
#ifndef CSETTINGS_THREAD_CACHE_H
#define CSETTINGS_THREAD_CACHE_H

#include <stddef.h>
#include <stdint.h>

// A small cache of objects that belongs to one thread: reading it needs no lock and no atomic operation.
//
// An object is found by the number of its owner and a stamp. The cache owns a reference to each object in it.
struct thread_cache_slot {
  uint64_t owner;
  uint64_t stamp;
  void *object;
};

enum { THREAD_CACHE_SLOTS = 64 };

extern _Thread_local struct thread_cache_slot thread_cache[THREAD_CACHE_SLOTS];

// Owners are numbered one by one, so that neighbours do not get in each other's way.
static inline struct thread_cache_slot *thread_cache_slot_for(uint64_t owner) {
  return &thread_cache[owner % THREAD_CACHE_SLOTS];
}

// The object, without a reference of the caller's own; NULL if it is not here.
static inline void *thread_cache_find(uint64_t owner, uint64_t stamp) {
  struct thread_cache_slot *slot = thread_cache_slot_for(owner);
  return slot->owner == owner && slot->stamp == stamp ? slot->object : NULL;
}

// Puts an object into the calling thread's cache, which then owns a reference to it. Gives back the one that had the
// place, for the caller to release; NULL if none had. At the thread's end `release` is called for what is there then.
void *thread_cache_put(uint64_t owner, uint64_t stamp, void *object, void (*release)(void *));

// What the calling thread has put off until it has released its locks; an object of Swift's.
extern _Thread_local void *thread_deferred;

static inline void *thread_deferred_get(void) { return thread_deferred; }
static inline void thread_deferred_set(void *object) { thread_deferred = object; }

// What the calling thread is still to release; an object of Swift's, there while it releases.
extern _Thread_local void *thread_releases;

static inline void *thread_releases_get(void) { return thread_releases; }
static inline void thread_releases_set(void *object) { thread_releases = object; }

#endif
