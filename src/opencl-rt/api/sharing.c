/* Sharing with OpenGL and EGL: no context of ours is made from one of theirs,
 * which is the error that the specification has for it. The functions are
 * here because the ordinary libOpenCL.so.1 exports them. */
#include "opencl-rt/api/library.h"

/* What the driver does not look at is not sent. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

cl_mem clCreateFromGLBuffer(cl_context context, cl_mem_flags flags,
			    cl_GLuint bufobj, cl_int *errcode_ret)
{
	return refused(SEND(clCreateFromGLBuffer, ADDRESS(context)),
		       errcode_ret);
}

cl_mem clCreateFromGLTexture(cl_context context, cl_mem_flags flags,
			     cl_GLenum target, cl_GLint miplevel,
			     cl_GLuint texture, cl_int *errcode_ret)
{
	return refused(SEND(clCreateFromGLTexture, ADDRESS(context)),
		       errcode_ret);
}

cl_mem clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags,
			       cl_GLenum target, cl_GLint miplevel,
			       cl_GLuint texture, cl_int *errcode_ret)
{
	return refused(SEND(clCreateFromGLTexture2D, ADDRESS(context)),
		       errcode_ret);
}

cl_mem clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags,
			       cl_GLenum target, cl_GLint miplevel,
			       cl_GLuint texture, cl_int *errcode_ret)
{
	return refused(SEND(clCreateFromGLTexture3D, ADDRESS(context)),
		       errcode_ret);
}

cl_mem clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags,
				  cl_GLuint renderbuffer, cl_int *errcode_ret)
{
	return refused(SEND(clCreateFromGLRenderbuffer, ADDRESS(context)),
		       errcode_ret);
}

cl_int clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *gl_object_type,
			 cl_GLuint *gl_object_name)
{
	return SEND(clGetGLObjectInfo, ADDRESS(memobj));
}

cl_int clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name,
			  size_t param_value_size, void *param_value,
			  size_t *param_value_size_ret)
{
	return SEND(clGetGLTextureInfo, ADDRESS(memobj));
}

cl_int clEnqueueAcquireGLObjects(cl_command_queue command_queue,
				 cl_uint num_objects, const cl_mem *mem_objects,
				 cl_uint num_events_in_wait_list,
				 const cl_event *event_wait_list,
				 cl_event *event)
{
	return SEND(clEnqueueAcquireGLObjects, ADDRESS(command_queue));
}

cl_int clEnqueueReleaseGLObjects(cl_command_queue command_queue,
				 cl_uint num_objects, const cl_mem *mem_objects,
				 cl_uint num_events_in_wait_list,
				 const cl_event *event_wait_list,
				 cl_event *event)
{
	return SEND(clEnqueueReleaseGLObjects, ADDRESS(command_queue));
}

cl_int clGetGLContextInfoKHR(const cl_context_properties *properties,
			     cl_gl_context_info param_name,
			     size_t param_value_size, void *param_value,
			     size_t *param_value_size_ret)
{
	return SEND(clGetGLContextInfoKHR, ADDRESS(properties));
}

cl_event clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync,
				    cl_int *errcode_ret)
{
	return refused(SEND(clCreateEventFromGLsyncKHR, ADDRESS(context)),
		       errcode_ret);
}

cl_mem clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR egldisplay,
			       CLeglImageKHR eglimage, cl_mem_flags flags,
			       const cl_egl_image_properties_khr *properties,
			       cl_int *errcode_ret)
{
	return refused(SEND(clCreateFromEGLImageKHR, ADDRESS(context)),
		       errcode_ret);
}

cl_int clEnqueueAcquireEGLObjectsKHR(cl_command_queue command_queue,
				     cl_uint num_objects,
				     const cl_mem *mem_objects,
				     cl_uint num_events_in_wait_list,
				     const cl_event *event_wait_list,
				     cl_event *event)
{
	return SEND(clEnqueueAcquireEGLObjectsKHR, ADDRESS(command_queue));
}

cl_int clEnqueueReleaseEGLObjectsKHR(cl_command_queue command_queue,
				     cl_uint num_objects,
				     const cl_mem *mem_objects,
				     cl_uint num_events_in_wait_list,
				     const cl_event *event_wait_list,
				     cl_event *event)
{
	return SEND(clEnqueueReleaseEGLObjectsKHR, ADDRESS(command_queue));
}

cl_event clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync,
				     CLeglDisplayKHR display,
				     cl_int *errcode_ret)
{
	return refused(SEND(clCreateEventFromEGLSyncKHR, ADDRESS(context)),
		       errcode_ret);
}
