/** Selects the branch that a run writes to: main of the result or, if merge rules protect it, a change request. */
import { allows } from '../../access/index.js'
import { notFound, ServiceError } from '../../kernel/errors.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import { type ChangeRequestDoc, changeRequests, spaces, translations, type TranslationDoc } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { type LoadedSpace, loadHead } from '../context/loaded.js'
import { changeRequestRef, MAIN } from '../context/refs.js'
import { createChangeRequest } from '../change-requests/change-requests.js'
import { guardBranch, guardMain, type RefGuard } from '../commits/guards.js'
import { protectionOf } from '../commits/rules/effective.js'
import { headOf } from '../revisions/main-content.js'
import { spaceRole } from '../roles/access.js'

/** A branch of the result. */
export interface Branch {
  ref: RefName
  head: CommitId
  guard: RefGuard
  changeRequest: Document<ChangeRequestDoc> | null
}

/** Throws 403 or 404 if the user may no longer read the source or write the result. */
export async function checkMay(
  reader: Reader,
  actor: Actor,
  { source, result }: Pick<TranslationDoc, 'source' | 'result'>,
): Promise<void> {
  const [from, to] = [await reader.get(spaces, source.space), await reader.get(spaces, result.space)]
  if (!from || from.deletedAt !== undefined || (await spaceRole(reader, actor.user.id, from)) === null)
    throw new ServiceError('forbidden', 'The user of this run is not allowed to read the source.')
  if (!to || to.deletedAt !== undefined) throw notFound('The translated space')
  if (!allows('space:edit', await spaceRole(reader, actor.user.id, to)))
    throw new ServiceError('forbidden', 'The user of this run is not allowed to write the translated space.')
}

const SUBJECT = 'Translation'

/**
 * Finds the live change request of a translation, or null. A change request that an interrupted run opened has not
 * moved yet.
 */
async function liveChangeRequest(
  app: App,
  space: LoadedSpace,
  doc: TranslationDoc,
  user: string,
): Promise<Document<ChangeRequestDoc> | null> {
  const isLive = ({ status }: ChangeRequestDoc): boolean => status === 'open' || status === 'draft'
  const own =
    doc.result.changeRequest === undefined ? null : await app.store.get(changeRequests, doc.result.changeRequest)
  if (own && isLive(own)) return own
  const all = await app.store.find(changeRequests, 'space', space.doc.id)
  return (
    all.find(
      (one) =>
        isLive(one) &&
        one.subject === SUBJECT &&
        one.createdBy === user &&
        loadHead(space, one).head === one.revisionInitial,
    ) ?? null
  )
}

/** Whether a run must write to a change request, since merge rules protect the result. */
export async function needsChangeRequest(app: App, space: LoadedSpace): Promise<boolean> {
  const stored = await app.store.get(spaces, space.doc.id)
  return stored !== null && (await protectionOf(app.store, stored)) !== null
}

/** Returns the branch that the next run builds on. */
export async function branchOf(app: App, actor: Actor, space: LoadedSpace, doc: TranslationDoc): Promise<Branch> {
  const changeRequest = (await needsChangeRequest(app, space))
    ? await liveChangeRequest(app, space, doc, actor.user.id)
    : null
  if (changeRequest) {
    const { head } = loadHead(space, changeRequest)
    return { ref: changeRequestRef(changeRequest.number), head, guard: guardBranch(app, space), changeRequest }
  }
  return { ref: MAIN, head: headOf(space), guard: guardMain(app, space, { by: 'edit', actor }), changeRequest: null }
}

/** Opens the change request for a run's commit, and records it in the translation before the commit is created. */
export async function openChangeRequest(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  doc: TranslationDoc,
  lease: Lease,
): Promise<Branch> {
  const { doc: made, head } = await createChangeRequest(
    app,
    actor,
    space,
    { subject: SUBJECT },
    { lease, status: 'open' },
  )
  await app.store.transact(async (tx) => {
    const stored = await tx.get(translations, doc.id)
    if (stored) await tx.replace(translations, { ...stored, result: { ...stored.result, changeRequest: made.id } })
  })
  return { ref: changeRequestRef(made.number), head, guard: guardBranch(app, space), changeRequest: made }
}
