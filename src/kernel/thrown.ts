/** Reads values that were thrown, whose type is unknown. */

/** Returns the code of an error, such as `ENOENT`; undefined if it has none. */
export const errorCode = (thrown: unknown): string | undefined =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : undefined

/** Returns what was thrown if it is an error, and otherwise an error with its text as the message. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))
