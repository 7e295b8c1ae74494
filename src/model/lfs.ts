/** The Git LFS files of a space: objects that were fetched or failed, and the remotes that they come from. */
import type { CommitId, RefName } from '../kernel/ids.js'
import { table } from '../kernel/documents.js'

/**
 * An object of a space, as stored. A space has an object only if one of its remotes has sent the bytes, or if the space
 * is a copy of one that had it.
 * Knowing the hash gives no access.
 */
export interface LfsObjectDoc {
  /** The `lfsObjectId` of space and hash. */
  id: string
  space: string
  /** SHA-256, hexadecimal. */
  oid: string
  /** Size in bytes. */
  size: number
  /** Git object ID of the pointer in the repository. When Git prunes the pointer, the object is deleted, too. */
  blob: string
  state: 'present' | 'failed'
  /** Reason of the failure, as a sentence. */
  problem?: string
  /** Number of consecutive failures. */
  attempts: number
  /** Time of the fetch or the failure. */
  at: string
  /** Time of the next automatic retry after a failure. */
  retryAt?: string
}

export const lfsObjectId = (space: string, oid: string): string => `${space}-${oid}`

export const lfsObjects = table<LfsObjectDoc>()({
  name: 'lfs-objects',
  indexes: { space: (one) => one.space, oid: (one) => one.oid },
  owner: 'space',
})

/** A remote to fetch objects from. */
export interface LfsRemote {
  /** The key of the remote: URL, ref and directory as one name. */
  key: string
  /** URL without a credential. */
  url: string
  ref: RefName
  /** Folder of the remote with the content of the space; absent = the whole repository. */
  directory?: string
  /** ID of the connection whose credential is used. */
  connection?: string
  /** The last imported remote head, whose `.lfsconfig` applies. */
  head?: CommitId
}

/** A space with Git LFS pointers, as stored. Its version increases with every object that is fetched or fails. */
export interface LfsSpaceDoc {
  /** ID of the space. */
  id: string
  /** Newest first. */
  remotes: LfsRemote[]
  /** The reason why the last attempt could not fetch anything, as a sentence. */
  problem?: string
  at: string
  /** Time of the next automatic retry. */
  retryAt?: string
}

export const lfsSpaces = table<LfsSpaceDoc>()({ name: 'lfs-spaces', indexes: {} })
