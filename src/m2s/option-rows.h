/* What shells complete of the command line. */
#ifndef M2S_M2S_OPTION_ROWS_H
#define M2S_M2S_OPTION_ROWS_H

#include <stdio.h>

/* Writes a row of --document completion: an option, its argument ("" for
 * none), the words that the argument can be, and the help, with tabs between
 * them and before them (the first field, a subcommand, is empty). `name` is
 * without "--". */
void option_row(FILE *stream, const char *name, const char *argument,
		const char *help);

#endif
