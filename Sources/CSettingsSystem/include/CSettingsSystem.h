// What Swift has no words for: Linux interfaces that its Glibc module leaves out, and variables of a thread.
#ifndef CSETTINGSSYSTEM_H
#define CSETTINGSSYSTEM_H

#include "Linux.h"
#include "ThreadCache.h"

#endif
