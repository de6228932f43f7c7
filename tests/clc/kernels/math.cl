/* Mathematical functions, exact and native. */
kernel void exact(global float *f, global int *p)
{
	f[0] = sin(f[1]) + cos(f[2]) + tan(f[3]);
	f[4] = exp(f[5]) + log(f[6]) + pow(f[7], f[8]);
	f[9] = sqrt(f[10]) + rsqrt(f[11]) + f[12] / f[13];
	f[14] = hypot(f[15], f[16]) + atan2(f[17], f[18]) + asin(f[19]);
	f[20] = floor(f[21]) + ceil(f[22]) + rint(f[23]) + trunc(f[24]);
	f[25] = fmod(f[26], f[27]) + fma(f[28], f[29], f[30]);
	f[31] = ldexp(f[32], p[0]) + exp2(f[33]) + log10(f[34]);
	f[35] = fmin(f[36], f[37]) + fmax(f[38], f[39]) + fabs(f[40]);
}

kernel void native(global float *f)
{
	f[0] = native_sin(f[1]) + native_cos(f[2]) + native_exp(f[3]);
	f[4] = native_log(f[5]) + native_sqrt(f[6]) + native_rsqrt(f[7]);
	f[8] = native_recip(f[9]) + native_divide(f[10], f[11]);
	f[12] = native_powr(f[13], f[14]) + half_exp(f[15]);
}

kernel void geometry(global float4 *f)
{
	f[0] = cross(f[1], f[2]) * dot(f[3], f[4]) + normalize(f[5]);
	f[6].x = length(f[7]) + distance(f[8], f[9]);
}
