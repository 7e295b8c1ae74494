/** Decides whether a branch may move: the caller's role, the lock of the space, and the rules of its merges. */
import { allows } from '../../access/index.js'
import { conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { type SpaceDoc, spaces } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'
import type { Candidate } from './rules/approvals.js'
import { type Protection, protectionOf, protects, settingsOf } from './rules/effective.js'
import { unmetRules } from './rules/unmet.js'
import { spaceRole } from '../roles/access.js'

/** Asked twice by whatever moves a branch: before the work, and again right before the ref moves, under the lock of the space. */
export interface RefGuard {
  /** Throws the client's error if the branch must not move now. */
  check(): Promise<void>
  /** Runs the last check and the move as one: a request that changes what is checked gets its response only after the move (`RefMoves`). */
  during<T>(work: () => Promise<T>): Promise<T>
  /** Called after the move: the request is no longer refused, whatever changes. */
  moved(): void
}

/** For a branch of a space that is still being created. */
export const unguarded: RefGuard = { check: async () => {}, during: (work) => work(), moved: () => {} }

/** Why main is to move: each reason has its own rule. */
type MainMove =
  /** Somebody writes to it or rolls it back. */
  | { by: 'edit'; actor: Actor }
  | { by: 'merge'; changeRequest: Candidate }
  /** `known`: whether the import is from the remote, branch and folder that the space was last synced with. */
  | { by: 'import'; known: (space: SpaceDoc) => boolean }
  /** The service makes a revision with the same files. */
  | { by: 'service' }

/**
 * The guard of main. Each check reads what is stored at that moment: the caller's role, the lock of the space (423), and the rules of merges (409).
 * If there are rules, main moves only by a merge that meets them, by an import from the remote that the space was last synced with, or by the own
 * edits of admins and of those who may bypass the rules; the audit log marks what was bypassed.
 */
export function guardMain(app: App, space: Pick<LoadedSpace, 'doc' | 'repo'>, move: MainMove): RefGuard {
  const { id } = space.doc
  let overruled: readonly string[] = []
  return {
    check: async () => {
      const doc = await openToChange(app, id)
      const protection = await protectionOf(app.store, doc)
      overruled = []
      if (move.by === 'service' || !protects(protection)) return
      if (move.by === 'import') return checkImport(true, move.known(doc))
      if (move.by === 'merge') overruled = await checkMerge(app, { ...space, doc }, protection, move.changeRequest)
      else overruled = await checkEdit(app, doc, protection, move.actor.user.id)
    },
    during: (work) => app.moves.during(id, work),
    moved: () => {
      app.decided()
      for (const setting of overruled) app.overruled(setting)
    },
  }
}

/** Returns the settings that a merge bypasses. Throws 409 with each rule that it does not meet, unless the user may bypass them. */
async function checkMerge(
  app: App,
  space: Pick<LoadedSpace, 'repo'> & { doc: Document<SpaceDoc> },
  protection: Protection,
  changeRequest: Candidate,
): Promise<readonly string[]> {
  const unmet = await unmetRules(app.store, space, changeRequest)
  if (unmet.length === 0) return []
  if (protection.bypass.has(changeRequest.mergedBy.user)) return settingsOf(protection)
  throw conflict(
    `Change request ${changeRequest.doc.number} cannot be merged yet. ${unmet.map(({ message }) => message).join(' ')}`,
    {
      details: unmet.map(({ rule, message }) => ({ path: `/mergeRules/${rule}`, message })),
    },
  )
}

/** Returns the settings that a direct edit of main bypasses. Throws 409 unless the user is an admin or may bypass the rules. */
async function checkEdit(app: App, doc: SpaceDoc, protection: Protection, user: string): Promise<readonly string[]> {
  const role = await spaceRole(app.store, user, doc)
  if (!protection.bypass.has(user) && (role === null || !allows('space:admin', role)))
    throw conflict(useChangeRequest(doc, protection))
  return settingsOf(protection)
}

/** The guard of a change request's branch: only the role and the lock count. */
export const guardBranch = (app: App, { doc: { id } }: Pick<LoadedSpace, 'doc'>): RefGuard => ({
  check: async () => void (await openToChange(app, id)),
  during: (work) => app.moves.during(id, work),
  moved: () => app.decided(),
})

async function openToChange(app: App, id: string): Promise<Document<SpaceDoc>> {
  await app.stillMay(app.store)
  const doc = await app.store.get(spaces, id)
  if (!doc || doc.deletedAt !== undefined) throw notFound('The space')
  checkUnlocked({ doc })
  return doc
}

/** Throws 423 if the space is locked: then its content cannot be written, by requests, merges or imports. */
export function checkUnlocked({ doc }: { doc: Pick<SpaceDoc, 'editMode'> }): void {
  if (doc.editMode === 'locked')
    throw new ServiceError('locked', 'The space is locked: set its editMode to live to change its content.')
}

/** Throws 409 if there are rules for merges and the import is not from the remote that the space was last synced with (`known`). */
export function checkImport(isProtected: boolean, known: boolean): void {
  if (!known && isProtected)
    throw conflict(
      'Merges into this space must meet rules (requiredApprovals, mergeRules), so main takes imports only of the repository, branch and folder that it was ' +
        'last synced with. To import from another one, an admin has to lift them first: requiredApprovals to 0, mergeRules to none.',
    )
}

const useChangeRequest = ({ id }: SpaceDoc, { approvals, rules }: Protection): string => {
  const times = approvals === 1 ? ' once' : ` ${approvals} times`
  const needed = [
    ...(approvals > 0 ? [`have it approved${times} by others`] : []),
    ...(rules.length > 0 ? [`meet the space's merge rules (${names(rules)})`] : []),
  ]
  return (
    `The main content of this space changes only by merges that meet its rules: create a change request (POST /v1/spaces/${id}/change-requests), ` +
    `${needed.join(', ')}, and merge it. Only an admin can change main directly.`
  )
}

const names = (rules: Protection['rules']): string => [...new Set(rules.map(({ rule }) => rule))].join(', ')
