/* Where a thread is, for people. */
#ifndef M2S_X86_LINUX_UNWIND_FAULT_REPORT_H
#define M2S_X86_LINUX_UNWIND_FAULT_REPORT_H

#include <stddef.h>

struct context;
struct signal_information;

/* What a user needs to know about an uncaught fault. */
void fault_report(struct context *context,
		  const struct signal_information *information);
/* Where a thread is: the instruction and, when that is in a library, who in
 * the program called it. */
void thread_place(const struct context *context, char *text, size_t size);

#endif
