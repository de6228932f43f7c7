/* Work-item functions (OpenCL C 1.2, section 6.12.1): those of libclc give
 * wrong ids for dimensions that do not exist. */
__attribute__((overloadable, const)) size_t get_local_id(uint dimension)
{
	switch (dimension) {
	case 0: return __builtin_r600_read_tidig_x();
	case 1: return __builtin_r600_read_tidig_y();
	case 2: return __builtin_r600_read_tidig_z();
	default: return 0;
	}
}

__attribute__((overloadable, const)) size_t get_group_id(uint dimension)
{
	switch (dimension) {
	case 0: return __builtin_r600_read_tgid_x();
	case 1: return __builtin_r600_read_tgid_y();
	case 2: return __builtin_r600_read_tgid_z();
	default: return 0;
	}
}

__attribute__((overloadable, const)) size_t get_global_id(uint dimension)
{
	return get_group_id(dimension) * get_local_size(dimension) +
	       get_local_id(dimension) + get_global_offset(dimension);
}
