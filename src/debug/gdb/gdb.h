/* --gdb: the guest's CPU behind the gdb remote serial protocol (described in
 * the gdb manual, appendix "gdb Remote Serial Protocol").
 *
 * The server listens on 127.0.0.1 only and talks to one debugger of the same
 * user. Whoever may connect can do to the guest, and read of the user's files
 * (for gdb's `set sysroot target:`), what the user can. */
#ifndef M2S_DEBUG_GDB_GDB_H
#define M2S_DEBUG_GDB_GDB_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "x86/linux/debug/debug.h"

struct gdb;

/* Listens on the port given as text (0: any free one) and says which on
 * standard error. `stop` is asked while waiting: true ends the wait. NULL and
 * *error when the text is no port or it is taken. */
struct gdb *gdb_create(const char *port, bool (*stop)(void *owner),
		       void *stop_owner, struct error *error);
/* Tells a debugger still there that the guest is gone. NULL is fine. */
void gdb_free(struct gdb *gdb);
/* For linux_options; valid as long as the server. Its first stop waits for a
 * debugger to connect. */
const struct linux_debugger *gdb_debugger(struct gdb *gdb);

#endif
