#include "ThreadCache.h"

#include <pthread.h>
#include <stdlib.h>

_Thread_local struct thread_cache_slot thread_cache[THREAD_CACHE_SLOTS];
_Thread_local void *thread_deferred;
_Thread_local void *thread_releases;

static pthread_key_t end_of_thread;
static int has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void empty(void *release) {
  void (*function)(void *) = (void (*)(void *))release;
  for (int i = 0; i < THREAD_CACHE_SLOTS; i++) {
    void *object = thread_cache[i].object;
    thread_cache[i] = (struct thread_cache_slot){0, 0, NULL};
    if (object) function(object);
  }
}

// A process may have used up its keys; what a thread has in its cache then stays when it ends.
static void make_key(void) { has_key = pthread_key_create(&end_of_thread, empty) == 0; }

void *thread_cache_put(uint64_t owner, uint64_t stamp, void *object, void (*release)(void *)) {
  pthread_once(&once, make_key);
  if (has_key) pthread_setspecific(end_of_thread, (void *)release);
  struct thread_cache_slot *slot = thread_cache_slot_for(owner);
  void *old = slot->object;
  *slot = (struct thread_cache_slot){owner, stamp, object};
  return old;
}
