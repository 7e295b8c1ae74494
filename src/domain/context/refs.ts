// Names of a space's repository and of the refs in it.
import type { RefName } from '../../kernel/ids.js'

/** The branch with the primary content of a space. */
export const MAIN: RefName = 'refs/heads/main'
/** The head of the history that the space was adopted from. */
export const ADOPTED: RefName = 'refs/bindery/adopted'

/** The branch of a change request. */
export const changeRequestRef = (number: number): RefName => `refs/heads/change-requests/${number}`

const CHANGE_REQUEST = /^refs\/heads\/change-requests\/([1-9][0-9]{0,9})$/

/** The number of the change request whose branch this is, or null. */
export const changeRequestNumber = (ref: RefName): number | null => {
  const [, number] = CHANGE_REQUEST.exec(ref) ?? []
  return number === undefined ? null : Number(number)
}

/** Ref that keeps a commit for clients although no branch contains it. */
export const keepRef = (commit: string): RefName => `refs/bindery/keep/${commit}`

/** Prefix of the refs that store the sync state of a remote. */
export const syncPrefix = (remoteKey: string): RefName => `refs/bindery/sync/${remoteKey}/`

/** Ref for the remote's newest head while a conflict keeps it out of main. */
export const incomingRef = (remoteKey: string): RefName => `refs/bindery/incoming/${remoteKey}`

/** Returns the name of a space's repository. */
export const repositoryName = (space: string): string => space
