// Finds the contributors of a change request or a page, by the authors that Git recorded.
import type { Signature } from '../../git/index.js'
import { notFound } from '../../kernel/errors.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { headOf } from '../revisions/main-content.js'
import { spanOf } from './span.js'
import { pageHistory } from '../revisions/page-history.js'
import type { PageRevision } from '../context/content-cache.js'

/** Lists the authors of the commits that the change request adds to main, once per e-mail address. */
export async function contributorsOf(
  app: App,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
): Promise<Signature[]> {
  const not = changeRequest.doc.status === 'merged' ? (await spanOf(app, space, changeRequest)).before : headOf(space)
  const commits = await space.repo.history.log({ from: changeRequest.head, not: [not] })
  return oncePerAddress(commits.map(({ author }) => author))
}

/** Keeps one signature per e-mail address: the first, which is the newest and has the current name. */
function oncePerAddress(signatures: readonly Signature[]): Signature[] {
  const authors = new Map<string, Signature>()
  for (const one of signatures) if (!authors.has(one.email.toLowerCase())) authors.set(one.email.toLowerCase(), one)
  return [...authors.values()]
}

/**
 * Lists the authors of a page of the main content, at any path it had, once per e-mail address. For a merge, the
 * authors of its commits that changed the page count, and not the merger. Throws 404 if the page never existed.
 */
export async function getPageContributors(app: App, space: LoadedSpace, page: string): Promise<Signature[]> {
  const revisions = await pageHistory(app, space, headOf(space), page)
  if (revisions.length === 0) throw notFound(`Page ${page}`)
  const writers: Signature[] = []
  for (const revision of revisions) writers.push(...(await writersOf(app, space, revision)))
  return oncePerAddress(writers)
}

/** Returns the authors of a revision's changes to the file at `path`. */
async function writersOf(
  app: App,
  { doc, repo }: LoadedSpace,
  { id, path }: PageRevision,
): Promise<readonly Signature[]> {
  const { author, parents } = await repo.objects.commit(id)
  const [first] = parents
  if (first === undefined || parents.length < 2) return [author]
  const key = `${doc.id}:${id}:${path}`
  const known = app.content.writers.get(key)
  if (known) return known
  const brought = (await repo.history.log({ from: id, not: [first], path })).filter(
    (commit) => commit.parents.length < 2,
  )
  const writers = brought.length > 0 ? brought.map((commit) => commit.author) : [author]
  app.content.writers.set(key, writers)
  return writers
}
