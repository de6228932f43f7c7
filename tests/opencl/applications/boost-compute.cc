// Algorithms of Boost.Compute beside those of the C++ library.
#define CL_TARGET_OPENCL_VERSION 120
#include <boost/compute.hpp>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>

namespace compute = boost::compute;

static int wrong;

static void check(const char *name, bool fine)
{
	wrong += !fine;
	std::cout << (fine ? "ok - " : "not ok - ") << name << std::endl;
}

BOOST_COMPUTE_FUNCTION(int, add_four, (int x), { return x + 4; });

int main()
{
	compute::device device = compute::system::default_device();
	compute::context context(device);
	compute::command_queue queue(context, device);
	std::vector<int> host(1000), sorted, found(1000), sums(1000), last;
	unsigned random = 1;
	int sum = 0;

	for (int &value : host) {
		random = random * 1103515245 + 12345;
		value = (random >> 8) % 5000;
	}
	sorted = host;
	std::sort(sorted.begin(), sorted.end());
	compute::vector<int> on(1000, context), other(1000, context);

	compute::copy(host.begin(), host.end(), on.begin(), queue);
	compute::sort(on.begin(), on.end(), queue);
	compute::copy(on.begin(), on.end(), found.begin(), queue);
	check("sort", found == sorted);
	compute::reduce(on.begin(), on.end(), &sum, compute::plus<int>(),
			queue);
	check("reduce", sum == std::accumulate(host.begin(), host.end(), 0));
	compute::exclusive_scan(on.begin(), on.end(), other.begin(), queue);
	compute::copy(other.begin(), other.end(), found.begin(), queue);
	std::partial_sum(sorted.begin(), sorted.end() - 1, sums.begin() + 1);
	check("exclusive_scan", found == sums);
	compute::transform(on.begin(), on.end(), other.begin(), add_four,
			   queue);
	compute::copy(other.begin(), other.end(), found.begin(), queue);
	check("transform",
	      std::equal(found.begin(), found.end(), sorted.begin(),
			 [](int a, int b) { return a == b + 4; }));
	check("count_if",
	      (long)compute::count_if(on.begin(), on.end(),
				      compute::lambda::_1 > 2500, queue) ==
		      std::count_if(sorted.begin(), sorted.end(),
				    [](int value) { return value > 2500; }));
	check("max_element", compute::max_element(other.begin(), other.end(),
						  queue).read(queue) ==
				     sorted.back() + 4);
	auto end = compute::unique(on.begin(), on.end(), queue);
	last = sorted;
	last.erase(std::unique(last.begin(), last.end()), last.end());
	check("unique", (size_t)(end - on.begin()) == last.size());
	return wrong;
}
