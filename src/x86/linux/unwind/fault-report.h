/* Texts for users about a fault and the place of a thread. */
#ifndef M2S_X86_LINUX_UNWIND_FAULT_REPORT_H
#define M2S_X86_LINUX_UNWIND_FAULT_REPORT_H

#include <stddef.h>

struct context;
struct signal_information;

/* Reports an uncaught fault to the user. */
void fault_report(struct context *context,
		  const struct signal_information *information);
/* Describes where a thread is: the instruction and, if that is in a library,
 * the program's call that led there. */
void thread_place(const struct context *context, char *text, size_t size);

#endif
