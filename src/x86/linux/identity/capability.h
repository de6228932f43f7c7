/* Capabilities. */
#ifndef M2S_X86_LINUX_IDENTITY_CAPABILITY_H
#define M2S_X86_LINUX_IDENTITY_CAPABILITY_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct credentials;
struct process;

/* CAP_* in force. */
bool has_capability(const struct process *process, int capability);
/* The commands of prctl() about capabilities. */
int64_t capability_prctl(struct context *context, const uint64_t *a);

enum { CAPABILITY_LAST = 40 }; /* CAP_CHECKPOINT_RESTORE, Linux 5.9 */
#define CAPABILITY_ALL ((UINT64_C(2) << CAPABILITY_LAST) - 1)

/* The sets that the simulator itself runs with, when it is the superuser's, or
 * those that it is told to have. */
void capabilities_start(struct credentials *credentials, uint64_t told);
/* The host asks for these capabilities from now on. */
void capabilities_enter(const struct credentials *credentials);
/* The user ids have changed, before they were `old`. */
void capabilities_follow_users(struct credentials *credentials,
			       const unsigned *old);
/* Only the one for files has changed. */
void capabilities_follow_files(struct credentials *credentials, unsigned old);
/* What access() looks with: those of the real user. */
void capabilities_of_real_user(struct credentials *credentials);

#endif
