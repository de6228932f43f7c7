/* Opening files by their names. */
#ifndef M2S_X86_LINUX_FILES_OPEN_H
#define M2S_X86_LINUX_FILES_OPEN_H

#include <stdint.h>

struct context;
struct host_path;
struct process;

/* Flags have the same values in both ABIs and on the host, except i386's
 * O_LARGEFILE, which has no meaning for a 64-bit host. */
enum { GUEST_LARGEFILE = 0100000 };
/* Makes a guest descriptor for the host descriptor of an opened path, with the
 * guest's flags. */
int64_t path_install(struct process *process, int host, uint64_t flags);
int64_t path_open(struct context *context, int folder, const char *text,
		  uint64_t flags, unsigned mode);
/* Makes a regular file that replaces an existing file of this name. Returns a
 * host descriptor open for writing, or a negative errno. */
int path_make_anew(struct context *context, const char *text, unsigned mode);
/* Opens the file that path_find() found. Returns a guest descriptor, a negative
 * errno, or PATH_CHANGED when a file has meanwhile taken the name that was
 * missing. */
#define PATH_CHANGED (INT64_MIN + 2)
int64_t path_open_found(struct context *context, struct host_path *path,
			uint64_t flags, unsigned mode);

#endif
