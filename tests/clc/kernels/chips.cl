/* What the chips of the family do differently: fma, and masks saved deep in
 * control flow. */
kernel void fused(global float *out, global const float *a,
		  global const float *b)
{
	int i = get_global_id(0);

	out[i] = fma(a[i], b[i], -a[i] * b[i]);
}

kernel void nested(global int *out, global const int *in)
{
	int i = get_global_id(0), sum = 0;

	if (in[i] & 1) {
		out[i] = 1;
		if (in[i + 1] & 2) {
			out[i + 64] = 2;
			if (in[i + 2] & 4) {
				out[i + 128] = 3;
				for (int k = 0; k < in[i + 3] % 16; k++) {
					sum += in[i + k];
					if (sum & 8)
						break;
					if (sum & 3) {
						out[i + 192] = 4;
						if (sum & 16)
							out[i + 256] = 5;
						else
							out[i + 320] = 6;
					}
				}
			}
			out[i + 384] = sum;
		}
	}
}

/* Deep enough for stacks of eight elements an entry. */
#define LEVEL(n, inner)                                                        \
	if (in[i + n] & 3) {                                                    \
		out[i + 64 * n] = n;                                            \
		inner out[i + 64 * n + 1024] = sum;                             \
	}
kernel void deep(global int *out, global const int *in)
{
	int i = get_global_id(0), sum = in[i];

	LEVEL(1, LEVEL(2, LEVEL(3, LEVEL(4, LEVEL(5, LEVEL(6, LEVEL(7,
	LEVEL(8, sum += 5; out[i + 640] = sum;))))))))
}
