/** The changes of a page and of its site since a point in time that the address of the page names. */
import { type PointInTime, readPoint } from '../../domain/revisions/main-line.js'
import { changesOfPage, pagesSince, pointOf } from '../../domain/sites/visitor-since.js'
import type { PageText } from '../../domain/sites/visitor-page.js'
import { pathsOfPages, type ReadPage } from '../../domain/sites/visitor-paths.js'
import type { ComparedVersions, PageHistory } from '../../render/index.js'
import type { Frame } from '../frame.js'
import type { SinceModel } from '../layout/history-notices.js'
import { listedSpaces } from '../listed-pages.js'
import { shortTitle } from '../navigation.js'
import type { Visit } from '../visit.js'
import { formatDay, formatShortDay, type Words } from '../words/index.js'

/** Maximum number of changed pages that are listed. */
const MAX_PAGES = 50
/** Numbers of the kinds of changes in the margin. */
const KINDS = ['added', 'changed', 'moved'] as const

/** The ID of a commit, or a day. */
const COMMON = /^(?:[0-9a-f]{40}|\d{4}-\d\d-\d\d)$/

/** Whether the readers of a site may have changes marked. */
export const marksChanges = ({ visitor, preview, offline }: Visit): boolean =>
  visitor.site.doc.changesSince === true && !preview && !offline

/** The changes that a page shows: in its margin, and above its text. */
export interface ShownSince {
  /** Whether the point in time is one of a limited number: a commit before the newest one, or a day before its time. */
  isCommon: boolean
  history?: PageHistory
  model: SinceModel
}

/** Returns the changes since a point in time. If the page has no such point, nothing is marked, and the notice says so. */
export async function sinceOf(
  visit: Visit,
  page: ReadPage,
  text: PageText,
  written: string,
  { words, locale }: Frame,
): Promise<ShownSince> {
  const { app, visitor, base } = visit
  const asked = readPoint(written, 'start')
  const point = asked && (await pointOf(app, page, asked))
  const close = `${base}${page.path}` || '/'
  if (!point) return { isCommon: false, model: { close, summary: [words.since.invalid], pages: null } }
  const found = await changesOfPage(app, visitor, page, text, point.id)
  const isPast = point.id !== null && point.id !== page.pages.revision.snapshot.commit
  return {
    isCommon: isPast && COMMON.test(written),
    ...(typeof found === 'string' ? {} : { history: historyOf(found, words) }),
    model: {
      close,
      title: words.since.title(formatDay(point.seconds, locale)),
      summary: typeof found === 'string' ? [words.since[found === 'new' ? 'isNew' : 'unknown']] : counts(found, words),
      pages: await changedPages(visit, page, { asked, point, written, locale }),
    },
  }
}

const historyOf = ({ blocks }: ComparedVersions, { since }: Words): PageHistory => ({
  blocks: blocks.map((change) => KINDS.findIndex((kind) => kind === change)),
  changes: Object.fromEntries(KINDS.map((kind, number) => [number, { label: since.marks[kind] }])),
})

/** Returns the numbers of changed blocks as texts. Moved blocks count as changed. */
function counts({ blocks, removed }: ComparedVersions, { since }: Words): string[] {
  const count = (...kinds: string[]): number => blocks.filter((kind) => kinds.includes(kind)).length
  const [changed, added] = [count('changed', 'moved'), count('added')]
  const texts = [
    ...(changed > 0 ? [since.changed(changed)] : []),
    ...(added > 0 ? [since.added(added)] : []),
    ...(removed > 0 ? [since.removed(removed)] : []),
  ]
  return texts.length > 0 ? texts : [since.none]
}

interface Listing {
  asked: PointInTime
  point: { id: Parameters<typeof pagesSince>[2]['commit']; seconds: number }
  written: string
  locale: string
}

/** Lists the changed pages that the reader sees in lists, newest change first. */
async function changedPages(
  visit: Visit,
  { siteSpace: own }: ReadPage,
  { asked, point, written, locale }: Listing,
): Promise<NonNullable<SinceModel['pages']>> {
  const { app, base } = visit
  const newest: { seconds: number; isNew: boolean; title: string; path: string }[] = []
  let count = 0
  for (const { siteSpace, pages } of await listedSpaces(visit)) {
    const isOwn = siteSpace.space.doc.id === own.space.doc.id
    // A commit exists only in one space. In the others, its time counts.
    const commit = isOwn && 'commit' in asked ? point.id : null
    const changed = await pagesSince(app, pages, { commit, seconds: point.seconds })
    const pathOf = pathsOfPages(siteSpace, pages)
    count += changed.length
    for (const { entry, seconds, isNew } of changed.slice(0, MAX_PAGES))
      newest.push({ seconds, isNew, title: shortTitle(entry.title), path: pathOf(entry) })
  }
  newest.sort((a, b) => b.seconds - a.seconds)
  const query = `?since=${encodeURIComponent(written)}`
  return {
    count,
    shown: newest.slice(0, MAX_PAGES).map(({ seconds, isNew, title, path }) => ({
      title,
      href: `${base}${path}${query}`,
      isNew,
      date: new Date(seconds * 1000).toISOString().slice(0, 10),
      day: formatShortDay(seconds, locale),
    })),
  }
}
