/* Text that becomes a .gz file. A thread compresses while the caller makes the next
 * part:
 *
 *	zipper = zipper_create(stream);
 *	... fill zipper_text(zipper) ...; zipper_write(zipper, length);  again
 *	... fill zipper_text(zipper) ...; zipper_end(zipper, length);
 *	zipper_free(zipper); */
#ifndef M2S_SIM_ZIPPER_H
#define M2S_SIM_ZIPPER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { ZIPPER_TEXT = 1 << 21 };

struct zipper;

/* `stream` is the zipper's until zipper_end() or zipper_free(). */
struct zipper *zipper_create(FILE *stream);
void zipper_free(struct zipper *zipper);
/* The place for the next part, of ZIPPER_TEXT bytes, until it is written. */
char *zipper_text(struct zipper *zipper);
/* Compresses and writes the first `length` bytes of the place. */
void zipper_write(struct zipper *zipper, size_t length);
/* The same for the last part. 0, or -1 when something could not be written. */
int zipper_end(struct zipper *zipper, size_t length);

#endif
