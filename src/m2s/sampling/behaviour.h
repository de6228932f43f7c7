/* What an interval of a program does with data and branches: the same code may take
 * ten times as long on other data. Simple caches and a simple predictor, of no
 * processor, tell such intervals apart. */
#ifndef M2S_M2S_SAMPLING_BEHAVIOUR_H
#define M2S_M2S_SAMPLING_BEHAVIOUR_H

#include "x86/emu/step.h"

/* Cycles for each instruction: misses of three caches, and wrong predictions, each
 * times a usual cost. */
enum { BEHAVIOUR_COMPONENTS = 4 };

struct behaviour *behaviour_create(void);
void behaviour_free(struct behaviour *behaviour);
/* An instruction of a process has been executed. */
void behaviour_count(struct behaviour *behaviour, uint64_t process,
		     const struct x86_record *record,
		     const struct x86_reference *reference);
/* What the last `instructions` instructions have done; then counts anew. */
void behaviour_take(struct behaviour *behaviour, uint64_t instructions,
		    double component[BEHAVIOUR_COMPONENTS]);

#endif
