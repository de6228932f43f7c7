// Linear algebra of ViennaCL beside loops.
#define VIENNACL_WITH_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/vector.hpp>

#include <cmath>
#include <iostream>
#include <vector>

typedef std::vector<float> row;

enum { N = 100 };
static int wrong;

static void check(const char *name, bool fine)
{
	wrong += !fine;
	std::cout << (fine ? "ok - " : "not ok - ") << name << std::endl;
}

static bool near(float a, float b)
{
	return std::fabs(a - b) <= 1e-4f * (1 + std::fabs(b));
}

int main()
{
	row a(N), b(N), result(N);
	std::vector<row> m(N, row(N)), product(N, row(N));
	float dot = 0, squares = 0;
	bool fine = true;

	for (int i = 0; i < N; i++) {
		a[i] = i % 7 + 1;
		b[i] = i % 5 - 2;
		dot += a[i] * b[i];
		squares += a[i] * a[i];
		for (int k = 0; k < N; k++)
			m[i][k] = (i * 3 + k) % 11 - 5;
	}
	viennacl::vector<float> on_a(N), on_b(N), on_result(N);
	viennacl::matrix<float> on_m(N, N), on_product(N, N);
	viennacl::copy(a, on_a);
	viennacl::copy(b, on_b);
	viennacl::copy(m, on_m);

	check("inner_prod",
	      near((float)viennacl::linalg::inner_prod(on_a, on_b), dot));
	check("norm_2", near((float)viennacl::linalg::norm_2(on_a),
			     std::sqrt(squares)));
	on_result = viennacl::linalg::prod(on_m, on_a);
	viennacl::copy(on_result, result);
	for (int i = 0; i < N; i++) {
		float sum = 0;

		for (int k = 0; k < N; k++)
			sum += m[i][k] * a[k];
		fine &= near(result[i], sum);
	}
	check("matrix and vector", fine);
	on_product = viennacl::linalg::prod(on_m, on_m);
	viennacl::copy(on_product, product);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;

			for (int k = 0; k < N; k++)
				sum += m[i][k] * m[k][j];
			fine &= near(product[i][j], sum);
		}
	check("matrix and matrix", fine);
	return wrong;
}
