/* 16 rounds of a random number generator: work that nobody can skip. */
uint work(uint x, uint path)
{
	for (uint round = 0; round < 16; round++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		x += path;
	}
	return x;
}

/* Neighbouring work-items take p different paths. */
kernel void by_item(global const uint *in, global uint *out, uint p)
{
	uint id = get_global_id(0), x = in[id];

	for (uint path = 0; path < p; path++)
		if (id % p == path)
			x = work(x, path);
	out[id] = x;
}

/* All work-items of a wavefront take one of p paths. */
kernel void by_wavefront(global const uint *in, global uint *out, uint p)
{
	uint id = get_global_id(0), x = in[id];

	for (uint path = 0; path < p; path++)
		if (id / 64 % p == path)
			x = work(x, path);
	out[id] = x;
}

/* As many rounds as the data say, p at most. */
kernel void by_data(global const uint *in, global uint *out, uint p)
{
	uint id = get_global_id(0), x = in[id], rounds = x % p;

	for (uint round = 0; round < rounds; round++)
		x = work(x, round);
	out[id] = x;
}

/* As many, but neighbours have the same number. */
kernel void sorted(global const uint *in, global uint *out, uint p)
{
	uint id = get_global_id(0), x = in[id];
	uint rounds = id * p / get_global_size(0);

	for (uint round = 0; round < rounds; round++)
		x = work(x, round);
	out[id] = x;
}

/* A short branch, which the compiler turns into a choice. */
kernel void choice(global const uint *in, global uint *out, uint p)
{
	uint id = get_global_id(0), x = in[id];

	if (x % p == 0)
		x = x / 2;
	else
		x = 3 * x + 1;
	out[id] = x;
}
