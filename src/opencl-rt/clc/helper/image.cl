/* Images (OpenCL C 1.2, section 6.12.14).
 *
 * What the hardware does is asked of functions without a body, which m2s-clc
 * replaces when everything is inlined and it knows which kernel argument an
 * image or sampler is (images.c):
 *
 *   __m2s_sample<n>  texture fetch with a sampler; bit i of n: coordinate i
 *                    is normalized
 *   __m2s_load       the texel at integer coordinates
 *   __m2s_store      a texel of a typed RAT, at integer coordinates
 *   __m2s_image<n>   dword n of the image's argument (kernel.h)
 *
 * A sampler is known here by its bits: those of a literal come from clang,
 * those of an argument from the driver. The hardware wants to know from the
 * instruction whether coordinates are normalized, OpenCL says it in the
 * sampler; so for a sampler that is an argument there are two fetches, of
 * which one is executed. */

/* Images and samplers are pointers to this address space for the target; the
 * assembler names below tie functions that take either to one another. */
typedef __constant void *m2s_object;

/* Calls of the fetches must keep their own operands, so none are merged. */
#define M2S_FETCH __attribute__((pure, nomerge))

#define M2S_DECLARE(image)                                                     \
	__attribute__((overloadable)) M2S_FETCH float4 m2s_sample0(            \
		read_only image, sampler_t, float4) __asm("__m2s_sample0");    \
	__attribute__((overloadable)) M2S_FETCH float4 m2s_sample1(            \
		read_only image, sampler_t, float4) __asm("__m2s_sample1");    \
	__attribute__((overloadable)) M2S_FETCH float4 m2s_sample3(            \
		read_only image, sampler_t, float4) __asm("__m2s_sample3");    \
	__attribute__((overloadable)) M2S_FETCH float4 m2s_sample7(            \
		read_only image, sampler_t, float4) __asm("__m2s_sample7");    \
	__attribute__((overloadable)) M2S_FETCH float4 m2s_load(               \
		read_only image, int4) __asm("__m2s_load");                    \
	__attribute__((overloadable, nomerge)) void m2s_store(                 \
		write_only image, int4, int4) __asm("__m2s_store");

M2S_DECLARE(image1d_t)
M2S_DECLARE(image1d_buffer_t)
M2S_DECLARE(image1d_array_t)
M2S_DECLARE(image2d_t)
M2S_DECLARE(image2d_array_t)
M2S_DECLARE(image3d_t)

m2s_object m2s_literal_sampler(int bits)
	__asm("__translate_sampler_initializer");
m2s_object m2s_literal_sampler(int bits)
{
	return (m2s_object)bits;
}

uint m2s_sampler_bits_of(m2s_object sampler) __asm("__m2s_sampler_bits");
uint m2s_sampler_bits_of(m2s_object sampler)
{
	return (uint)sampler;
}
uint m2s_sampler_bits(sampler_t sampler) __asm("__m2s_sampler_bits");

/* --- Reading ------------------------------------------------------------ */

/* Layers are chosen by the nearest integer. The layer of a 1D array is y for
 * what is stored, and for some texture instructions z: it is put in both. */
#define M2S_1D(c) (float4)(c, 0.0f, 0.0f, 0.0f)
#define M2S_1D_ARRAY(c) (float4)(c.x, rint((float)c.y), rint((float)c.y), 0.0f)
#define M2S_2D(c) (float4)(c.x, c.y, 0.0f, 0.0f)
#define M2S_2D_ARRAY(c) (float4)(c.x, c.y, rint((float)c.z), 0.0f)
#define M2S_3D(c) (float4)(c.x, c.y, c.z, 0.0f)
#define M2S_INT_1D(c) (int4)(c, 0, 0, 0)
#define M2S_INT_1D_ARRAY(c) (int4)(c.x, c.y, c.y, 0)
#define M2S_INT_2D(c) (int4)(c.x, c.y, 0, 0)
#define M2S_INT_2D_ARRAY(c) (int4)(c.x, c.y, c.z, 0)
#define M2S_INT_3D(c) (int4)(c.x, c.y, c.z, 0)

/* `cast` turns the float4 of a fetch into the result: integers come as they
 * are. `mask`: the coordinates that normalization concerns. */
