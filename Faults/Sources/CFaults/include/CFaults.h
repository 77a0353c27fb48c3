// Linux interfaces that Swift's Glibc module leaves out.
#ifndef CFAULTS_H
#define CFAULTS_H

// Forks a child that does nothing and keeps all that it was given, until it is killed. Returns its id, or -1.
int faults_fork_idle(void);

// Swaps two paths in one step, renameat2(2). Returns 0, or -1 with errno.
int faults_exchange(const char *one, const char *other);

#endif
