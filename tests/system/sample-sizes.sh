# For tests that run all samples: small sizes, but more than one work-group
# wherever the sample allows.
size_of() {
	case $1 in
	binomial-option) echo 8 ;;
	bitonic-sort) echo 256 ;;
	box-filter) echo 32 ;;
	dct) echo 32 ;;
	dwt-haar-1d) echo 1024 ;;
	floyd-warshall) echo 16 ;;
	histogram) echo 8192 ;;
	matrix-multiplication) echo 64 ;;
	matrix-transpose) echo 64 ;;
	prefix-sum) echo 512 ;;
	recursive-gaussian) echo 16 ;;
	reduction) echo 2048 ;;
	scan-large-arrays) echo 1024 ;;
	sobel-filter) echo 32 ;;
	urng) echo 1024 ;;
	vector-add) echo 1024 ;;
	esac
}
all_samples="binomial-option bitonic-sort box-filter dct dwt-haar-1d
	floyd-warshall histogram matrix-multiplication matrix-transpose
	prefix-sum recursive-gaussian reduction scan-large-arrays sobel-filter
	urng vector-add"
