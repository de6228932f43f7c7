/* Native mode: an ordinary program runs on the host's processor, and the
 * OpenCL driver, the emulator and the timing model of the GPU run inside its
 * process, in libm2s-native.so.1. doc/native.md says what users may rely on.
 *
 *	program -> ICD loader -> libm2s-opencl -> entry.c -> driver -> GPU
 *
 * The guest library and the driver are those of simulated programs; instead of
 * a system call there is a call of opencl_native_request(). */
#ifndef M2S_M2S_NATIVE_NATIVE_H
#define M2S_M2S_NATIVE_NATIVE_H

#include <stdbool.h>

#include "base/error.h"
#include "m2s/options.h"

/* The environment variable with the options, in the words of m2s's command
 * line, quoted as for a shell. Without it the defaults count, and a run says
 * nothing on standard error. */
#define NATIVE_OPTIONS "M2S_OPTIONS"

/* 0, or -1 and *error: an option that is given has no meaning here. */
int native_options_check(const struct options *options, struct error *error);

/* The words of a command line as one string that native_words_split() takes
 * apart again. The caller frees it. */
char *native_words_join(char *const *words, size_t count);

/* m2s --native: runs the program of the command line with these options and
 * with the simulated GPU as its only OpenCL platform. Returns only when it
 * cannot: -1 and *error. */
int native_exec(const struct options *options, char **argv,
		struct error *error);

#endif
