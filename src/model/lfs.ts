/** What is known of the files that Git LFS keeps for a space: objects that were fetched or failed, and the remotes that they come from. */
import { table } from '../kernel/documents.js'

/**
 * An object of a space, as stored. A space has an object only if a remote of that space has sent its bytes, or the space is a copy of one that had it:
 * to know its hash opens nothing.
 */
export interface LfsObjectDoc {
  /** `lfsObjectId` of space and hash. */
  id: string
  space: string
  /** SHA-256, hexadecimal. */
  oid: string
  /** Bytes. */
  size: number
  /** The pointer in the repository, by its Git object ID: when Git has forgotten it, the object goes too. */
  blob: string
  state: 'present' | 'failed'
  /** Why it failed, as a sentence. */
  problem?: string
  /** How often in a row it failed. */
  attempts: number
  /** When it was fetched, or failed. */
  at: string
  /** When a failed one is tried again without anybody asking. */
  retryAt?: string
}

export const lfsObjectId = (space: string, oid: string): string => `${space}-${oid}`

export const lfsObjects = table<LfsObjectDoc>()({
  name: 'lfs-objects',
  indexes: { space: (one) => one.space, oid: (one) => one.oid },
  owner: (one) => one.space,
})

/** A remote that objects are fetched from. */
export interface LfsRemote {
  /** The remote's key: URL, ref and directory as one name. */
  key: string
  /** Without a credential. */
  url: string
  ref: string
  /** The folder of it that the space is; absent = all of it, or an earlier release stored this. */
  directory?: string
  /** Whose credential is used. */
  connection?: string
  /** The remote's head that was imported last: its `.lfsconfig` counts. */
  head?: string
}

/** A space that has pointers of Git LFS, as stored. Its version grows with every object that is fetched or fails. */
export interface LfsSpaceDoc {
  /** The space's. */
  id: string
  /** The newest first. */
  remotes: LfsRemote[]
  /** Why nothing at all could be fetched at the last try, as a sentence. */
  problem?: string
  at: string
  /** When it is tried again without anybody asking. */
  retryAt?: string
}

export const lfsSpaces = table<LfsSpaceDoc>()({ name: 'lfs-spaces', indexes: {} })
