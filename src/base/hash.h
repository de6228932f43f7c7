/* SHA-256 (FIPS 180-4). */
#ifndef M2S_BASE_HASH_H
#define M2S_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
	uint32_t state[8];
	uint64_t size;      /* bytes taken so far */
	uint8_t block[64];  /* bytes of a block that is not full yet */
};

enum { HASH_SIZE = 32, HASH_TEXT_SIZE = 2 * HASH_SIZE + 1 };

void hash_start(struct hash *hash);
void hash_add(struct hash *hash, const void *bytes, size_t size);
void hash_finish(struct hash *hash, uint8_t result[HASH_SIZE]);
/* Gives the hash as hexadecimal digits and a zero byte. */
void hash_finish_text(struct hash *hash, char text[HASH_TEXT_SIZE]);

/* Hashes a whole open file, from its beginning; its position does not change.
 * 0, or -1 when the file cannot be read. */
int hash_file(int file, char text[HASH_TEXT_SIZE]);

#endif
