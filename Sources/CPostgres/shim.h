#pragma once

#include <libpq-fe.h>

// libpq prints a server's notices to stderr unless it is told otherwise.
static void martlet_ignore_notice(void *context, const char *message) {
    (void)context;
    (void)message;
}

static inline void martlet_ignore_notices(PGconn *connection) {
    PQsetNoticeProcessor(connection, martlet_ignore_notice, 0);
}
