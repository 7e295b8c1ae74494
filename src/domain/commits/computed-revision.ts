/** Makes the revisions that tell of new versions of specifications, in the spaces that use them. */
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

/** Commits of main that are looked at for one that tells of a version already. */
const MOST = 1_000
/** Stands for the version of a specification that was deleted. */
const GONE = 'deleted'

/** Finds the spaces of an organization that use a specification; what is returned queues a job for each. */
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

/** Whether main of a space uses a specification, in an entry or a block. A space that cannot be read does not. */
async function usesSpec(app: App, doc: Document<SpaceDoc>, slug: string): Promise<boolean> {
  try {
    const space = await openSpace(app, doc)
    const head = space.repo.head(MAIN)
    return head !== null && (await isUsedAt(app, space, head, slug))
  } catch (error) {
    app.log.warn({ err: error, space: doc.id }, 'A space could not be searched for specifications.')
    return false
  }
}

const isUsedAt = async (app: App, space: LoadedSpace, commit: CommitId, slug: string): Promise<boolean> =>
  (await usedSpecs(app, space, commit)).has(slug)

/**
 * Makes the revision of a space that tells of the newest version of a specification, unless main has it. Returns what is to be written with the end
 * of the job: if the space is locked, that it waits for it.
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
  const told = `${slug} ${found?.version?.id ?? GONE}`
  const space = await openSpace(app, doc)
  try {
    await app.locks.run(id, (lease) =>
      moveBranch(
        space.repo,
        { ref: MAIN, reason: 'compute', lease, guard: guardMain(app, space, { by: 'service' }) },
        (head) => nextHead(app, space, head, { slug, told }),
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

/** The commit that main is to be at; the same if there is nothing to tell. */
async function nextHead(
  app: App,
  space: LoadedSpace,
  head: CommitId | null,
  { slug, told }: { slug: string; told: string },
): Promise<CommitId> {
  if (head === null) throw new ServiceError('not-found', 'The branch main of the space does not exist.')
  if ((await lastTold(space, head, slug)) === told || !(await isUsedAt(app, space, head, slug))) return head
  const { tree } = await space.repo.commit(head)
  const { name, email } = serviceSignature(app)
  return makeCommit(app, space, {
    parents: [head],
    tree,
    changes: [],
    message: commitMessage(`Compute pages of ${slug} again`, { [OPENAPI_VERSION]: told }),
    author: { displayName: name, email },
    overrides: await overridesAt(app, space, head),
  })
}

/** What the newest computed revision on the line of main tells of a specification; null if there is none. */
async function lastTold({ repo }: LoadedSpace, head: CommitId, slug: string): Promise<string | null> {
  const history = await repo.history({ from: head, firstParent: true, limit: MOST })
  for (const info of history) {
    const told = isComputed(info) ? trailer(info.message, OPENAPI_VERSION) : null
    if (told?.startsWith(`${slug} `)) return told
  }
  return null
}

/** Notes that a space waits for the end of its lock, or no longer does. If it was unlocked meanwhile, the job is queued again. */
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
