/* --x86-confine: the host's kernel enforces --x86-root, --x86-read-only and
 * --x86-no-network on a program, besides the emulator's own checks.
 * doc/confinement.md says what each of the two guarantees. */
#ifndef M2S_M2S_CONFINEMENT_H
#define M2S_M2S_CONFINEMENT_H

#include "base/error.h"
#include "m2s/options.h"
#include "report/outputs.h"
#include "m2s/paths.h"
#include "m2s/programs.h"
#include "x86/linux/linux.h"

enum confinement {
	CONFINEMENT_NONE,     /* the program is not confined */
	CONFINEMENT_EMULATED, /* by the emulator's checks only */
	CONFINEMENT_LANDLOCK, /* also by the kernel, without namespaces */
	CONFINEMENT_KERNEL,   /* also by the kernel, with namespaces */
	CONFINEMENT_ALONE,    /* by the kernel only: for tests */
};

int confinement_read(const struct options *options,
		     enum confinement *confinement, struct error *error);

/* Enters the wall, for good. The caller calls it twice, when the programs'
 * standard streams, logs and sockets are open and no thread has been started.
 * The first call comes before there is a guest (`guest` is NULL), so that the
 * guest's folders are opened in the wall's view. The second call comes when the
 * guest has been created; only CONFINEMENT_LANDLOCK, which has no view, needs
 * it. -1 and *error, which says what the host lacks and what to do. */
int confinement_enter(enum confinement confinement,
		      const struct options *options, const struct paths *paths,
		      const struct programs *programs,
		      const struct outputs *outputs,
		      const struct linux_system *guest, struct error *error);

#endif
