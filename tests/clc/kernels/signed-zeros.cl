/* -0.0f in every place where a compiler could take it for 0.0f. */
constant float zero_table[] = { 1, -0.0f, 0, -0.0f };

kernel void signed_zeros(global int *out, global const int *in, int n)
{
	int i = get_global_id(0), k = in[i];
	float x = (float)(k % 3 - 1), zero = (float)(n - 5), loop = -0.0f;
	float negative_zero = as_float((uint)(n - 5) | 0x80000000u);
	float4 vector = (float4)(-0.0f, x, 0, -0.0f);
	float array[4] = { -0.0f, 0, x, -0.0f };
	int result = 0;

#define ADD_BITS(value) result = result * 31 + as_int(value)
	switch (k & 15) {
	case 0: result = as_int(-0.0f); break;
	case 1: result = as_int(x + -0.0f); break;
	case 2: result = as_int(negative_zero + -0.0f); break;
	case 3: result = as_int(-0.0f - zero); break;
	case 4: result = as_int(-0.0f - negative_zero); break;
	case 5: result = as_int(copysign(x + 2, -0.0f)); break;
	case 6: result = as_int(k > 500 ? -0.0f : x); break;
	case 7: result = as_int(k > 500 ? -x : 0.0f); break;
	case 8: result = as_int(-(zero * 0.0f)); break;
	case 9: result = as_int(zero * -0.0f); break;
	case 10: result = as_int(array[k >> 4 & 3]); break;
	case 11: result = as_int(zero_table[k >> 4 & 3]); break;
	case 12:
		for (int j = 0; j < k; j += 100)
			loop = j & 4 ? x : loop * x;
		result = as_int(loop);
		break;
	case 13:
		vector = k > 500 ? vector : (float4)(-0.0f);
		ADD_BITS(vector.x);
		ADD_BITS(vector.y);
		ADD_BITS(vector.z);
		ADD_BITS(vector.w);
		break;
	case 14: {
		float2 pair = vload2(0, (global const float *)in + i);

		pair = -pair * (float2)(-0.0f, 0.0f);
		ADD_BITS(pair.x);
		ADD_BITS(pair.y);
		break;
	}
	default:
		result = as_int(k > 300 ? as_float(0x80000000u) : x);
		((global float *)out)[i] = -0.0f;
		if (k < 700)
			return;
	}
	out[i] = result;
}
