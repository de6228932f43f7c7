/* Uniform noise on an RGBA image: each work-item draws from its own generator
 * of Park and Miller (1988), seeded by its pixel, through a shuffle table of
 * Bays and Durham (1976) in local memory. */
#define MULTIPLIER 16807
#define MODULUS 2147483647
#define QUOTIENT 127773  /* MODULUS / MULTIPLIER */
#define REMAINDER 2836   /* MODULUS % MULTIPLIER */
#define TABLE 16

int next_random(int state)
{
	/* Schrage's method: no product exceeds 31 bits. */
	int k = state / QUOTIENT;

	state = MULTIPLIER * (state - k * QUOTIENT) - REMAINDER * k;
	return state < 0 ? state + MODULUS : state;
}

kernel void urng(global const uchar4 *input, global uchar4 *output,
		 int factor, local int *tables)
{
	uint i = get_global_id(0), items = get_local_size(0);
	local int *table = tables + get_local_id(0);
	int4 pixel = convert_int4(input[i]);
	int state = (pixel.x * 65536 + pixel.y * 256 + pixel.z + (int)i) % 65535
		    + 1;

	for (uint k = 0; k < TABLE; k++) {
		state = next_random(state);
		table[k * items] = state;
	}
	state = next_random(state);
	uint slot = (uint)state % TABLE;
	int drawn = table[slot * items];
	/* From [0, MODULUS) to [-factor, factor]. */
	int noise = drawn % (2 * factor + 1) - factor;

	output[i] = convert_uchar4_sat(pixel + noise);
}