#define M2S_READ(name, type, cast, image, shape, ints, floats, mask)           \
	__attribute__((overloadable, pure)) type name(                         \
		read_only image i, sampler_t s, floats c)                      \
	{                                                                      \
		float4 place = M2S_##shape(c);                                 \
                                                                               \
		if (m2s_sampler_bits(s) & CLK_NORMALIZED_COORDS_TRUE)          \
			return cast(m2s_sample##mask(i, s, place));            \
		return cast(m2s_sample0(i, s, place));                         \
	}                                                                      \
	/* Integer coordinates are never normalized. */                        \
	__attribute__((overloadable, pure)) type name(                         \
		read_only image i, sampler_t s, ints c)                        \
	{                                                                      \
		int4 at = M2S_INT_##shape(c);                                  \
                                                                               \
		return cast(m2s_sample0(                                       \
			i, s, (float4)(at.x, at.y, at.z, at.w)));              \
	}                                                                      \
	__attribute__((overloadable, pure)) type name(read_only image i,       \
						      ints c)                  \
	{                                                                      \
		return cast(m2s_load(i, M2S_INT_##shape(c)));                  \
	}
#define M2S_READ_ALL(name, type, cast)                                         \
	M2S_READ(name, type, cast, image1d_t, 1D, int, float, 1)               \
	M2S_READ(name, type, cast, image1d_array_t, 1D_ARRAY, int2, float2, 1) \
	M2S_READ(name, type, cast, image2d_t, 2D, int2, float2, 3)             \
	M2S_READ(name, type, cast, image2d_array_t, 2D_ARRAY, int4, float4, 3) \
	M2S_READ(name, type, cast, image3d_t, 3D, int4, float4, 7)             \
	__attribute__((overloadable, pure)) type name(                         \
		read_only image1d_buffer_t i, int c)                           \
	{                                                                      \
		return cast(m2s_load(i, M2S_INT_1D(c)));                       \
	}

M2S_READ_ALL(read_imagef, float4, as_float4)
M2S_READ_ALL(read_imagei, int4, as_int4)
M2S_READ_ALL(read_imageui, uint4, as_uint4)

/* --- Writing ------------------------------------------------------------ */

#define M2S_WRITE(name, type, image, shape, ints)                              \
	__attribute__((overloadable)) void name(write_only image i, ints c,    \
						type value)                    \
	{                                                                      \
		m2s_store(i, as_int4(value), M2S_INT_##shape(c));              \
	}
#define M2S_WRITE_ALL(name, type)                                              \
	M2S_WRITE(name, type, image1d_t, 1D, int)                              \
	M2S_WRITE(name, type, image1d_buffer_t, 1D, int)                       \
	M2S_WRITE(name, type, image1d_array_t, 1D_ARRAY, int2)                 \
	M2S_WRITE(name, type, image2d_t, 2D, int2)                             \
	M2S_WRITE(name, type, image2d_array_t, 2D_ARRAY, int4)                 \
	M2S_WRITE(name, type, image3d_t, 3D, int4)

M2S_WRITE_ALL(write_imagef, float4)
M2S_WRITE_ALL(write_imagei, int4)
M2S_WRITE_ALL(write_imageui, uint4)

/* --- Queries ------------------------------------------------------------ */

#define M2S_QUERY(access, image)                                               \
	__attribute__((overloadable, const)) int m2s_width(access image)       \
		__asm("__m2s_image0");                                         \
	__attribute__((overloadable, const)) int m2s_height(access image)      \
		__asm("__m2s_image1");                                         \
	__attribute__((overloadable, const)) int m2s_depth(access image)       \
		__asm("__m2s_image2");                                         \
	__attribute__((overloadable, const)) int m2s_data_type(access image)   \
		__asm("__m2s_image3");                                         \
	__attribute__((overloadable, const)) int m2s_order(access image)       \
		__asm("__m2s_image7");                                         \
	__attribute__((overloadable, const)) int get_image_width(              \
		access image i)                                                \
	{                                                                      \
		return m2s_width(i);                                           \
	}                                                                      \
	__attribute__((overloadable, const)) int get_image_channel_data_type(  \
		access image i)                                                \
	{                                                                      \
		return m2s_data_type(i);                                       \
	}                                                                      \
	__attribute__((overloadable, const)) int get_image_channel_order(      \
		access image i)                                                \
	{                                                                      \
		return m2s_order(i);                                           \
	}
#define M2S_QUERY_PLANE(access, image)                                         \
	M2S_QUERY(access, image)                                               \
	__attribute__((overloadable, const)) int get_image_height(             \
		access image i)                                                \
	{                                                                      \
		return m2s_height(i);                                          \
	}
#define M2S_QUERY_ARRAY(access, image)                                         \
	__attribute__((overloadable, const)) size_t get_image_array_size(      \
		access image i)                                                \
	{                                                                      \
		return m2s_depth(i);                                           \
	}
#define M2S_QUERY_DIM(access, image)                                           \
	__attribute__((overloadable, const)) int2 get_image_dim(access image i) \
	{                                                                      \
		return (int2)(m2s_width(i), m2s_height(i));                    \
	}
#define M2S_QUERY_ALL(access)                                                  \
	M2S_QUERY(access, image1d_t)                                           \
	M2S_QUERY(access, image1d_buffer_t)                                    \
	M2S_QUERY(access, image1d_array_t)                                     \
	M2S_QUERY_ARRAY(access, image1d_array_t)                               \
	M2S_QUERY_PLANE(access, image2d_t)                                     \
	M2S_QUERY_DIM(access, image2d_t)                                       \
	M2S_QUERY_PLANE(access, image2d_array_t)                               \
	M2S_QUERY_DIM(access, image2d_array_t)                                 \
	M2S_QUERY_ARRAY(access, image2d_array_t)                               \
	M2S_QUERY_PLANE(access, image3d_t)                                     \
	__attribute__((overloadable, const)) int get_image_depth(              \
		access image3d_t i)                                            \
	{                                                                      \
		return m2s_depth(i);                                           \
	}                                                                      \
	__attribute__((overloadable, const)) int4 get_image_dim(               \
		access image3d_t i)                                            \
	{                                                                      \
		return (int4)(m2s_width(i), m2s_height(i), m2s_depth(i), 0);   \
	}

M2S_QUERY_ALL(read_only)
M2S_QUERY_ALL(write_only)
