/* The machine's names. */
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

/* What uname() of the host tells, with the names that guests have set where
 * the thread is. */
void uts_names(const struct context *context, struct utsname *names);
/* A line written to /proc/sys/kernel: its size or a negative errno. */
int64_t uts_write(struct context *context, enum uts_which which,
		  const char *text, size_t size);

#endif
