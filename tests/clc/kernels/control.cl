/* Branches and loops of all kinds. */
kernel void branches(global int *p, int n)
{
	int i = get_global_id(0), x = p[i];

	if (x > 3) {
		if (x > 10)
			x = p[x];
		else
			p[n] = x;
	} else if (x < -3) {
		x = -x;
	} else {
		return;
	}
	switch (x & 7) {
	case 0: p[i] = 1; break;
	case 1: p[i + 1] = 3; /* fall through */
	case 2: p[i + 2] = 5; break;
	case 5: return;
	default: p[i] = x;
	}
}

kernel void loops(global int *p, int n)
{
	int i = get_global_id(0), sum = 0;

	for (int a = 0; a < n; a++) {
		for (int b = 0; b < p[a]; b++) {
			if (p[b] == 7)
				continue;
			if (p[b] < 0)
				break;
			sum += p[b] * a;
		}
		if (sum > 1000)
			goto out;
	}
	do
		sum = sum / 2 + 1;
	while (sum > p[i]);
out:
	p[i] = sum;
}

kernel void forever(global volatile int *p)
{
	while (p[0] != get_global_id(0))
		;
	p[1] = 2;
}

kernel void barriers(global int *p, local int *l, int n)
{
	int i = get_local_id(0);

	l[i] = p[i];
	for (int step = n; step > 0; step >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (i < step)
			l[i] += l[i + step];
	}
	if (!i)
		p[get_group_id(0)] = l[0];
}
