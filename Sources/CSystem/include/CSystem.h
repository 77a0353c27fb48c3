// What Swift has no words for: Linux interfaces that its Glibc module leaves out, and variables of a thread.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include "Linux.h"
#include "ThreadCache.h"

#endif
