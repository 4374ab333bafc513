#ifndef MARTLET_CSQLITE_H
#define MARTLET_CSQLITE_H

#include <sqlite3.h>

// Binds bytes that SQLite copies: SQLITE_TRANSIENT is a cast of -1, which does not import.
static inline int martlet_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// The same for text in UTF-8.
static inline int martlet_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

#endif
