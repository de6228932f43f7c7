/* What the driver wants done in the program: notices that wait for the library
 * to fetch them. */
#include <stdlib.h>

#include "opencl-rt/driver/internal.h"

void notice_add(struct opencl_driver *driver, const struct notice *notice)
{
	struct notice *copy;

	if (driver->closing)
		return;
	copy = xmalloc(sizeof *copy);
	*copy = *notice;
	copy->next = NULL;
	if (copy->object)
		object_use(copy->object);
	if (driver->last_notice)
		driver->last_notice->next = copy;
	else
		driver->first_notice = copy;
	driver->last_notice = copy;
	driver->notice_count++;
}
