/**
 * Finds the pages of a site as they were. The gate of today decides: the past of a page is shown to those who may read the
 * page now, and never more than that. docs/design/visitors.md lists what is left out, and why.
 */
import { mayVisitorSee, type VisitorPage } from '../../access/index.js'
import { resolveReference } from '../../content/resolve-reference.js'
import type { DocumentEntry } from '../../content/types.js'
import { unlessTooCostly } from '../../content/work/text-work.js'
import type { CommitId } from '../../kernel/ids.js'
import { TurnQueue } from '../../kernel/turns.js'
import type { App } from '../context/app.js'
import { findOnMain, type MainCommit, type PointInTime } from '../revisions/main-line.js'
import { datesAt, datesOf } from '../revisions/page-dates.js'
import { pageTree } from '../revisions/page-tree.js'
import { findPageByPath, KnownFiles } from '../revisions/pages.js'
import { knownPages, openBoth, openRevision, type OpenRevision, readDocument } from '../revisions/revisions.js'
import { isConditional, type PageText, readPageText } from './visitor-page.js'
import { pagesFor, type VisitorPages, visitorPageOf } from './visitor-pages.js'
import { findDestination, pathOfPage, type ReadPage, spacesAt } from './visitor-paths.js'
import type { Visitor } from './visitor.js'

/** A page as it was. */
export interface PastPage {
  kind: 'page'
  /** The page as the visitor sees it now. */
  now: ReadPage
  /** The page with its former file. Everything else is as of now, so links lead only to what the visitor may read. */
  then: ReadPage
  text: PageText
  commit: MainCommit
}

/** Page trees of the past that are computed at the same time, and readers who wait for one. */
const opening = new TurnQueue({ atOnce: 2, waiting: 40 })

/**
 * Finds the page at a path of a site as it was. The path is that of the page today, or else the one that it had then.
 * Null if there is none, or the visitor may not see it; the two cases are indistinguishable. Throws 503 if too many
 * readers open the past.
 */
export async function findPast(
  app: App,
  visitor: Visitor,
  path: string,
  point: PointInTime,
): Promise<PastPage | { kind: 'redirect'; to: string } | null> {
  const found = await findDestination(app, visitor, path)
  const past = found?.kind === 'page' ? await pastOf(app, visitor, found, point) : null
  const shown = past ?? (await findByFormerPath(app, visitor, path, point))
  if (shown) return shown
  return found?.kind === 'redirect' && /^(?:\/|$)/.test(found.to) ? found : null
}

/** Whether a page that the visitor reads may be shown to them as it was. Throws 503 if too many readers open the past. */
export async function hasPastAt(app: App, visitor: Visitor, now: ReadPage, point: PointInTime): Promise<boolean> {
  const opened = (await hasPast(app, now)) ? await openPast(app, now.pages.revision, point) : null
  return opened !== null && (await entryThen(app, visitor, opened, now)) !== null
}

async function findByFormerPath(
  app: App,
  visitor: Visitor,
  path: string,
  point: PointInTime,
): Promise<PastPage | null> {
  for (const { siteSpace, rest } of spacesAt(visitor, path)) {
    const pages = await pagesFor(app, visitor, siteSpace)
    const revision = rest === '' ? null : (await openPast(app, pages.revision, point))?.revision
    const named = revision && findPageByPath(revision, rest)
    const entry = named && pages.find(named.id)
    const now = entry && { siteSpace, pages, entry, path: pathOfPage(siteSpace, pages, entry) }
    const past = now && (await pastOf(app, visitor, now, point))
    if (past) return past
  }
  return null
}

/** Returns a page that the visitor reads as it was. Null if it has no past that they may see. */
async function pastOf(app: App, visitor: Visitor, now: ReadPage, point: PointInTime): Promise<PastPage | null> {
  const opened = (await hasPast(app, now)) ? await openPast(app, now.pages.revision, point) : null
  const was = opened && (await entryThen(app, visitor, opened, now))
  if (!was || now.entry.type !== 'document') return null
  const { structure } = opened.revision
  const includes = await openIncludes(app, now.pages, opened.commit)
  const reusableContents = structure.reusableContents.filter(({ gitPath }) => includes.has(gitPath))
  const revision = {
    ...opened.revision,
    structure: { ...structure, reusableContents },
    moment: opened.commit.seconds,
  }
  const then = { ...now, entry: { ...now.entry, gitPath: was.gitPath }, pages: { ...now.pages, revision } }
  const text = await readPageText(app, then)
  return { kind: 'page', now, then, text: { ...text, files: await filesOf(app, now) }, commit: opened.commit }
}

