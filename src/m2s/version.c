#include "m2s/version.h"

#include "src/m2s/commit.h" /* of the build folder */

const char version_commit[] = M2S_COMMIT;
