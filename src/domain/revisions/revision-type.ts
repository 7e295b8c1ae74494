// Classifies commits of main by message and headers: edits, a merge, an update, a rollback, or computed.
import type { CommitInfo } from '../../git/index.js'
import { type ChangeRequestDoc, changeRequests } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { PAGE_IDS } from './identity.js'

/** Returns the value of a trailer (`Key: value` in the last paragraph of a commit message), or null. */
export function trailer(message: string, key: string): string | null {
  const last = message.trimEnd().split(/\n\n+/).at(-1) ?? ''
  const line = last.split('\n').find((one) => one.toLowerCase().startsWith(`${key.toLowerCase()}: `))
  return line === undefined ? null : line.slice(key.length + 2).trim()
}

/** The trailer of a computed revision: a slug and the ID of the specification's version. */
export const OPENAPI_VERSION = 'OpenAPI-Version'

/**
 * Returns the origin of a revision: a merge into main, an update of a change request, a rollback, a new version of a
 * specification, or edits.
 */
export function revisionType(info: CommitInfo): 'edits' | 'merge' | 'update' | 'rollback' | 'computed' {
  if (info.headers[PAGE_IDS] !== undefined && trailer(info.message, 'Rollback-To') !== null) return 'rollback'
  if (isComputed(info)) return 'computed'
  if (info.parents.length < 2) return 'edits'
  return /^Update change request #\d+/.test(info.message) ? 'update' : 'merge'
}

/** Returns the change request that a merge commit of the service merged. Null for any other commit. */
export async function mergedChangeRequest(
  app: App,
  space: LoadedSpace,
  info: CommitInfo,
): Promise<Document<ChangeRequestDoc> | null> {
  if (info.headers[PAGE_IDS] === undefined || revisionType(info) !== 'merge') return null
  const number = trailer(info.message, 'Change-Request')
  const [found] = number === null ? [] : await app.store.find(changeRequests, 'number', `${space.doc.id}/${number}`)
  return found ?? null
}

/**
 * Whether the service created a commit to announce a new version of a specification. It has the files of its parent.
 */
export const isComputed = ({ headers, parents, message }: CommitInfo): boolean =>
  headers[PAGE_IDS] !== undefined && parents.length === 1 && trailer(message, OPENAPI_VERSION) !== null
