# Documents and repositories of a server without a database are in /var/lib/bindery: mount a volume there.
FROM node:24-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --no-audit --no-fund
COPY src src
COPY scripts/build-server.ts scripts/build-browser.ts scripts/
COPY templates templates
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends git openssh-client gnupg util-linux chromium-headless-shell && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/templates templates
RUN mkdir -p /var/lib/bindery && chown node:node /var/lib/bindery
USER node
ENV BINDERY_HOST=0.0.0.0 BINDERY_DATA_DIR=/var/lib/bindery/data BINDERY_REPOS_DIR=/var/lib/bindery/repos
EXPOSE 3000 3001
CMD ["node", "dist/main.js", "serve"]
