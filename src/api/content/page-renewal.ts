/**
 * Decides whether a page response is still valid after main has moved. Most edits change one page.
 */
import type { ContentStructure, PageEntry } from '../../content/types.js'
import type { App } from '../../domain/context/app.js'
import type { SpaceRepository } from '../../domain/context/loaded.js'
import { datesAt, datesOf } from '../../domain/revisions/page-dates.js'
import { eachDocument, type OpenRevision } from '../../domain/revisions/revisions.js'
import { structureAt, structureNumber } from '../../domain/revisions/structures.js'
import type { CommitId } from '../../kernel/ids.js'
import { spaces } from '../../model/index.js'
import { noteOf } from '../../store/index.js'
import type { Renewal } from '../declaration.js'
import { spaceStamp } from './validators.js'
import { asOid } from '../../kernel/ids.js'

/** Responses with more pages are not renewed. */
const MAX_PAGES = 64

/**
 * Returns the data to renew a page response with subpages. At another commit it is equal if the structure object and
 * the date objects of all files are the same: a commit that changes a file creates new dates for it.
 * Null if the response depends on more files: evaluated content, computed pages, and covers, which name files by ID.
 */
export function pageRenewal(
  app: App,
  revision: OpenRevision,
  page: PageEntry,
  { evaluated, body }: { evaluated: boolean; body: Buffer },
): Renewal<App> | null {
  const { space, snapshot, structure } = revision
  const { id } = space.doc
  const known = cachedAt(app, id, snapshot.commit)
  if (evaluated || known?.structure !== structure || body.includes('"cover":{')) return null
  if (sizeOf(page, MAX_PAGES) > MAX_PAGES) return null
  const paths = [...eachDocument([page])].map(({ gitPath }) => gitPath)
  const dates = paths.map((path) => datesOf(known.dates, path))
  if (dates.includes(undefined)) return null
  const number = structureNumber(structure)
  const stamp = spaceStamp(space.doc)
  return {
    commit: snapshot.commit,
    mayChange: [noteOf(spaces, id)],
    isSameAt: async (present, commit) => {
      const doc = await present.store.get(spaces, id)
      if (!doc || spaceStamp(doc) !== stamp) return false
      const head = asOid(commit)
      const now = cachedAt(present, id, head) ?? (await readAt(present, id, head))
      return (
        structureNumber(now.structure) === number &&
        paths.every((path, index) => datesOf(now.dates, path) === dates[index])
      )
    },
  }
}

/** Counts the page and its subpages. Stops counting above `most`. */
function sizeOf(page: PageEntry, most: number): number {
  let size = 1
  for (const below of page.pages) if (size <= most) size += sizeOf(below, most - size)
  return size
}

type RevisionReads = { structure: ContentStructure; dates: Awaited<ReturnType<typeof datesAt>> }

function cachedAt(app: App, space: string, commit: CommitId): RevisionReads | null {
  const key = `${space}:${commit}`
  const structure = app.content.structures.get(key)
  const dates = app.content.dates.get(key)
  return structure && dates ? { structure, dates } : null
}

async function readAt(app: App, id: string, commit: CommitId): Promise<RevisionReads> {
  const space: SpaceRepository = { doc: { id }, repo: await app.git.open(id) }
  const [structure, dates] = await Promise.all([structureAt(app, space, commit), datesAt(app, space, commit)])
  return { structure, dates }
}
