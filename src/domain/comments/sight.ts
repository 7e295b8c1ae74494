import { createHash } from 'node:crypto'
import type { CommentTarget } from '../../content/blocks/comment-targets.js'
import type { DocumentEntry, PageEntry } from '../../content/types.js'
import { unlessTooCostly } from '../../content/work/text-work.js'
import type { CommitId } from '../../kernel/ids.js'
import type { SeenPage } from '../../model/index.js'
import type { App } from '../context/app.js'
import { datesAt, datesOf } from '../revisions/page-dates.js'
import type { PageDates } from '../context/content-cache.js'
import { MAIN } from '../context/refs.js'
import { isMissing, type OpenRevision, openRevision, readDocument } from '../revisions/revisions.js'
import type { LoadedDiscussion } from './discussion.js'

/** The content that a discussion is about, as it is now: every page is looked up once, and only when it is asked for. */
export interface Sight {
  /** Head of main, or of the change request's branch; null where an admin removed main. */
  head: CommitId | null
  /** The page of an ID; null where there is none. */
  page(id: string): Promise<SeenPage | null>
  /** What can be pointed at in the page. */
  places(id: string): Promise<readonly CommentTarget[]>
}

interface Content {
  revision: OpenRevision
  dates: PageDates
}

/** Looks at the main content of a space, or at that of a change request. */
export function sightOf(app: App, { space, changeRequest }: LoadedDiscussion): Sight {
  const head = changeRequest ? changeRequest.head : space.repo.head(MAIN)
  let content: Promise<Content | null> | null = null
  const pages = new Map<string, Promise<SeenPage | null>>()
  const open = async (): Promise<Content | null> => {
    if (!head) return null
    try {
      return { revision: await openRevision(app, space, head), dates: await datesAt(app, space, head) }
    } catch (error) {
      // The branch of an old change request may be gone, with its commits.
      if (isMissing(error)) return null
      throw error
    }
  }
  const opened = (): Promise<Content | null> => (content ??= open())
  const see = async (id: string): Promise<SeenPage | null> => {
    const found = await opened()
    const entry = found?.revision.structure.byId.get(id)
    return found && entry ? seePage(app, found, entry) : null
  }
  return {
    head,
    page(id) {
      let page = pages.get(id)
      if (!page) pages.set(id, (page = see(id)))
      return page
    },
    async places(id) {
      const found = await opened()
      const entry = found?.revision.structure.byId.get(id)
      return found && entry?.type === 'document' ? placesIn(app, found.revision, entry) : []
    },
  }
}

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()

async function seePage(app: App, { revision, dates }: Content, entry: PageEntry): Promise<SeenPage> {
  const { id, title, path } = entry
  if (entry.type !== 'document') return { id, title, path, content: contentOf(entry) }
  const { source, oid, large } = await readDocument(app, revision, entry)
  const { emoji, icon } = source.attributes
  const when = datesOf(dates, entry.gitPath)
  return {
    ...{ id, title, path, content: large === undefined ? digestOf(source.markdown.trim()) : oid },
    ...(emoji === undefined ? {} : { emoji }),
    ...(icon === undefined ? {} : { icon }),
    ...(when ? { createdAt: iso(when.created), updatedAt: iso(when.updated) } : {}),
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** What a page without a file says: where a link leads, which operation is computed; a group says nothing. */
function contentOf(entry: Exclude<PageEntry, DocumentEntry>): string {
  return digestOf(JSON.stringify([entry.type, entry.type === 'link' ? entry.href : entry.type === 'computed' ? entry.computed : '']))
}

async function placesIn(app: App, revision: OpenRevision, entry: DocumentEntry): Promise<readonly CommentTarget[]> {
  const { oid, source } = await readDocument(app, revision, entry)
  const known = app.content.places.get(oid)
  if (known) return known
  // A page that is too costly to be taken apart has none.
  const places = await unlessTooCostly(app.texts.for(revision.space.doc.id).commentTargets(source.markdown), [])
  app.content.places.set(oid, places)
  return places
}
