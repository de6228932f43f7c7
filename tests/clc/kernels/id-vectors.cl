/* Neighbouring stores of raw work-item ids: "Cannot select: BUILD_VECTOR". */
kernel void ids(global uint *p)
{
	size_t i = get_global_id(0) * 8;

	p[i] = get_local_id(0);
	p[i + 1] = get_local_id(1);
	p[i + 2] = get_local_id(2);
	p[i + 3] = get_group_id(0);
	p[i + 4] = get_group_id(1);
	p[i + 5] = get_group_id(2);
	p[i + 6] = get_local_size(0);
	p[i + 7] = get_num_groups(0);
}

kernel void vector(global uint4 *p)
{
	p[0] = (uint4)(get_local_id(0), get_local_id(1), get_group_id(0),
		       get_group_id(1));
}

kernel void sizes(global uint *p, uint dimension)
{
	p[0] = get_global_size(0);
	p[1] = get_global_offset(1);
	p[2] = get_work_dim();
	p[3] = get_global_id(dimension);
	p[4] = get_group_id(dimension);
}
