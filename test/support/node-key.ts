/** The signing key that all nodes of a test have, unless it names another one: a server with a database needs that of the others. */
export const nodeKey = (env: Record<string, string> = {}): Record<string, string> =>
  env.BINDERY_DATABASE_URL && env.BINDERY_SIGNING_KEY_FILE === undefined ? { BINDERY_SIGNING_KEY: 'ab'.repeat(32) } : {}
