#include "evergreen/emu/stray.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/machine.h"

struct row {
	uint32_t line;
	uint64_t count;
	uint64_t order; /* of the access in `text` */
	char *place, *text;
};

struct evg_strays {
	pthread_mutex_t lock; /* host threads share a launch */
	struct row *rows;     /* by line */
	size_t count, capacity;
};

struct evg_strays *evg_strays_create(void)
{
	struct evg_strays *strays = xcalloc(1, sizeof *strays);

	pthread_mutex_init(&strays->lock, NULL);
	return strays;
}

void evg_strays_free(struct evg_strays *strays)
{
	if (!strays)
		return;
	for (size_t i = 0; i < strays->count; i++) {
		free(strays->rows[i].place);
		free(strays->rows[i].text);
	}
	free(strays->rows);
	pthread_mutex_destroy(&strays->lock);
	free(strays);
}

size_t evg_strays_count(const struct evg_strays *strays)
{
	return strays->count;
}

struct evg_stray evg_strays_at(const struct evg_strays *strays, size_t index)
{
	const struct row *row = &strays->rows[index];

	return (struct evg_stray){row->line, row->count, row->place, row->text};
}

static struct row *find_row(struct evg_strays *strays, uint32_t line)
{
	size_t i = 0;

	while (i < strays->count && strays->rows[i].line < line)
		i++;
	if (i < strays->count && strays->rows[i].line == line)
		return &strays->rows[i];
	ARRAY_GROW(strays->rows, strays->count, strays->capacity);
	memmove(strays->rows + i + 1, strays->rows + i,
		(strays->count - i) * sizeof *strays->rows);
	strays->rows[i] = (struct row){.line = line, .order = UINT64_MAX};
	strays->count++;
	return &strays->rows[i];
}

bool evg_stray_begin(struct evg_wavefront *wavefront, uint32_t line)
{
	const struct evg_ndrange *ndrange = wavefront->group->ndrange;
	struct evg_strays *strays = ndrange->launch.strays;
	/* Work-groups may run in any order, a wavefront's instructions not. */
	uint64_t order =
	    wavefront->group->index * ndrange->wavefronts + wavefront->index;
	struct row *row;

	if (!strays || !wavefront->fault.strays)
		return false;
	pthread_mutex_lock(&strays->lock);
	row = find_row(strays, line);
	if (order < row->order) {
		free(row->place);
		free(row->text);
		row->order = order;
		evg_fault_describe(wavefront, line, &row->place, &row->text);
	}
	pthread_mutex_unlock(&strays->lock);
	wavefront->fault = (struct evg_fault){0};
	wavefront->global.drops = true;
	wavefront->global.dropped = 0;
	return true;
}

void evg_stray_end(struct evg_wavefront *wavefront, uint32_t line)
{
	struct evg_strays *strays = wavefront->group->ndrange->launch.strays;

	wavefront->global.drops = false;
	pthread_mutex_lock(&strays->lock);
	find_row(strays, line)->count += wavefront->global.dropped;
	pthread_mutex_unlock(&strays->lock);
}
