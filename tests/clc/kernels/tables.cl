/* Tables of every kind, beside a number that is no place among them. */
struct pair {
	char tag;
	long wide;
	float3 place;
};
constant struct pair pairs[3] = {
	{ 1, 1L << 40, { 1, 2, 3 } }, { -2, -7, { 4, 5, 6 } }, { 3 },
};
constant uchar bytes[7] = { 2, 3, 5, 7, 11, 13, 17 };
constant short empty[5] = { 0 };

kernel void kinds(global long *out, global const int *in)
{
	int i = in[get_global_id(0)];
	constant struct pair *p = &pairs[i % 3];

	out[get_global_id(0)] = p->tag + p->wide + (int)p->place.z +
				bytes[i % 7] * 256 + empty[i % 5] + i / 7 +
				(i ^ 0x6d000000);
}
