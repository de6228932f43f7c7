/* The machine's host and domain names. */
#ifndef M2S_X86_LINUX_UTS_H
#define M2S_X86_LINUX_UTS_H

#include <stddef.h>
#include <stdint.h>

struct context;
struct utsname;

/* A name of the machine that a guest has set: see uts.c. */
enum uts_which { UTS_HOST, UTS_DOMAIN, UTS_NAMES };
struct uts_name {
	char text[65];
	uint8_t set;
};

/* The result of the host's uname(), with the names that guests have set in the
 * thread's UTS namespace. */
void uts_names(const struct context *context, struct utsname *names);
/* Writes a line to /proc/sys/kernel. Its size or a negative errno. */
int64_t uts_write(struct context *context, enum uts_which which,
		  const char *text, size_t size);

#endif
