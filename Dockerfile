# syntax=docker/dockerfile:1
# The image runs what `npm run release` makes: everything is built, and nothing is compiled or downloaded at start.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY packages/api/package.json packages/api/
COPY packages/core/package.json packages/core/
COPY server/package.json server/
COPY web/package.json web/
RUN npm ci --no-audit --no-fund --omit=dev
COPY . .
RUN node tools/release.mjs --into /release

# Without its symbols the program is 18 MB smaller.
FROM ${NODE_IMAGE} AS node
RUN apt-get update && apt-get install -y --no-install-recommends binutils && strip /usr/local/bin/node

FROM ${RUNTIME_IMAGE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates libstdc++6 tini \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir /data && chown 10001:10001 /data
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=build /release /app
WORKDIR /app
# Where the processor is of the same kind as this one, starts with the embedded database need not compile it.
RUN node server/bin/build-engine-code.mjs
# Whoever needs another user sets it; the files belong to root and are only read.
USER 10001:10001
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DARGAH_DATA_DIR=/data MALLOC_TRIM_THRESHOLD_=1048576 MALLOC_MMAP_THRESHOLD_=1048576
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "server/bin/health.mjs"]
ENTRYPOINT ["tini", "--", "node", "--v8-pool-size=1", "--min-semi-space-size=4", "--max-semi-space-size=16", "server/bin/start.mjs"]
