/* Host threads that do jobs of one caller together. */
#ifndef M2S_M2S_CORES_CREW_H
#define M2S_M2S_CORES_CREW_H

struct crew;

/* `threads` of them, the caller's included: fewer if the host does not give
 * them. */
struct crew *crew_create(unsigned threads);
void crew_free(struct crew *crew); /* may be NULL */

enum { CREW_JOBS = 256 }; /* at most */

/* Calls job(owner, n) for each n below `count`, and returns when all have returned.
 * A thread does every so many of them, the same in each call, unless the host lets it
 * wait. */
void crew_do(struct crew *crew, unsigned count,
	     void (*job)(void *owner, unsigned n), void *owner);

#endif
