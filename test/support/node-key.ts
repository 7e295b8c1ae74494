/**
 * The signing key of all nodes of a test, unless it names another one. A server with a database needs the key of the
 * others.
 */
export const nodeKey = (env: Record<string, string> = {}): Record<string, string> =>
  env.BINDERY_DATABASE_URL && env.BINDERY_SIGNING_KEY_FILE === undefined ? { BINDERY_SIGNING_KEY: 'ab'.repeat(32) } : {}
