#pragma once

#ifdef __linux__
// First, since event-config.h defines _GNU_SOURCE: with it glibc names the member of fd_set otherwise than in
// Swift's Glibc module, and a clean build can fail on the two definitions.
#include <features.h>
#endif

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/dns.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/http_struct.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <event2/util.h>

#ifdef __GLIBC__
#include <malloc.h>  // not part of Swift's Glibc module

static inline void martlet_keep_freed(int bytes) {
    mallopt(M_TRIM_THRESHOLD, bytes);
    // Setting either ends that glibc finds the other out: blocks of 128 KiB would be mapped anew each time.
    mallopt(M_MMAP_THRESHOLD, bytes / 2);
}
#endif

#ifdef __linux__
#include <sys/eventfd.h>  // not part of Swift's Glibc module
#include <sys/prctl.h>

// prctl is variadic, and pthread_setname_np is hidden from Swift's Glibc module.
static inline void martlet_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
#endif
