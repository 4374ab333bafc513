#pragma once

#include <stdint.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "OpenSSL 3 or newer is needed"
#endif

// What reading a key ended with.
enum {
    MARTLET_KEY_READ = 0,
    MARTLET_KEY_MALFORMED = 1,
    MARTLET_KEY_OTHER_ALGORITHM = 2,
    MARTLET_KEY_OTHER_CURVE = 3,
};

// Bytes of a signature of ES256: r and s, 32 bytes each, highest byte first.
enum { MARTLET_P256_SIGNATURE_BYTES = 64 };

static inline int martlet_is_p256(const EVP_PKEY *key) {
    char name[32];
    int is_explicit = 0;
    // A curve that is written out could be one that only looks like P-256.
    EVP_PKEY_get_int_param(key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &is_explicit);
    return !is_explicit && EVP_PKEY_get_group_name(key, name, sizeof name, NULL) == 1
        && strcmp(name, SN_X9_62_prime256v1) == 0;
}

static inline int martlet_is_point_of_curve(EVP_PKEY *key) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    int is_point = context && EVP_PKEY_public_check(context) == 1;
    EVP_PKEY_CTX_free(context);
    return is_point;
}

static inline int martlet_judge_key(EVP_PKEY *key) {
    if (!key) return MARTLET_KEY_MALFORMED;
    if (EVP_PKEY_get_base_id(key) != EVP_PKEY_EC) return MARTLET_KEY_OTHER_ALGORITHM;
    if (!martlet_is_p256(key)) return MARTLET_KEY_OTHER_CURVE;
    return martlet_is_point_of_curve(key) ? MARTLET_KEY_READ : MARTLET_KEY_MALFORMED;
}

// Reads a public key of P-256 from a SubjectPublicKeyInfo in DER, all of it. The key is the caller's to free.
static inline int martlet_p256_read(const uint8_t *der, size_t bytes, EVP_PKEY **read) {
    const uint8_t *end = der;
    EVP_PKEY *key = d2i_PUBKEY(NULL, &end, (long)bytes);
    int outcome = end == der + bytes ? martlet_judge_key(key) : MARTLET_KEY_MALFORMED;
    if (outcome == MARTLET_KEY_READ) {
        *read = key;
    } else {
        EVP_PKEY_free(key);
    }
    ERR_clear_error();  // the thread's, where others look for errors of their own
    return outcome;
}

// The signature as DER, which libcrypto reads; the caller frees it. Nothing if there is no memory.
static inline int martlet_p256_signature_der(const uint8_t *signature, uint8_t **der) {
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, 32, NULL);
    BIGNUM *s = BN_bin2bn(signature + 32, 32, NULL);
    int bytes = -1;
    if (pair && r && s && ECDSA_SIG_set0(pair, r, s)) {
        r = s = NULL;  // the pair's now
        bytes = i2d_ECDSA_SIG(pair, der);
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(pair);
    return bytes;
}

// Whether r and s, MARTLET_P256_SIGNATURE_BYTES together, are the key's signature of the message's SHA-256.
static inline int martlet_p256_verify(
    EVP_PKEY *key, const uint8_t *signature, const uint8_t *message, size_t bytes) {
    uint8_t *der = NULL;
    int count = martlet_p256_signature_der(signature, &der);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int is_valid = count > 0 && context && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1
        && EVP_DigestVerify(context, der, (size_t)count, message, bytes) == 1;
    EVP_MD_CTX_free(context);
    OPENSSL_free(der);
    ERR_clear_error();
    return is_valid;
}

// The key as a SubjectPublicKeyInfo in DER; the caller frees it by martlet_p256_free_der.
static inline int martlet_p256_write(const EVP_PKEY *key, uint8_t **der) { return i2d_PUBKEY(key, der); }

// OPENSSL_free is a macro.
static inline void martlet_p256_free_der(uint8_t *der) { OPENSSL_free(der); }
