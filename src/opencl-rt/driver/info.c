/* Answers to clGet...Info. */
#include <string.h>

#include "opencl-rt/driver/internal.h"

cl_int info_bytes(const struct info *info, const void *bytes, uint64_t size)
{
	if (info->value) {
		if (info->size < size)
			return CL_INVALID_VALUE;
		if (program_write(info->driver, info->value, bytes, size))
			return CL_INVALID_VALUE;
	}
	if (info->size_ret)
		return program_write_word(info->driver, info->size_ret, 0,
					  size);
	return CL_SUCCESS;
}

cl_int info_u32(const struct info *info, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;

	return info_bytes(info, &narrow, sizeof narrow);
}

cl_int info_u64(const struct info *info, uint64_t value)
{
	return info_bytes(info, &value, sizeof value);
}

cl_int info_string(const struct info *info, const char *text)
{
	return info_bytes(info, text, strlen(text) + 1);
}

cl_int info_word(const struct info *info, uint64_t word)
{
	return info_bytes(info, &word, info->driver->word);
}

cl_int info_words(const struct info *info, const uint64_t *words,
		  uint64_t count)
{
	uint64_t size = count * info->driver->word;

	if (info->value) {
		if (info->size < size)
			return CL_INVALID_VALUE;
		for (uint64_t i = 0; i < count; i++)
			if (program_write_word(info->driver, info->value, i,
					       words[i]))
				return CL_INVALID_VALUE;
	}
	if (info->size_ret)
		return program_write_word(info->driver, info->size_ret, 0,
					  size);
	return CL_SUCCESS;
}
