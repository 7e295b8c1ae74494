// Decides whether a branch may move: the caller's role, the lock of the space, and the rule that merges need approvals.
import { allows } from '../../access/index.js'
import { conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { type SpaceDoc, spaces } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'
import { type Candidate, checkApprovals } from './approvals.js'
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

/**
 * The guard of main. Each check reads what is stored at that moment: the caller's role, the lock of the space (423), and the rule that a merge
 * needs N approvals (409). If N is above 0, main moves only by an approved merge, by an import from the remote that the space was last synced
 * with, or by an admin's own edit, which the audit log marks.
 */
export function guardMain(app: App, { doc: { id } }: Pick<LoadedSpace, 'doc'>, move: MainMove): RefGuard {
  let overruled = false
  return {
    check: async () => {
      const doc = await openToChange(app, id)
      const required = doc.requiredApprovals ?? 0
      if (required === 0) return
      if (move.by === 'merge') return checkApprovals(app.store, move.changeRequest)
      if (move.by === 'import') return checkImport(doc, move.known(doc))
      const role = await spaceRole(app.store, move.actor.user.id, doc)
      if (role === null || !allows('space:admin', role)) throw conflict(useChangeRequest(doc, required))
      overruled = true
    },
    during: (work) => app.moves.during(id, work),
    moved: () => {
      app.decided()
      if (overruled) app.overruled('requiredApprovals')
    },
  }
}

/** The guard of a change request's branch: only the role and the lock count. */
export const guardBranch = (app: App, { doc: { id } }: Pick<LoadedSpace, 'doc'>): RefGuard => ({
  check: async () => void (await openToChange(app, id)),
  during: (work) => app.moves.during(id, work),
  moved: () => app.decided(),
})

async function openToChange(app: App, id: string): Promise<SpaceDoc> {
  await app.stillMay(app.store)
  const doc = await app.store.get(spaces, id)
  if (!doc || doc.deletedAt !== undefined) throw notFound('The space')
  checkUnlocked({ doc })
  return doc
}

/** Throws 423 if the space is locked: then its content cannot be written, by requests, merges or imports. */
export function checkUnlocked({ doc }: { doc: Pick<SpaceDoc, 'editMode'> }): void {
  if (doc.editMode === 'locked') throw new ServiceError('locked', 'The space is locked: set its editMode to live to change its content.')
}

/** Throws 409 if merges need approvals and the import is not from the remote that the space was last synced with (`known`). */
export function checkImport(doc: Pick<SpaceDoc, 'requiredApprovals'>, known: boolean): void {
  if (!known && (doc.requiredApprovals ?? 0) > 0)
    throw conflict(
      'Merges into this space need approvals, so main takes imports only of the repository, branch and folder that it was last synced with. ' +
        'To import from another one, an admin has to set requiredApprovals to 0 first.',
    )
}

const useChangeRequest = ({ id }: SpaceDoc, required: number): string =>
  `The main content of this space changes only by approved merges: create a change request (POST /v1/spaces/${id}/change-requests), ` +
  `have it approved ${required === 1 ? 'once' : `${required} times`} by others, and merge it. Only an admin can change main directly.`
