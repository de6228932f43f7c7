/* Arguments of calls about keys. */
#include <errno.h>
#include <stdlib.h>

#include "base/memory.h"
#include "x86/linux/keys/keyring.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"

int key_get_text(struct context *context, uint64_t address, char *text)
{
	int length = guest_get_string(context, address, text,
				      KEY_DESCRIPTION_MAX);

	return length == -ENAMETOOLONG ? -EINVAL : length < 0 ? length : 0;
}

int key_get_type(struct context *context, uint64_t address,
		 char text[KEY_TYPE_MAX])
{
	int length = guest_get_string(context, address, text, KEY_TYPE_MAX);

	if (length == -ENAMETOOLONG || !length)
		return -EINVAL;
	if (length < 0)
		return length;
	return text[0] == '.' ? -EPERM : 0;
}

int key_get_payload(struct context *context, uint64_t address, uint64_t size,
		    uint8_t **payload)
{
	*payload = NULL;
	if (!size)
		return 0;
	*payload = xmalloc(size);
	if (!guest_get(context, address, *payload, size))
		return 0;
	free(*payload);
	*payload = NULL;
	return -EFAULT;
}
