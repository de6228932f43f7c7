/* Arithmetic in registers. */

kernel void polynomial(global const float *input, global float *output,
		       uint rounds)
{
	uint id = get_global_id(0);
	float x = input[id], y = 0.5f, z = 0.25f;

	for (uint i = 0; i < rounds; i++) {
		y = y * x + 0.125f;
		z = z * y + 0.375f;
		y = y * z - x;
		z = z * x + y * 0.5f;
	}
	output[id] = y + z;
}

kernel void n_body(global const float4 *position, global float4 *force,
		   uint bodies, float softening)
{
	uint id = get_global_id(0);
	float4 own = position[id], sum = (float4)(0.0f);

	for (uint i = 0; i < bodies; i++) {
		float4 other = position[i];
		float4 d = other - own;
		float square = d.x * d.x + d.y * d.y + d.z * d.z + softening;
		float inverse = native_rsqrt(square);
		float factor = other.w * inverse * inverse * inverse;

		sum += factor * d;
	}
	force[id] = sum;
}

/* Integer hashing in the way of Jenkins (1996). */
kernel void mixing(global const uint *input, global uint *output, uint rounds)
{
	uint id = get_global_id(0);
	uint a = input[id], b = 0x9e3779b9, c = id;

	for (uint i = 0; i < rounds; i++) {
		a -= b; a -= c; a ^= c >> 13;
		b -= c; b -= a; b ^= a << 8;
		c -= a; c -= b; c ^= b >> 13;
		a -= b; a -= c; a ^= c >> 12;
		b -= c; b -= a; b ^= a << 16;
		c -= a; c -= b; c ^= b >> 5;
	}
	output[id] = a ^ b ^ c;
}
