/** Compares two versions of a page block by block, as HTML with the changed words marked. */
import { createHash } from 'node:crypto'
import { defined, required } from '../../../kernel/defined.js'
import { notFound } from '../../../kernel/errors.js'
import type { CommitId } from '../../../kernel/ids.js'
import type { DocumentEntry, PageEntry } from '../../../content/types.js'
import { TextTooCostly } from '../../../content/work/text-work.js'
import type { PageChanges } from '../../../model/index.js'
import type { RenderedChange, TargetTable } from '../../../render/index.js'
import type { App } from '../../context/app.js'
import type { LoadedSpace } from '../../context/loaded.js'
import { orderOf, type PageText, pageTextOf, targetsOf } from '../rendered-blocks.js'
import type { OpenRevision } from '../revisions.js'
import { type Comparison, openComparison } from './comparison.js'
import { ownMembers } from './pages.js'

/** The reasons why a page has no comparison by blocks. */
const NO_TEXT = 'The page has no file with a text.'
const TOO_LONG = 'The page is too large to be compared block by block.'

/**
 * Compares a page in two revisions. A page that is in only one of them was created or deleted. Includes and
 * variables are shown as written. Throws 404 if neither revision has the page.
 * @param linkTo returns the address of a page for links
 */
export async function pageChangesBetween(
  app: App,
  space: LoadedSpace,
  revisions: { before: CommitId | null; after: CommitId },
  pageId: string,
  linkTo: (page: PageEntry) => string,
): Promise<PageChanges> {
  const comparison = await openComparison(app, space, revisions.before, revisions.after)
  const [old, now] = [comparison.before.structure.byId.get(pageId), comparison.after.structure.byId.get(pageId)]
  const shown = now ?? old
  if (!shown) throw notFound('The page')
  const { id, title, path } = shown
  const head = {
    object: 'page-changes' as const,
    page: { id, title, path, ...fileOf(shown) },
    version: required(await versionOf(comparison, pageId)),
    after: revisions.after,
    ...defined({ before: revisions.before ?? undefined }),
  }
  if (old?.type !== 'document' && now?.type !== 'document') return { ...head, blocks: [], limit: NO_TEXT }
  const versions = {
    before: await read(app, comparison.before, old, linkTo),
    after: await read(app, comparison.after, now, linkTo),
  }
  const limit = [versions.before, versions.after].find(({ text }) => text.isPlain)
  if (limit) return { ...head, blocks: [], limit: TOO_LONG }
  try {
    return { ...head, blocks: await compare(app, space, versions) }
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    return { ...head, blocks: [], limit: error.message }
  }
}

/**
 * Returns the version of a page in the later of two revisions: a digest of its file, its title and its place. Null if
 * neither revision has the page.
 */
export async function versionOf(
  { before, after }: Pick<Comparison, 'before' | 'after'>,
  pageId: string,
): Promise<string | null> {
  const now = after.structure.byId.get(pageId)
  const entry = now ?? before.structure.byId.get(pageId)
  if (!entry) return null
  const { snapshot } = now ? after : before
  const file =
    entry.type === 'document' ? [entry.gitPath, (await snapshot.entry(entry.gitPath))?.oid] : ownMembers(entry)
  const parts = JSON.stringify([now !== undefined, entry.title, entry.path, file])
  return createHash('sha256').update(parts).digest('hex').slice(0, 40)
}

const fileOf = (entry: PageEntry) => (entry.type === 'document' ? { file: entry.gitPath } : {})

interface Version {
  text: PageText
  targets: TargetTable
}

async function read(
  app: App,
  revision: OpenRevision,
  entry: PageEntry | undefined,
  linkTo: (page: PageEntry) => string,
): Promise<Version> {
  const isDocument = (one: PageEntry | undefined): one is DocumentEntry => one?.type === 'document'
  if (!isDocument(entry))
    return { text: { markdown: '', linesBefore: 0, isPlain: false }, targets: { links: {}, images: {} } }
  const text = await pageTextOf(app, revision, entry)
  return { text, targets: await targetsOf(app, revision, entry, text.markdown, linkTo) }
}

async function compare(
  app: App,
  space: LoadedSpace,
  { before, after }: { before: Version; after: Version },
): Promise<RenderedChange[]> {
  const order = orderOf(space, {
    links: { ...before.targets.links, ...after.targets.links },
    images: { ...before.targets.images, ...after.targets.images },
    sizes: { ...before.targets.sizes, ...after.targets.sizes },
  })
  const versions = [before, after].map(({ text: { markdown, linesBefore } }) =>
    JSON.stringify({ markdown, linesBefore }),
  )
  const bytes = await app.texts.bytes(space.doc.id, 'changes', [...versions, JSON.stringify(order)])
  return JSON.parse(Buffer.from(bytes).toString())
}
