/* Host threads that do jobs of one caller together. */
#ifndef M2S_M2S_CORES_CREW_H
#define M2S_M2S_CORES_CREW_H

struct crew;

/* `threads` of them, the caller's included: fewer if the host does not give
 * them. */
struct crew *crew_create(unsigned threads);
void crew_free(struct crew *crew); /* may be NULL */

/* Calls job(owner, n) for each n below `count`, each on one of the threads, and
 * returns when all have returned. Whoever is free takes the next number. */
void crew_do(struct crew *crew, unsigned count,
	     void (*job)(void *owner, unsigned n), void *owner);

#endif
