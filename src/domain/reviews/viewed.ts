/** The pages of a change request that a user has viewed. A page that changes again has not been viewed. */
import { conflict, notFound } from '../../kernel/errors.js'
import { MAX_VIEWED_PAGES, spaces, viewedPages, viewedPagesId } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import { spanOf } from '../change-requests/span.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { versionOf } from '../revisions/changes/page-changes.js'
import { openBoth } from '../revisions/revisions.js'

/** A page that a user has viewed. */
export interface ViewedPage {
  page: string
  version: string
  viewedAt: string
  /** Whether the page still has the version. */
  current: boolean
}

interface Place {
  app: App
  actor: Actor
  space: LoadedSpace
  changeRequest: LoadedChangeRequest
}

const idOf = ({ actor, changeRequest }: Place): string => viewedPagesId(changeRequest.doc.id, actor.user.id)

async function openSpan({ app, space, changeRequest }: Place) {
  const { before, after } = await spanOf(app, space, changeRequest)
  return openBoth(app, space, before, after)
}

/** Lists the pages that the caller has viewed, in the order in which they were marked. */
export async function listViewed(place: Place): Promise<ViewedPage[]> {
  const doc = await place.app.store.get(viewedPages, idOf(place))
  if (!doc || doc.pages.length === 0) return []
  const span = await openSpan(place)
  const found: ViewedPage[] = []
  for (const one of doc.pages) found.push({ ...one, current: (await versionOf(span, one.page)) === one.version })
  return found
}

/**
 * Marks a version of a page as viewed by the caller. Beyond the maximum, the oldest mark is removed. Throws 404 for a
 * page that the change request does not have, and 409 if the page has another version now.
 */
export async function markViewed(place: Place, page: string, version: string): Promise<ViewedPage> {
  const { app, actor, space } = place
  const now = await versionOf(await openSpan(place), page)
  if (now === null) throw notFound('The page')
  if (now !== version)
    throw conflict('The page has changed since you loaded its changes. Load them again, and mark the new version.')
  const marked = { page, version, viewedAt: app.clock.now().toISOString() }
  await app.store.transact(async (tx) => {
    const doc = await tx.get(viewedPages, idOf(place))
    const pages = [...(doc?.pages ?? []).filter((one) => one.page !== page), marked].slice(-MAX_VIEWED_PAGES)
    if (doc) await tx.replace(viewedPages, { ...doc, pages })
    else await tx.insert(viewedPages, { id: idOf(place), space: space.doc.id, user: actor.user.id, pages })
  })
  return { ...marked, current: true }
}

/** Removes the caller's mark of a page. Does nothing if there is none. */
export async function unmarkViewed(place: Place, page: string): Promise<void> {
  await place.app.store.transact(async (tx) => {
    const doc = await tx.get(viewedPages, idOf(place))
    const pages = doc?.pages.filter((one) => one.page !== page) ?? []
    if (doc && pages.length === 0) await tx.remove(viewedPages, doc.id)
    else if (doc && pages.length < doc.pages.length) await tx.replace(viewedPages, { ...doc, pages })
  })
}

/** Removes the marks of a user who leaves an organization. */
export async function removeViewedOf(tx: Transaction, organization: string, user: string): Promise<void> {
  for (const one of await tx.find(viewedPages, 'user', user))
    if ((await tx.get(spaces, one.space))?.organization === organization) await tx.remove(viewedPages, one.id)
}
