FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        libcurl4-openssl-dev libevent-dev libpq-dev libsodium-dev libsqlite3-dev libssl-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# Swift's own libraries go into the program, so that the image below needs no toolchain.
RUN swift build -c release --static-swift-stdlib --product martlet \
    && cp "$(swift build -c release --static-swift-stdlib --show-bin-path)/martlet" /martlet

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ca-certificates curl libcurl4 libevent-2.1-7 libevent-openssl-2.1-7 libpq5 libsodium23 libssl3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --home-dir /nonexistent --shell /usr/sbin/nologin martlet
COPY --from=build /martlet /usr/local/bin/martlet
USER martlet
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["curl", "--fail", "--silent", "--show-error", "--output", "/dev/null", "http://127.0.0.1:8080/livez"]
# PostgreSQL is elsewhere, by DATABASE_URL or DATABASE_URL_FILE. SIGTERM drains.
ENTRYPOINT ["martlet"]
CMD ["serve", "--listen", "0.0.0.0:8080"]
