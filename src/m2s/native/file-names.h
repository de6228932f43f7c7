/* The names of a native program's reports. */
#ifndef M2S_M2S_NATIVE_FILE_NAMES_H
#define M2S_M2S_NATIVE_FILE_NAMES_H

#include <stdbool.h>

#include "m2s/options.h"

/* In the names of all files that the options let a run write, %p becomes the
 * number of the process. `forked`: names without it, of regular files, get it
 * appended. The new names live as long as the process. */
void native_name_files(struct options *options, bool forked);

#endif
