#include "base/hash.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64
 * primes. */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t value, unsigned count)
{
	return value >> count | value << (32 - count);
}

static void take_block(uint32_t state[8], const uint8_t *bytes)
{
	uint32_t word[64], v[8];

	for (int i = 0; i < 16; i++)
		word[i] = (uint32_t)bytes[4 * i] << 24 |
			  (uint32_t)bytes[4 * i + 1] << 16 |
			  (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = word[i - 15], b = word[i - 2];

		word[i] = word[i - 16] + word[i - 7] +
			  (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
			  (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
	memcpy(v, state, sizeof v);
	for (int i = 0; i < 64; i++) {
		uint32_t one = v[7] + constants[i] + word[i] +
			       (rotate(v[4], 6) ^ rotate(v[4], 11) ^
				rotate(v[4], 25)) +
			       ((v[4] & v[5]) ^ (~v[4] & v[6]));
		uint32_t two = (rotate(v[0], 2) ^ rotate(v[0], 13) ^
				rotate(v[0], 22)) +
			       ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += one;
		v[0] = one + two;
	}
	for (int i = 0; i < 8; i++)
		state[i] += v[i];
}

void hash_start(struct hash *hash)
{
	static const uint32_t start[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};

	memcpy(hash->state, start, sizeof start);
	hash->size = 0;
}

void hash_add(struct hash *hash, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	while (size) {
		size_t used = hash->size % 64, part = 64 - used;

		if (part > size)
			part = size;
		memcpy(hash->block + used, from, part);
		hash->size += part;
		from += part;
		size -= part;
		if (used + part == 64)
			take_block(hash->state, hash->block);
	}
}

void hash_finish(struct hash *hash, uint8_t result[HASH_SIZE])
{
	static const uint8_t padding[64] = { 0x80 };
	uint64_t bits = hash->size * 8;
	size_t used = hash->size % 64;
	uint8_t length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	hash_add(hash, padding, used < 56 ? 56 - used : 120 - used);
	hash_add(hash, length, sizeof length);
	for (int i = 0; i < HASH_SIZE; i++)
		result[i] = (uint8_t)(hash->state[i / 4] >> (24 - i % 4 * 8));
}

void hash_finish_text(struct hash *hash, char text[HASH_TEXT_SIZE])
{
	uint8_t result[HASH_SIZE];

	hash_finish(hash, result);
	for (int i = 0; i < HASH_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", result[i]);
}

int hash_file(int file, char text[HASH_TEXT_SIZE])
{
	uint8_t bytes[1 << 16];
	struct hash hash;
	off_t at = 0;
	ssize_t got;

	hash_start(&hash);
	while ((got = pread(file, bytes, sizeof bytes, at)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		hash_add(&hash, bytes, (size_t)got);
		at += got;
	}
	hash_finish_text(&hash, text);
	return 0;
}
