/* Capabilities. */
#ifndef M2S_X86_LINUX_IDENTITY_CAPABILITY_H
#define M2S_X86_LINUX_IDENTITY_CAPABILITY_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct credentials;
struct process;

/* Whether a process has an effective capability CAP_*. */
bool has_capability(const struct process *process, int capability);
/* The commands of prctl() about capabilities. */
int64_t capability_prctl(struct context *context, const uint64_t *a);

enum { CAPABILITY_LAST = 40 }; /* CAP_CHECKPOINT_RESTORE, Linux 5.9 */
#define CAPABILITY_ALL ((UINT64_C(2) << CAPABILITY_LAST) - 1)

/* Sets the capability sets of the first process: those of the simulator when
 * the superuser runs it, or those in `told`. */
void capabilities_start(struct credentials *credentials, uint64_t told);
/* Makes the host use these capabilities of the simulator's thread from now
 * on. */
void capabilities_enter(const struct credentials *credentials);
/* Changes the sets as Linux does when user ids change. `old`: the ids
 * before. */
void capabilities_follow_users(struct credentials *credentials,
			       const unsigned *old);
/* The same when only the id for file access has changed. */
void capabilities_follow_files(struct credentials *credentials, unsigned old);
/* Sets the capabilities of the real user, which access() uses. */
void capabilities_of_real_user(struct credentials *credentials);

#endif
