// What other settings libraries do in process: GSettings with its keyfile backend, and dconf.
#ifndef CPEERS_H
#define CPEERS_H

// Opens a GSettings object of the schema `org.example.peer`, compiled in `schemas`, that keeps its values in `file`.
// 0, or not.
int peers_gsettings_open(const char *schemas, const char *file);

// Reads `font-size` so many times; the sum.
long peers_gsettings_gets(long count);

// Reads `name` so many times; the sum of the lengths.
long peers_gsettings_texts(long count);

// Sets `font-size`, and waits until it is written. 0, or not.
int peers_gsettings_set(int value);

// Writes one key through dconf's service and waits for its answer. 0, or not.
int peers_dconf_write(int value);

// Runs `git config -f FILE peer.font-size VALUE` as a process of its own, to its end. 0, or not.
int peers_git_config(const char *file, int value);

#endif
