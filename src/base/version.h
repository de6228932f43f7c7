/* The version of m2s. */
#ifndef M2S_BASE_VERSION_H
#define M2S_BASE_VERSION_H

/* `git describe` of the checkout that m2s was built from, with "-dirty" added
 * when files had been changed; "unknown" without git. */
extern const char version_commit[];

#endif
