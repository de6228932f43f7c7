#include "base/version.h"

#include "src/base/commit.h" /* of the build folder */

const char version_commit[] = M2S_COMMIT;
