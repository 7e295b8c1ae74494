/** Creates revisions that record a new version of an OpenAPI specification, in the spaces that use it. */
import { ServiceError } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import { type SpaceDoc, spaces } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { findSpecAt } from '../openapi/spec-at.js'
import { queueComputed } from '../openapi/queue.js'
import { overridesAt } from '../revisions/identity.js'
import { isComputed, OPENAPI_VERSION, trailer } from '../revisions/revision-type.js'
import { usedSpecs } from '../revisions/used-specs.js'
import { guardMain } from './guards.js'
import { commitMessage, makeCommit, serviceSignature } from './make-commit.js'
import { moveBranch } from './move-branch.js'

/** Maximum number of commits of main that are searched for the last recorded version. */
const MAX_COMMITS = 1_000
/** Recorded in place of a version ID if the specification was deleted. */
const DELETED = 'deleted'

/** Finds the spaces of an organization that use a specification. Returns a function that queues a job for each. */
export async function spreadVersion(
  app: App,
  { organization, slug }: { organization: string; slug: string },
  signal: AbortSignal,
): Promise<(tx: Transaction) => Promise<void>> {
  const using: string[] = []
  for (const doc of await app.store.find(spaces, 'organization', organization)) {
    if (signal.aborted) break
    if (doc.deletedAt === undefined && (await usesSpec(app, doc, slug))) using.push(doc.id)
  }
  return async (tx) => {
    for (const space of using) await queueComputed(app, tx, space, slug)
  }
}

const openSpace = async (app: App, doc: Document<SpaceDoc>): Promise<LoadedSpace> => ({
  doc,
  role: 'admin',
  repo: await app.git.open(repositoryName(doc.id)),
})

/** Whether a space's main uses a specification, in an entry or a block. False if the space cannot be read. */
async function usesSpec(app: App, doc: Document<SpaceDoc>, slug: string): Promise<boolean> {
  try {
    const space = await openSpace(app, doc)
    const head = space.repo.refs.head(MAIN)
    return head !== null && (await isUsedAt(app, space, head, slug))
  } catch (error) {
    app.log.warn({ err: error, space: doc.id }, 'A space could not be searched for specifications.')
    return false
  }
}

const isUsedAt = async (app: App, space: LoadedSpace, commit: CommitId, slug: string): Promise<boolean> =>
  (await usedSpecs(app, space, commit)).has(slug)

/**
 * Creates a revision of a space that records the newest version of a specification, unless main has one. Returns the
 * writes for the transaction that ends the job: if the space is locked, they register it to be updated on unlock.
 */
export async function makeComputedRevision(
  app: App,
  id: string,
  slug: string,
): Promise<(tx: Transaction) => Promise<void>> {
  const doc = await app.store.get(spaces, id)
  if (!doc || doc.deletedAt !== undefined) return async () => {}
  const found = await findSpecAt(app, doc.organization, slug, null)
  if (found && !found.version) return async () => {}
  const recorded = `${slug} ${found?.version?.id ?? DELETED}`
  const space = await openSpace(app, doc)
  try {
    await app.locks.run(id, (lease) =>
      moveBranch(
        space.repo,
        { ref: MAIN, reason: 'compute', lease, guard: guardMain(app, space, { by: 'service' }) },
        (head) => nextHead(app, space, head, { slug, recorded }),
      ),
    )
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'locked')
      return (tx) => setAwaited(app, tx, { id, slug, isAwaited: true })
    if (error instanceof ServiceError && error.code === 'not-found') return async () => {}
    throw error
  }
  return (tx) => setAwaited(app, tx, { id, slug, isAwaited: false })
}

/** Returns the new head of main, or the current one if it already records the version. */
async function nextHead(
  app: App,
  space: LoadedSpace,
  head: CommitId | null,
  { slug, recorded }: { slug: string; recorded: string },
): Promise<CommitId> {
  if (head === null) throw new ServiceError('not-found', 'The branch main of the space does not exist.')
  if ((await lastRecorded(space, head, slug)) === recorded || !(await isUsedAt(app, space, head, slug))) return head
  const { tree } = await space.repo.objects.commit(head)
  const { name, email } = serviceSignature(app)
  return makeCommit(app, space, {
    parents: [head],
    tree,
    changes: [],
    message: commitMessage(`Recompute the pages of ${slug}`, { [OPENAPI_VERSION]: recorded }),
    author: { displayName: name, email },
    overrides: await overridesAt(app, space, head),
  })
}

/** Returns the slug and version in the newest computed revision of main for a specification; null if there is none. */
async function lastRecorded({ repo }: LoadedSpace, head: CommitId, slug: string): Promise<string | null> {
  const history = await repo.history.log({ from: head, firstParent: true, limit: MAX_COMMITS })
  for (const info of history) {
    const recorded = isComputed(info) ? trailer(info.message, OPENAPI_VERSION) : null
    if (recorded?.startsWith(`${slug} `)) return recorded
  }
  return null
}

/**
 * Records whether a locked space waits for this specification. If it was unlocked in the meantime, queues the job
 * again.
 */
async function setAwaited(
  app: App,
  tx: Transaction,
  { id, slug, isAwaited }: { id: string; slug: string; isAwaited: boolean },
): Promise<void> {
  const stored = await tx.get(spaces, id)
  if (!stored) return
  const { awaitedSpecs = [], ...rest } = stored
  const others = awaitedSpecs.filter((one) => one !== slug)
  if (isAwaited && stored.editMode !== 'locked') await queueComputed(app, tx, id, slug)
  else if (isAwaited || others.length < awaitedSpecs.length) {
    const next = isAwaited ? [...others, slug] : others
    await tx.replace(spaces, { ...rest, ...(next.length > 0 ? { awaitedSpecs: next } : {}) })
  }
}
