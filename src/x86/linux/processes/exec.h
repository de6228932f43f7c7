/* Executing programs. */
#ifndef M2S_X86_LINUX_PROCESSES_EXEC_H
#define M2S_X86_LINUX_PROCESSES_EXEC_H

#include <stdbool.h>

struct context;
struct error;
struct linux_system;
struct stat;

/* Loads a program into new memory and sets up the registers. On failure nothing
 * has changed and *code is an errno. */
struct exec_request {
	const char *path;         /* as the program sees it: AT_EXECFN */
	char *const *argv;
	char *const *envp;
};
int process_exec(struct context *context, const struct exec_request *request,
		 int *code, struct error *error);

/* Whether a guest executes this file, which then cannot be written. */
bool program_runs(const struct linux_system *system, const struct stat *file);

#endif
