/* A vector of two widened to four: "Cannot select: insert_subvector". */
kernel void widen(global float4 *out, global const float2 *in)
{
	size_t i = get_global_id(0);

	out[i] = (float4)(in[i], 0.0f, 0.0f);
}

kernel void halves(global int4 *out, global const int2 *in)
{
	int4 q = out[get_global_id(0)];

	q.xy = in[0];
	q.zw = in[1].yx;
	out[get_global_id(0)] = q;
}
