/** Finds what has changed since a point in time: the blocks of a page, and the pages of a site that a visitor sees. */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { PageEntry } from '../../content/types.js'
import { TextTooCostly } from '../../content/work/text-work.js'
import { Slices } from '../../kernel/slices.js'
import type { ComparedVersions } from '../../render/index.js'
import type { App } from '../context/app.js'
import type { FileDates } from '../context/content-cache.js'
import { commitsAfter, findOnMain, type MainCommit, type PointInTime } from '../revisions/main-line.js'
import { datesAt, datesOf } from '../revisions/page-dates.js'
import { parsePage } from '../revisions/page-source.js'
import { pageTree } from '../revisions/page-tree.js'
import { evaluate } from '../revisions/pages.js'
import { readDocument } from '../revisions/revisions.js'
import { SharedWork } from '../revisions/shared-work.js'
import { entryThen, openPast } from './past-page.js'
import { noClaims } from './visitor-claims.js'
import { isConditional, type PageText } from './visitor-page.js'
import type { VisitorPages } from './visitor-pages.js'
import type { ReadPage } from './visitor-paths.js'
import type { Visitor } from './visitor.js'

/** The changes of a page. `new`: the visitor could not see it then. `unknown`: it hides them, or is too long. */
export type PageChangesSince = ComparedVersions | 'new' | 'unknown'

/**
 * Returns the commit of a point in time in the space of a page. If the point is a time before the first commit, only
 * the time. Null if main has no such commit.
 */
export async function pointOf(
  app: App,
  { pages: { revision } }: ReadPage,
  point: PointInTime,
): Promise<MainCommit | { id: null; seconds: number } | null> {
  const commit = await findOnMain(app, revision.space, revision.snapshot.commit, point)
  if (commit && 'seconds' in point) return { ...commit, seconds: point.seconds }
  return commit ?? ('seconds' in point ? { id: null, seconds: point.seconds } : null)
}

/**
 * Compares a page with its version at a commit, as the visitor sees both. Includes and variables have their current
 * values in both. Throws 503 if too many readers open the past.
 * @param commit null = before the first one
 */
export async function changesOfPage(
  app: App,
  visitor: Visitor,
  page: ReadPage,
  text: PageText,
  commit: string | null,
): Promise<PageChangesSince> {
  const { revision } = page.pages
  if (text.gitPath === undefined || text.attributes.layout?.metadata === false) return 'unknown'
  const past = commit === null ? null : await openPast(app, revision, { commit })
  const was = past && (await entryThen(app, visitor, past, page))
  if (!was) return 'new'
  const now = page.entry.type === 'document' ? await readDocument(app, revision, page.entry) : null
  const then = await readDocument(app, past.revision, was)
  if (!now || [now, then].some(({ hidden, large }) => hidden !== undefined || large !== undefined)) return 'unknown'
  if (now.oid === then.oid) return { blocks: [], removed: 0 }
  const before = await textThen(app, page, text, { path: was.gitPath, oid: then.oid })
  const claims = [before, text.markdown].some(isConditional) ? visitor.claims : noClaims
  return compare(app, revision.space.doc.id, [text.markdown, JSON.stringify(claims), before])
}

const comparing = new SharedWork<ComparedVersions>()

/** Compares two texts for readers with the same claims, once. */
async function compare(
  app: App,
  owner: string,
  args: readonly [markdown: string, claims: string, before: string],
): Promise<ComparedVersions | 'unknown'> {
  const key = hash('sha256', JSON.stringify(args), 'base64url')
  const known = app.content.comparedVersions.get(key)
  if (known) return known
  try {
    return await comparing.run(app, key, async () => {
      const json = await app.texts.bytes(owner, 'changedSince', args)
      const found: ComparedVersions = JSON.parse(Buffer.from(json).toString())
      app.content.comparedVersions.set(key, found)
      return found
    })
  } catch (error) {
    if (error instanceof TextTooCostly) return 'unknown'
    throw error
  }
}

/** Returns the text of an earlier file of a page, with the current includes and variables. */
async function textThen(
  app: App,
  { pages: { revision } }: ReadPage,
  { attributes }: PageText,
  { path, oid }: { path: string; oid: string },
): Promise<string> {
  const { source } = await parsePage(app, revision.space.doc.id, revision.snapshot, oid, path)
  return evaluate(app, revision, path, source.markdown, attributes.variables)
}

/** A page that has changed. */
export interface ChangedEntry {
  entry: PageEntry
  /** The time of its last change, in seconds since 1970. */
  seconds: number
  isNew: boolean
}

/** Maximum number of points in time per table of contents whose changed pages are remembered. */
const MAX_POINTS = 20
// bound: the tables of contents that are in memory, and MAX_POINTS
const lists = new WeakMap<readonly PageEntry[], LRUCache<string, Promise<ChangedEntry[]>>>()

/**
 * Lists the pages of a space that the visitor sees in lists and whose files have changed, newest change first. Pages
 * that hide their history are left out.
 * @param point the commit if it is one of the space, and its time
 */
export function pagesSince(
  app: App,
  pages: VisitorPages,
  point: { commit: MainCommit['id'] | null; seconds: number },
): Promise<ChangedEntry[]> {
  const known = lists.get(pages.listed) ?? new LRUCache<string, Promise<ChangedEntry[]>>({ max: MAX_POINTS })
  lists.set(pages.listed, known)
  // The same table of contents may be that of several commits.
  const key = `${pages.revision.snapshot.commit}:${point.commit ?? ''}:${point.seconds}`
  const found = known.get(key) ?? listChanged(app, pages, point)
  known.set(key, found)
  found.catch(() => known.delete(key))
  return found
}

async function listChanged(
  app: App,
  { revision, listed, known }: VisitorPages,
  { commit, seconds }: Parameters<typeof pagesSince>[2],
): Promise<ChangedEntry[]> {
  const { space, snapshot } = revision
  const dates = await datesAt(app, space, snapshot.commit)
  const after = commit === null ? null : await commitsAfter(app, space, snapshot.commit, commit)
  const isLater = (one: FileDates): boolean => (after ? after.has(one.commit) : one.updated > seconds)
  const slices = new Slices()
  const found = new Map<string, ChangedEntry>()
  for (const { entry } of (await pageTree(listed)).all) {
    if (slices.due) await slices.rest()
    if (entry.type !== 'document') continue
    const own = datesOf(dates, entry.gitPath)
    if (!own || !isLater(own) || known.get(entry.gitPath)?.page.attributes.layout?.metadata === false) continue
    found.set(entry.id, { entry, seconds: own.updated, isNew: own.created > seconds })
  }
  return [...found.values()].sort((a, b) => b.seconds - a.seconds || (a.entry.id < b.entry.id ? -1 : 1))
}
