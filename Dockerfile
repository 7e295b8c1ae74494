# One server, or one node of a database. Documents and repositories of a server without a database are in /var/lib/bindery: mount a
# volume there. The root file system may be read-only (docker run --read-only --tmpfs /tmp). Without Chromium, PDFs and pictures for
# link previews are unavailable, and the files of the image take 390 MB, which is 300 MB less: docker build --build-arg CHROMIUM= .
FROM node:24-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --no-audit --no-fund
COPY src src
COPY scripts/build-server.ts scripts/build-browser.ts scripts/pack.ts scripts/
COPY templates templates
COPY deploy deploy
COPY README.md LICENSE SECURITY.md CHANGELOG.md ./
RUN npm run build && node --import tsx scripts/pack.ts /package
# Files of packages that the server does not read: other formats of fonts and icons, sources for debuggers, and the other Chromium.
RUN cd /package && npm ci --ignore-scripts --no-audit --no-fund && \
  find node_modules -type f \( -name '*.map' -o -name '*.woff' -o -name '*.d.ts' -o -name '*.d.mts' \) -delete && \
  rm -rf node_modules/@sparticuz node_modules/@libsql/*-musl && cd node_modules/@fortawesome/fontawesome-free && rm -rf css js less scss metadata otfs sprites sprites-full svgs-full webfonts

# The server needs Node alone: no npm, headers and debug symbols.
RUN strip -o /node /usr/local/bin/node

FROM debian:bookworm-slim
ARG CHROMIUM=chromium-headless-shell
RUN apt-get update && \
  apt-get install -y --no-install-recommends ca-certificates git gnupg openssh-client util-linux $CHROMIUM && \
  rm -rf /var/lib/apt/lists/* && useradd --uid 1000 --home-dir /var/lib/bindery --create-home bindery
COPY --from=build /node /usr/local/bin/node
COPY --from=build /package /app
WORKDIR /var/lib/bindery
USER bindery
ENV NODE_ENV=production UV_THREADPOOL_SIZE=16
ENV BINDERY_HOST=0.0.0.0 BINDERY_DATA_DIR=/var/lib/bindery/data BINDERY_REPOS_DIR=/var/lib/bindery/repos
VOLUME /var/lib/bindery
EXPOSE 3000 3001
HEALTHCHECK --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:3000/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "/app/dist/main.js", "serve"]
