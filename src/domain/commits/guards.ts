/** Decides whether a branch may move, from the caller's role, the space's lock and its merge rules. */
import { allows } from '../../access/index.js'
import type { RefMove } from '../../git/index.js'
import { conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { type SpaceDoc, spaces } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'
import { noteWritten } from '../context/measures.js'
import { checkByteQuota, checkContentMove } from '../context/quotas.js'
import { MAIN } from '../context/refs.js'
import type { Candidate } from './rules/approvals.js'
import { type Protection, protectionOf, settingsOf } from './rules/effective.js'
import { unmetRules } from './rules/unmet.js'
import { spaceRole } from '../roles/access.js'

/**
 * Permission check for a branch move. It runs before the work, and again right before the ref moves, under the space's
 * lock.
 */
export interface RefGuard {
  /**
   * Throws the error for the client if the branch must not move now.
   * @param moves the prepared moves; absent before the work
   */
  check(moves?: readonly RefMove[]): Promise<void>
  /**
   * Runs the final check and the move as one step. A request that changes a checked value gets its response only after
   * the move (`RefMoves`).
   */
  during<T>(work: () => Promise<T>): Promise<T>
  /** Called after the move. From then on, a permission change no longer fails the request. */
  moved(): void
}

/** A guard without checks, for a space that is still being created. */
export const unguarded: RefGuard = { check: async () => {}, during: (work) => work(), moved: () => {} }

/** The reason for a move of main. Each reason has its own checks. */
type MainMove =
  /** A user edits main directly or rolls it back. `mayDelete`: see `Written`. */
  | { by: 'edit'; actor: Actor; mayDelete?: boolean }
  | { by: 'merge'; changeRequest: Candidate }
  /** `known`: whether the import is from the remote, branch and folder that the space was last synced with. */
  | { by: 'import'; known: (space: SpaceDoc) => boolean }
  /** The service creates a revision with the same files. */
  | { by: 'service' }

/**
 * Returns the guard of main. Each check reads the current values: the caller's role, the space's lock (423) and the
 * merge rules (409). If there are rules, main accepts a merge that meets them, and an import from the remote that the
 * space was last synced with. Direct edits are limited to admins and to users who may bypass the rules. The audit log
 * marks bypassed settings.
 */
export function guardMain(app: App, space: Pick<LoadedSpace, 'doc' | 'repo'>, move: MainMove): RefGuard {
  const { id } = space.doc
  let bypassed: readonly string[] = []
  return {
    check: async (moves) => {
      const mayDelete = move.by === 'merge' || move.by === 'import' || (move.by === 'edit' && move.mayDelete === true)
      const doc = await checkWritable(app, space, { moves, mayDelete })
      const protection = await protectionOf(app.store, doc)
      bypassed = []
      if (move.by === 'service' || protection === null) return
      if (move.by === 'import') {
        if (!move.known(doc)) throw otherRemote()
        return
      }
      if (move.by === 'merge') bypassed = await checkMerge(app, { ...space, doc }, protection, move.changeRequest)
      else bypassed = await checkEdit(app, doc, protection, move.actor.user.id)
    },
    during: (work) => app.moves.during(id, work),
    moved: () => {
      app.decided()
      noteWritten(app, space.doc.organization, id)
      for (const setting of bypassed) app.overruled(setting)
    },
  }
}

/** Returns the settings that a merge bypasses. Throws 409 with all unmet rules, unless the user may bypass them. */
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

/**
 * Returns the settings that a direct edit of main bypasses. Throws 409 unless the user is an admin or may bypass the
 * rules.
 */
async function checkEdit(app: App, doc: SpaceDoc, protection: Protection, user: string): Promise<readonly string[]> {
  const role = await spaceRole(app.store, user, doc)
  if (!protection.bypass.has(user) && (role === null || !allows('space:admin', role)))
    throw conflict(useChangeRequest(doc, protection))
  return settingsOf(protection)
}

/** Returns the guard of a change request's branch. It checks only the role, the lock and the quotas. */
export const guardBranch = (
  app: App,
  space: Pick<LoadedSpace, 'doc' | 'repo'>,
  { mayDelete = false }: { mayDelete?: boolean } = {},
): RefGuard => ({
  check: async (moves) => void (await checkWritable(app, space, { moves, mayDelete })),
  during: (work) => app.moves.during(space.doc.id, work),
  moved: () => {
    app.decided()
    noteWritten(app, space.doc.organization, space.doc.id)
  },
})

/** `mayDelete`: whether the work may only delete content, which is allowed above the limit of bytes. */
interface Written {
  moves: readonly RefMove[] | undefined
  mayDelete: boolean
}

async function checkWritable(
  app: App,
  { doc: { id }, repo }: Pick<LoadedSpace, 'doc' | 'repo'>,
  { moves, mayDelete }: Written,
): Promise<Document<SpaceDoc>> {
  await app.stillMay(app.store)
  const doc = await app.store.get(spaces, id)
  if (!doc || doc.deletedAt !== undefined) throw notFound('The space')
  checkUnlocked({ doc })
  const { organization } = doc
  if (moves === undefined && !mayDelete) await checkByteQuota(app, organization)
  for (const { ref, from, to } of moves ?? []) {
    const before = from ?? repo.refs.head(MAIN)
    if (ref.startsWith(BRANCHES) && before !== null)
      await checkContentMove(app, { organization, id, repo }, { from: before, to })
  }
  return doc
}

const BRANCHES = 'refs/heads/'

/** Throws 423 if the space is locked. The lock applies to requests, merges and imports. */
export function checkUnlocked({ doc }: { doc: Pick<SpaceDoc, 'editMode'> }): void {
  if (doc.editMode === 'locked')
    throw new ServiceError('locked', 'The space is locked. To change its content, set editMode to live.')
}

/** Returns the error (409) for an import into a space with merge rules that was last synced with another remote. */
export const otherRemote = (): ServiceError =>
  conflict(
    'This space has merge rules (requiredApprovals, mergeRules), so main accepts imports only from the repository, branch and folder that it was ' +
      'last synced with. To import from another one, an admin has to set requiredApprovals to 0 and mergeRules to none first.',
  )

const useChangeRequest = ({ id }: SpaceDoc, { approvals, rules }: Protection): string => {
  const times = approvals === 1 ? ' once' : ` ${approvals} times`
  const needed = [
    ...(approvals > 0 ? [`have it approved${times} by others`] : []),
    ...(rules.length > 0 ? [`meet the space's merge rules (${names(rules)})`] : []),
  ]
  return (
    `The main content of this space can change only through merges that meet its rules: create a change request (POST /v1/spaces/${id}/change-requests), ` +
    `${needed.join(', ')}, and merge it. Only an admin can change main directly.`
  )
}

const names = (rules: Protection['rules']): string => [...new Set(rules.map(({ rule }) => rule))].join(', ')
