import { allows } from '../../access/index.js'
import { conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { type SpaceDoc, spaces } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'
import { type Candidate, checkApprovals } from './approvals.js'
import { spaceRole } from '../roles/access.js'

/** Asked by what moves a branch: before the work, and again right before the ref moves, under the lock of the space. */
export interface RefGuard {
  /** Throws what the client is told where the branch must not move now. */
  check(): Promise<void>
  /** Runs the last check together with the move: who changes what is checked is not answered in between (`RefMoves`). */
  during<T>(work: () => Promise<T>): Promise<T>
  /** To be called when it has moved: what follows is no longer to be refused. */
  moved(): void
}

/** For a branch that nobody knows of yet. */
export const unguarded: RefGuard = { check: async () => {}, during: (work) => work(), moved: () => {} }

/** How main is to move: nothing moves it without saying so. */
export type MainMove =
  /** Somebody writes it, or brings an earlier revision back. */
  | { by: 'edit'; actor: Actor }
  | { by: 'merge'; changeRequest: Candidate }
  /** `known`: whether it comes from the remote, ref and folder that the space was last synced with. */
  | { by: 'import'; known: (space: SpaceDoc) => boolean }

/**
 * The one check of everything that moves main, by what is stored when it is asked: the caller's role, the lock (423) and
 * the rule "a merge needs N approvals" (409). With N above 0 main moves by an approved merge, by an import of what the
 * space was last synced with, and by an admin's own edit, of which the audit log tells.
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
      if (role === null || !allows('space:admin', role)) throw conflict(theWay(doc, required))
      overruled = true
    },
    during: (work) => app.moves.during(id, work),
    moved: () => {
      app.decided()
      if (overruled) app.overruled('requiredApprovals')
    },
  }
}

/** The check of what moves a branch of a change request: role and lock alone. */
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

/** Refuses a write of content while the space is locked: spec/gaps.md, `locked`. */
export function checkUnlocked({ doc }: { doc: Pick<SpaceDoc, 'editMode'> }): void {
  if (doc.editMode === 'locked') throw new ServiceError('locked', 'The space is locked: set its editMode to live to change its content.')
}

/** Throws 409 where merges need approvals and an import would bring what nobody approved. */
export function checkImport(doc: Pick<SpaceDoc, 'requiredApprovals'>, known: boolean): void {
  if (!known && (doc.requiredApprovals ?? 0) > 0)
    throw conflict(
      'Merges into this space need approvals, so main takes imports only of the repository, branch and folder that it was last synced with. ' +
        'To begin with another one, an admin sets requiredApprovals to 0 first.',
    )
}

const theWay = ({ id }: SpaceDoc, required: number): string =>
  `The main content of this space moves by approved merges: make a change request (POST /v1/spaces/${id}/change-requests), ` +
  `have it approved ${required === 1 ? 'once' : `${required} times`} by others, and merge it. Only an admin changes main directly.`
