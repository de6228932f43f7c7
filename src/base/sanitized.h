/* Whether this is a build with the address or the thread sanitizer. Sanitizers
 * map terabytes before main, and trace the process at its end to find leaks.
 * gcc announces them by macros, clang by features. */
#ifndef M2S_BASE_SANITIZED_H
#define M2S_BASE_SANITIZED_H

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
