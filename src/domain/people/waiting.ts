/** Finds the items that wait for a user: failures that they may repair, requested reviews, and their change requests. */
import { allows } from '../../access/index.js'
import {
  type ChangeRequestDoc,
  changeRequests,
  connections,
  memberships,
  requestedReviews,
  reviews,
  type SiteDoc,
  siteSuggestions,
  sites,
  type SpaceDoc,
  type WaitingType,
} from '../../model/index.js'
import { findChangeRequest } from '../change-requests/change-requests.js'
import { unmetBy } from '../change-requests/unmet-by.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { visibleToCaller } from '../notifications/notifications.js'
import { contentRole, findSpace, isTokenFor, spaceRole } from '../roles/access.js'
import { listWaiting } from '../suggestions/send.js'

/** An item that waits for the user. */
export interface WaitingItem {
  type: WaitingType
  at: string
  space: SpaceDoc
  changeRequest?: ChangeRequestDoc
  comments?: number
  site?: SiteDoc & { id: string }
  suggestions?: number
  message?: string
}

const MAX_ORGANIZATIONS = 20
const MAX_FAILING = 25
const MAX_SITES = 50
/** Maximum number of the newest waiting suggestions of an organization that are read to find their sites. */
const MAX_SUGGESTIONS = 500
const MAX_REVIEWS = 50
const MAX_OWN = 50
/** Maximum number of reviews that are read per change request, newest first. */
const READ_REVIEWS = 20

type SpaceOf = ReturnType<typeof visibleToCaller>

/** Returns the items that wait for the caller: failures, reviews, suggestions of readers, and change requests. */
export async function waitingFor(app: App, actor: Actor): Promise<WaitingItem[]> {
  const spaceOf = visibleToCaller(app, actor)
  const [failing, requested, suggested, own] = await Promise.all([
    failures(app, actor, spaceOf),
    reviewsRequested(app, actor, spaceOf),
    suggestionsOfReaders(app, actor, spaceOf),
    ownRequests(app, actor, spaceOf),
  ])
  return [...failing, ...requested, ...suggested, ...own].slice(0, 100)
}

/** Returns the organizations of the caller that the token is for. */
async function organizationsOf({ store }: App, actor: Actor): Promise<string[]> {
  const own = (await store.find(memberships, 'user', actor.user.id)).slice(0, MAX_ORGANIZATIONS)
  const found: string[] = []
  for (const { organization } of own) if (await isTokenFor(store, actor, organization)) found.push(organization)
  return found
}

/** Returns the failing connections whose space the caller may sync. */
async function failures(app: App, actor: Actor, spaceOf: SpaceOf): Promise<WaitingItem[]> {
  const { store } = app
  const found: WaitingItem[] = []
  for (const organization of await organizationsOf(app, actor)) {
    const failing = { limit: MAX_FAILING, direction: 'desc' as const }
    for (const { failure, space: id } of (await store.page(connections, 'failing', organization, failing)).documents) {
      const space = await spaceOf(id)
      if (!space || !failure || !allows('space:triggerGitSync', await spaceRole(store, actor.user.id, space))) continue
      const { cause, since, message } = failure
      const request =
        failure.changeRequest === undefined ? null : await store.get(changeRequests, failure.changeRequest)
      const type = cause === 'conflict' ? 'conflict' : 'sync_failed'
      found.push({ type, at: since, space, message, ...(request ? { changeRequest: request } : {}) })
    }
  }
  return found
}

/** Returns the change requests that wait for the caller's review. */
async function reviewsRequested(app: App, actor: Actor, spaceOf: SpaceOf): Promise<WaitingItem[]> {
  const requested = await app.store.find(requestedReviews, 'user', actor.user.id)
  const newest = requested.sort((a, b) => (a.requestedAt > b.requestedAt ? -1 : 1)).slice(0, MAX_REVIEWS)
  const found: WaitingItem[] = []
  for (const { space: id, changeRequest: requestId, requestedAt } of newest) {
    const [space, changeRequest] = [await spaceOf(id), await app.store.get(changeRequests, requestId)]
    if (space && changeRequest && isUnfinished(changeRequest))
      found.push({ type: 'review', at: requestedAt, space, changeRequest })
  }
  return found
}

/** Returns the sites with suggestions that the caller may accept, with the space of the newest one. */
async function suggestionsOfReaders(app: App, actor: Actor, spaceOf: SpaceOf): Promise<WaitingItem[]> {
  const { store } = app
  const found: WaitingItem[] = []
  for (const organization of await organizationsOf(app, actor)) {
    const newestOnes = { limit: MAX_SUGGESTIONS, direction: 'desc' as const }
    const { documents } = await store.page(siteSuggestions, 'waiting', organization, newestOnes)
    for (const id of [...new Set(documents.map(({ site }) => site))].slice(0, MAX_SITES)) {
      const site = await store.get(sites, id)
      if (!site || !allows('site:review', await contentRole(store, actor.user.id, { ...site, kind: 'site' }))) continue
      const waiting = await listWaiting(app, actor, { doc: site })
      const [newest] = waiting.toSorted((a, b) => (a.createdAt > b.createdAt ? -1 : 1))
      const space = newest && (await spaceOf(newest.space))
      if (!space) continue
      found.push({ type: 'suggestions', at: newest.createdAt, space, site, suggestions: waiting.length })
    }
  }
  return found
}

const isUnfinished = ({ status }: ChangeRequestDoc): boolean => status === 'open' || status === 'draft'

/** Returns the caller's unfinished change requests that need an action by the caller. */
async function ownRequests(app: App, actor: Actor, spaceOf: SpaceOf): Promise<WaitingItem[]> {
  const range = { limit: MAX_OWN, direction: 'desc' as const }
  const { documents } = await app.store.page(changeRequests, 'unfinished', actor.user.id, range)
  const found: WaitingItem[] = []
  for (const changeRequest of documents) {
    const space = await spaceOf(changeRequest.space)
    if (!space) continue
    const type = changeRequest.status === 'draft' ? 'draft' : await stateOf(app, actor, changeRequest)
    const { updatedAt: at, comments } = changeRequest
    if (type !== null) found.push({ type, at, space, changeRequest, ...(type === 'comments' ? { comments } : {}) })
  }
  return found
}

/** Returns the action that an open change request needs from its author. Null if it waits for others. */
async function stateOf(app: App, actor: Actor, doc: ChangeRequestDoc): Promise<WaitingType | null> {
  const range = { limit: READ_REVIEWS, direction: 'desc' as const }
  const given = (await app.store.page(reviews, 'sequence', doc.id, range)).documents
  const latest = new Map(given.toReversed().map((review) => [review.reviewer, review]))
  const valid = [...latest.values()].filter(({ dismissedAt }) => dismissedAt === undefined)
  if (valid.some(({ status }) => status === 'changes-requested')) return 'changes_requested'
  if (doc.comments > 0) return 'comments'
  if (!valid.some(({ status }) => status === 'approved')) return null
  const space = await findSpace(app, actor, doc.space)
  const changeRequest = space && allows('space:merge', space.role) ? await findChangeRequest(app, space, doc.id) : null
  if (!space || !changeRequest) return null
  return (await unmetBy(app, actor, space, changeRequest)).length === 0 ? 'ready' : null
}
