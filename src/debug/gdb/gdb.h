/* --gdb: the guest's CPU behind the gdb remote serial protocol (described in
 * the gdb manual, appendix "gdb Remote Serial Protocol").
 *
 * The server listens on 127.0.0.1 only and talks to one debugger of the same
 * user. A debugger that is connected has the user's rights over the guest, and
 * can read the user's files (for gdb's `set sysroot target:`). */
#ifndef M2S_DEBUG_GDB_GDB_H
#define M2S_DEBUG_GDB_GDB_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "x86/linux/debug/debug.h"

struct gdb;

/* Listens on the port given as text (0: any free port) and prints its number on
 * standard error. `stop` is called while the server waits; true ends the wait.
 * NULL and *error when the text is no port number or the port is taken. */
struct gdb *gdb_create(const char *port, bool (*stop)(void *owner),
		       void *stop_owner, struct error *error);
/* Tells a connected debugger that the guest is gone, and frees the server.
 * `gdb` may be NULL. */
void gdb_free(struct gdb *gdb);
/* The debugger for linux_options, valid as long as the server. Its first stop
 * waits for a debugger to connect. */
const struct linux_debugger *gdb_debugger(struct gdb *gdb);

#endif
