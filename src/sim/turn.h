/* Work that gives way in the middle: it has a host thread of its own, and either
 * that thread or the caller's runs, never both. */
#ifndef M2S_SIM_TURN_H
#define M2S_SIM_TURN_H

#include <stdbool.h>

struct turn;

/* Work that begins with the first turn_go_on(). NULL when the host has no thread
 * for it. */
struct turn *turn_create(void (*work)(void *owner), void *owner);
/* Lets the work go on until it gives way (false) or has ended (true). */
bool turn_go_on(struct turn *turn);
/* To be called by the work: returns at the next turn_go_on(). */
void turn_give_way(struct turn *turn);
/* The work must have ended, or not begun. May be NULL. */
void turn_free(struct turn *turn);

#endif
