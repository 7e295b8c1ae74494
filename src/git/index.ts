// The entry point of the Git layer. Repositories and their operations are documented in types.ts.
export * from './errors.js'
export { bundleRepository } from './lifecycle/bundle.js'
export { type FileAtCommit, fileAtCommit } from './lifecycle/file-at.js'
export { fsck, listRefs } from './lifecycle/plain.js'
export { type RecordedTree, WorkingTree } from './lifecycle/working-tree.js'
export { checkGitVersion, type LocalGit, type OpenOptions, openGit } from './open-git.js'
export {
  importRepository,
  prepareRepositories,
  removeStored,
  storedRefs,
  storedRepositories,
} from './postgres/list-repositories.js'
export { lostObjectsFrom } from './postgres/lost-objects.js'
export { forgetState } from './postgres/node-state.js'
export { openSharedGit, type SharedGit, type SharedGitOptions } from './postgres/open-git.js'
export { Redaction, type RemovedPerson, withoutAddresses } from './rewrite/redaction.js'
export type { RewriteOrder, RewriteResult, RewrittenCommit } from './rewrite/types.js'
export { adoptRepository } from './postgres/adopt.js'
export { requestRefresh, openRefreshSocket } from './postgres/refresh.js'
export type { SetAside } from './postgres/manual-moves.js'
export { recordedGit } from './recorded.js'
export { BadPktLine, FLUSH, PktReader, pktLine, sideBand } from './pkt-line.js'
export { EMPTY_TREE } from './objects/hash.js'
export { remoteOptions } from './remote/connection.js'
export { parseRemoteUrl, remoteKey } from './remote/url.js'
export { isRefName, isRemoteRefName } from './refs/name.js'
export { caseKey } from './trees/path.js'
export type * from './serve/types.js'
export type * from './types.js'
