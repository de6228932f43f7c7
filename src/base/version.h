/* Which m2s this is. */
#ifndef M2S_BASE_VERSION_H
#define M2S_BASE_VERSION_H

/* `git describe` of the checkout it was built from, "-dirty" behind it when
 * files had been changed; "unknown" without git. */
extern const char version_commit[];

#endif
