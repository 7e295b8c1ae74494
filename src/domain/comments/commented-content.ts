/** Reads the content that comments refer to: pages, and the parts of them that comments can target. */
import { createHash } from 'node:crypto'
import type { CommentTarget } from '../../content/blocks/comment-targets.js'
import type { DocumentEntry, PageEntry } from '../../content/types.js'
import { unlessTooCostly } from '../../content/work/text-work.js'
import { iso } from '../../kernel/clock.js'
import { type CommitId, isOid } from '../../kernel/ids.js'
import type { SeenPage } from '../../model/index.js'
import type { App } from '../context/app.js'
import { datesAt, datesOf } from '../revisions/page-dates.js'
import type { PageDates } from '../context/content-cache.js'
import { MAIN } from '../context/refs.js'
import { isMissing, type OpenRevision, openRevision, readDocument } from '../revisions/revisions.js'
import type { LoadedDiscussion } from './discussion.js'
import { defined } from '../../kernel/defined.js'

/** The current content of a discussion. Pages are loaded on demand, and only once. */
export interface CommentedContent {
  /** Head of main, or of the change request's branch. Null if an admin removed main. */
  head: CommitId | null
  /** Returns the page with an ID. Null if there is none. */
  page(id: string): Promise<SeenPage | null>
  /** Returns the parts of the page that a comment can target. */
  places(id: string): Promise<readonly CommentTarget[]>
  /**
   * Returns the key of the block that a block of an earlier revision became in the current page, or null. Text that was
   * changed step by step is found as long as it keeps some of its words.
   */
  follow(page: string, node: string, revision: string): Promise<string | null>
}

interface OpenContent {
  revision: OpenRevision
  dates: PageDates
}

/** Returns the main content of a space, or the content of a change request. */
export function commentedContent(app: App, { space, changeRequest }: LoadedDiscussion): CommentedContent {
  const head = changeRequest ? changeRequest.head : space.repo.refs.head(MAIN)
  let content: Promise<OpenContent | null> | null = null
  const pages = new Map<string, Promise<SeenPage | null>>()
  const open = async (): Promise<OpenContent | null> => {
    if (!head) return null
    try {
      return { revision: await openRevision(app, space, head), dates: await datesAt(app, space, head) }
    } catch (error) {
      // The branch of an old change request may have been removed, and its commits pruned.
      if (isMissing(error)) return null
      throw error
    }
  }
  const opened = (): Promise<OpenContent | null> => (content ??= open())
  const load = async (id: string): Promise<SeenPage | null> => {
    const found = await opened()
    const entry = found?.revision.structure.byId.get(id)
    return found && entry ? loadPage(app, found, entry) : null
  }
  return {
    head,
    page(id) {
      let page = pages.get(id)
      if (!page) pages.set(id, (page = load(id)))
      return page
    },
    async places(id) {
      const found = await opened()
      const entry = found?.revision.structure.byId.get(id)
      return found && entry?.type === 'document' ? placesIn(app, found.revision, entry) : []
    },
    async follow(id, node, revision) {
      const found = await opened()
      const entry = found?.revision.structure.byId.get(id)
      if (!found || entry?.type !== 'document' || !isOid(revision) || !(await space.repo.objects.hasCommit(revision)))
        return null
      const earlier = await openRevision(app, space, revision)
      const old = earlier.structure.byId.get(id)
      if (old?.type !== 'document') return null
      const [before, after] = [await readDocument(app, earlier, old), await readDocument(app, found.revision, entry)]
      const work = app.texts.for(space.doc.id).followBlock(before.source.markdown, after.source.markdown, node)
      return unlessTooCostly(work, null)
    },
  }
}

/** Returns a page in the form that is stored with a comment. `content` changes with the content of the page. */
async function loadPage(app: App, { revision, dates }: OpenContent, entry: PageEntry): Promise<SeenPage> {
  const { id, title, path } = entry
  if (entry.type !== 'document') return { id, title, path, content: digestWithoutFile(entry) }
  const { source, oid, large } = await readDocument(app, revision, entry)
  const { emoji, icon } = source.attributes
  const when = datesOf(dates, entry.gitPath)
  return {
    ...{ id, title, path, content: large === undefined ? digestOf(source.markdown.trim()) : oid },
    ...defined({ emoji, icon }),
    ...(when ? { createdAt: iso(when.created), updatedAt: iso(when.updated) } : {}),
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns a digest for a page without a file: of a link's target, or of a computed page's operation. */
function digestWithoutFile(entry: Exclude<PageEntry, DocumentEntry>): string {
  return digestOf(
    JSON.stringify([entry.type, entry.type === 'link' ? entry.href : entry.type === 'computed' ? entry.computed : '']),
  )
}

async function placesIn(app: App, revision: OpenRevision, entry: DocumentEntry): Promise<readonly CommentTarget[]> {
  const { oid, source } = await readDocument(app, revision, entry)
  const known = app.content.places.get(oid)
  if (known) return known
  // A page that is too costly to parse has no targets.
  const places = await unlessTooCostly(app.texts.for(revision.space.doc.id).commentTargets(source.markdown), [])
  app.content.places.set(oid, places)
  return places
}