/**
 * Whether the past of a page may be shown at all. A page with blocks for some visitors has none, like a page that hides
 * its history: a block that is hidden today may have been visible then, in other words.
 */
export async function hasPast(app: App, now: ReadPage): Promise<boolean> {
  const { entry, pages } = now
  if (entry.type !== 'document') return false
  const page = await readDocument(app, pages.revision, entry)
  if (page.hidden !== undefined || page.large !== undefined) return false
  const { markdown, attributes } = await readPageText(app, now)
  return attributes.layout?.metadata !== false && !isConditional(page.source.markdown) && !isConditional(markdown)
}

/** Opens main of a space as it was. Null if it has no such commit. */
export async function openPast(
  app: App,
  now: OpenRevision,
  point: PointInTime,
): Promise<{ revision: OpenRevision; commit: MainCommit } | null> {
  const { space, snapshot } = now
  const head: CommitId = snapshot.commit
  const commit = await findOnMain(app, space, head, point)
  if (!commit) return null
  // Only the first reader of a commit pays for the comparison of the trees, with which it may share its page tree.
  const open = async () => (await openBoth(app, space, commit.id, head)).before
  const isKnown = app.content.structures.has(`${space.doc.id}:${commit.id}`)
  return { commit, revision: isKnown ? await openRevision(app, space, commit.id) : await opening.run(open) }
}

/**
 * Whether a file of today has existed since a commit, at this path or another one. A page that is created where another
 * one was deleted has its path and its ID, and must not show its text.
 */
export async function existsSince(
  app: App,
  { space, snapshot }: OpenRevision,
  gitPath: string,
  commit: MainCommit,
): Promise<boolean> {
  const dates = datesOf(await datesAt(app, space, snapshot.commit), gitPath)
  return dates !== undefined && dates.created <= commit.seconds
}

/** Returns the entry that a page had at a commit. Null if there was none, or the visitor may not see it as it was. */
export async function entryThen(
  app: App,
  { context }: Visitor,
  { revision, commit }: { revision: OpenRevision; commit: MainCommit },
  { entry: now, pages }: Pick<ReadPage, 'entry' | 'pages'>,
): Promise<DocumentEntry | null> {
  if (now.type !== 'document' || !(await existsSince(app, pages.revision, now.gitPath, commit))) return null
  const { structure } = revision
  const { id } = now
  const entry = structure.byId.get(id)
  const tree = await pageTree(structure.pages)
  if (entry?.type !== 'document' || tree.find(id) !== entry) return null
  const chain = [...tree.above(id), entry]
  const known = await knownPages(
    app,
    revision,
    chain.filter((one) => one.type === 'document'),
  )
  let page: VisitorPage | undefined
  for (const one of chain)
    page = visitorPageOf(one, one.type === 'document' ? known.get(one.gitPath)?.page : undefined, page)
  return page && mayVisitorSee(context, page, 'read') ? entry : null
}

/** Returns the reusable content that has existed since a commit and that everyone sees today. */
async function openIncludes(app: App, { revision }: VisitorPages, commit: MainCommit): Promise<ReadonlySet<string>> {
  const { space, snapshot, structure } = revision
  const oids = new Map<string, string>()
  for (const { gitPath } of structure.reusableContents) {
    const file = (await existsSince(app, revision, gitPath, commit)) ? await snapshot.entry(gitPath) : null
    if (file) oids.set(gitPath, file.oid)
  }
  const known = await app.pages.pages(space.doc.id, snapshot, oids.values())
  const isOpen = (oid: string): boolean => {
    const page = known.get(oid)
    return page !== undefined && !page.conditional && !page.doubtful && page.size === undefined
  }
  return new Set([...oids].filter(([, oid]) => isOpen(oid)).map(([path]) => path))
}

/** Returns the files that a page shows today. Others may belong to pages that are hidden today. */
async function filesOf(app: App, now: ReadPage): Promise<ReadonlySet<string>> {
  const { revision } = now.pages
  const { gitPath, markdown } = await readPageText(app, now)
  const found = new Set<string>()
  if (gitPath === undefined) return found
  const exists = new KnownFiles(revision.snapshot)
  for (const { target } of await unlessTooCostly(app.texts.for(revision.space.doc.id).references(markdown), [])) {
    const to = await exists.during((has) => resolveReference(target, gitPath, revision.structure, has))
    if (to.kind === 'file') found.add(to.gitPath)
  }
  return found
}
