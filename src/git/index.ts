export * from './errors.js'
export { type OpenOptions, openGit } from './open-git.js'
export type { RemoteOperations } from './remote-operations.js'
export type * from './types.js'
