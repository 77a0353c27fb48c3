#include "CPeers.h"

#define _GNU_SOURCE
#define G_SETTINGS_ENABLE_BACKEND
#include <dconf.h>
#include <gio/gio.h>
#include <gio/gsettingsbackend.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static GSettings *settings;
static DConfClient *client;

int peers_gsettings_open(const char *schemas, const char *file) {
  GSettingsSchemaSource *source = g_settings_schema_source_new_from_directory(schemas, NULL, TRUE, NULL);
  if (source == NULL) return 1;
  GSettingsSchema *schema = g_settings_schema_source_lookup(source, "org.example.peer", FALSE);
  if (schema == NULL) return 1;
  settings = g_settings_new_full(schema, g_keyfile_settings_backend_new(file, "/", "root"), NULL);
  return settings == NULL;
}

long peers_gsettings_gets(long count) {
  long sum = 0;
  for (long i = 0; i < count; i++) sum += g_settings_get_int(settings, "font-size");
  return sum;
}

long peers_gsettings_texts(long count) {
  long sum = 0;
  for (long i = 0; i < count; i++) {
    gchar *text = g_settings_get_string(settings, "name");
    sum += (long)strlen(text);
    g_free(text);
  }
  return sum;
}

int peers_gsettings_set(int value) {
  if (!g_settings_set_int(settings, "font-size", value)) return 1;
  g_settings_sync();
  return 0;
}

int peers_dconf_write(int value) {
  if (client == NULL) client = dconf_client_new();
  GError *error = NULL;
  if (dconf_client_write_sync(client, "/org/example/peer/counter", g_variant_new_int32(value), NULL, NULL, &error))
    return 0;
  g_printerr("dconf: %s\n", error->message);
  return 1;
}

int peers_git_config(const char *file, int value) {
  char number[16];
  snprintf(number, sizeof number, "%d", value);
  char *arguments[] = {"git", "config", "-f", (char *)file, "peer.font-size", number, NULL};
  pid_t child;
  if (posix_spawnp(&child, "git", NULL, NULL, arguments, environ) != 0) return 1;
  int status;
  while (waitpid(child, &status, 0) < 0) {}
  return status;
}
