#include "sim/zipper.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/memory.h"

enum {
	ZIPPED_SIZE = 1 << 16,
	/* Fast: traces repeat themselves, and shrink to an eighth even so. */
	LEVEL = 1,
	GZIP = 15 + 16,        /* zlib's word for gzip */
};

struct zipper {
	FILE *stream;
	z_stream zip;
	unsigned char *zipped;
	bool failed;
	pthread_t thread;
	bool threaded;
	/* One is filled, the other compressed. */
	char *text[2];
	unsigned filled;
	/* Under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const char *given;     /* to be compressed; NULL: nothing */
	size_t length;
	bool last;
};

static void compress_text(struct zipper *zipper, const char *text,
			  size_t length, bool last)
{
	z_stream *zip = &zipper->zip;

	zip->next_in = (unsigned char *)(uintptr_t)text;
	zip->avail_in = (uInt)length;
	do {
		size_t size;

		zip->next_out = zipper->zipped;
		zip->avail_out = ZIPPED_SIZE;
		deflate(zip, last ? Z_FINISH : Z_NO_FLUSH);
		size = ZIPPED_SIZE - zip->avail_out;
		if (fwrite(zipper->zipped, 1, size, zipper->stream) != size)
			zipper->failed = true;
	} while (!zip->avail_out);
}

static void *compress_all(void *owner)
{
	struct zipper *zipper = owner;
	bool last;

	do {
		const char *text;
		size_t length;

		pthread_mutex_lock(&zipper->lock);
		while (!zipper->given)
			pthread_cond_wait(&zipper->changed, &zipper->lock);
		text = zipper->given;
		length = zipper->length;
		last = zipper->last;
		pthread_mutex_unlock(&zipper->lock);
		compress_text(zipper, text, length, last);
		pthread_mutex_lock(&zipper->lock);
		zipper->given = NULL;
		pthread_cond_signal(&zipper->changed);
		pthread_mutex_unlock(&zipper->lock);
	} while (!last);
	return NULL;
}

struct zipper *zipper_create(FILE *stream)
{
	struct zipper *zipper = xcalloc(1, sizeof *zipper);

	zipper->stream = stream;
	zipper->zipped = xmalloc(ZIPPED_SIZE);
	for (int i = 0; i < 2; i++)
		zipper->text[i] = xmalloc(ZIPPER_TEXT);
	zipper->failed = deflateInit2(&zipper->zip, LEVEL, Z_DEFLATED, GZIP, 8,
				      Z_DEFAULT_STRATEGY) != Z_OK;
	pthread_mutex_init(&zipper->lock, NULL);
	pthread_cond_init(&zipper->changed, NULL);
	return zipper;
}

char *zipper_text(struct zipper *zipper)
{
	return zipper->text[zipper->filled];
}

/* Signals are the main thread's. Without a thread the caller compresses. */
static void start_thread(struct zipper *zipper)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	zipper->threaded = !pthread_create(&zipper->thread, NULL, compress_all,
					   zipper);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void wait_idle(struct zipper *zipper)
{
	while (zipper->given)
		pthread_cond_wait(&zipper->changed, &zipper->lock);
}

static void give(struct zipper *zipper, size_t length, bool last)
{
	const char *text = zipper->text[zipper->filled];

	if (!zipper->zip.state)
		return;
	if (!zipper->threaded && !last)
		start_thread(zipper);
	if (!zipper->threaded) {
		compress_text(zipper, text, length, last);
		return;
	}
	pthread_mutex_lock(&zipper->lock);
	wait_idle(zipper);
	zipper->given = text;
	zipper->length = length;
	zipper->last = last;
	pthread_cond_signal(&zipper->changed);
	pthread_mutex_unlock(&zipper->lock);
	zipper->filled ^= 1;
}

void zipper_write(struct zipper *zipper, size_t length)
{
	give(zipper, length, false);
}

static void join(struct zipper *zipper)
{
	if (zipper->threaded)
		pthread_join(zipper->thread, NULL);
	zipper->threaded = false;
}

int zipper_end(struct zipper *zipper, size_t length)
{
	give(zipper, length, true);
	join(zipper);
	return zipper->failed ? -1 : 0;
}

void zipper_free(struct zipper *zipper)
{
	if (!zipper)
		return;
	/* A run that ended without zipper_end(): the thread waits for more. */
	if (zipper->threaded)
		zipper_end(zipper, 0);
	deflateEnd(&zipper->zip);
	pthread_mutex_destroy(&zipper->lock);
	pthread_cond_destroy(&zipper->changed);
	free(zipper->zipped);
	free(zipper->text[0]);
	free(zipper->text[1]);
	free(zipper);
}
