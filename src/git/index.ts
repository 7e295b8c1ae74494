// The door of the Git layer: repositories and their operations are described in types.ts, remotes in remote/operations.ts.
export * from './errors.js'
export { bundleRepository } from './lifecycle/bundle.js'
export { type OpenOptions, openGit } from './open-git.js'
export { createRemoteOperations, type RemoteOperations } from './remote/operations.js'
export { parseRemoteUrl, remoteKey } from './remote/url.js'
export { isRemoteRefName } from './refs/name.js'
export { caseKey } from './trees/path.js'
export type * from './types.js'
