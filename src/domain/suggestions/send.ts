/** Turns suggestions into change requests: those of members at once, those of guests when a reviewer accepts them. */
import { allows } from '../../access/index.js'
import { hashToken } from '../../auth/index.js'
import { conflict, notFound, ServiceError } from '../../kernel/errors.js'
import {
  organizations,
  type SiteDoc,
  type SiteSuggestionDoc,
  siteSuggestions,
  sites,
  type UserDoc,
} from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { createChangeRequest } from '../change-requests/change-requests.js'
import { commitPageSource } from '../commits/page-source.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSite, LoadedSpace } from '../context/loaded.js'
import { openMain } from '../revisions/main-content.js'
import { findSpace } from '../roles/access.js'
import { publishedSite } from '../sites/addresses.js'
import { replaceBlock } from './blocks.js'
import { isOver, moveToQueue } from './receive.js'

type Suggestion = Document<SiteSuggestionDoc>

/** A draft of a member, who opened it in the app. */
export interface OpenedDraft {
  suggestion: Suggestion
  site: Document<SiteDoc>
  /** The address of the site for readers. */
  address: string | undefined
  space: LoadedSpace
  /** Whether the member may edit the space, so that the draft becomes a change request at once. */
  isDirect: boolean
}

/** Opens a draft by its secret, as a member. Throws 404 if it is unknown or over, or they may not see its space. */
export async function openDraft(app: App, actor: Actor, secret: string): Promise<OpenedDraft> {
  const [suggestion] = await app.store.find(siteSuggestions, 'hash', hashToken(secret))
  const isOpen = suggestion?.state === 'draft' && !isOver(app, suggestion)
  const site = isOpen ? await app.store.get(sites, suggestion.site) : null
  const organization = site && (await app.store.get(organizations, site.organization))
  const space = isOpen ? await findSpace(app, actor, suggestion.space) : null
  if (!suggestion || !site || !organization || !space || (site.suggestions ?? 'off') === 'off')
    throw new ServiceError(
      'not-found',
      'The suggestion does not exist, was already sent or has expired, or you are not a member of its space.',
    )
  const address = publishedSite({ app, organization, site })
  return { suggestion, site, address, space, isDirect: allows('space:edit', space.role) }
}

/**
 * Sends a draft, once, in the name of the member: as a change request, or to the reviewers if they may not edit the
 * space. Returns the change request, or null. Throws 403 with a read-only token, 404, 409 if the block has changed.
 */
export async function sendDraft(app: App, actor: Actor, secret: string): Promise<LoadedChangeRequest | null> {
  const draft = await openDraft(app, actor, secret)
  if (actor.token.readOnly) throw new ServiceError('forbidden', 'Your token is read-only.')
  const { suggestion, space } = draft
  const { id, displayName: name, email } = actor.user
  if (draft.isDirect) return makeChangeRequest(app, actor, space, { suggestion, author: actor.user, by: 'a member' })
  await app.store.transact(async (tx) => {
    const stored = await tx.get(siteSuggestions, suggestion.id)
    if (stored?.state === 'draft') await moveToQueue(app, tx, stored, { id, name, email })
  })
  return null
}

/**
 * Finds a suggestion of a site that waits for a reviewer, with its space. Null if the caller may not review the space.
 */
export async function findWaiting(
  app: App,
  actor: Actor,
  site: LoadedSite,
  id: string,
): Promise<{ suggestion: Suggestion; space: LoadedSpace } | null> {
  const suggestion = await app.store.get(siteSuggestions, id)
  if (suggestion?.state !== 'waiting' || suggestion.site !== site.doc.id || isOver(app, suggestion)) return null
  const space = await findSpace(app, actor, suggestion.space)
  return space && allows('space:review', space.role) ? { suggestion, space } : null
}

/** Lists the suggestions of a site that wait for a reviewer, in the spaces that the caller may review. */
export async function listWaiting(app: App, actor: Actor, site: Pick<LoadedSite, 'doc'>): Promise<Suggestion[]> {
  const all = await app.store.find(siteSuggestions, 'site', `${site.doc.id}/waiting`)
  const mayReview = new Map<string, boolean>()
  for (const { space: id } of all)
    if (!mayReview.has(id)) {
      const space = await findSpace(app, actor, id)
      mayReview.set(id, space !== null && allows('space:review', space.role))
    }
  return all.filter((one) => mayReview.get(one.space) && !isOver(app, one))
}

/** Counts the suggestions of `listWaiting`. Zero if the caller may not review the site. */
export const countWaiting = async (app: App, actor: Actor, site: LoadedSite): Promise<number> =>
  allows('site:review', site.role) ? (await listWaiting(app, actor, site)).length : 0

/**
 * Accepts a suggestion: it becomes a change request of the reviewer, with the reader as the author of its commit. Throws
 * 409 if the block has changed.
 */
export async function acceptSuggestion(
  app: App,
  actor: Actor,
  { suggestion, space }: { suggestion: Suggestion; space: LoadedSpace },
): Promise<LoadedChangeRequest> {
  const { author } = suggestion
  if (!author) throw notFound('The author of the suggestion')
  const name = { displayName: author.name, email: author.email }
  return makeChangeRequest(app, actor, space, { suggestion, author: name, by: 'a reader' })
}

/** Rejects a suggestion, which is removed with the data about its author. */
export async function rejectSuggestion(app: App, { id }: Suggestion): Promise<void> {
  await app.store.transact(async (tx) => {
    if (await tx.get(siteSuggestions, id)) await tx.remove(siteSuggestions, id)
  })
}

/**
 * Creates the change request, then removes the suggestion. The lock of the space keeps two callers from doing both. After
 * a crash in between, the suggestion still waits, and a reviewer sees the change request.
 */
async function makeChangeRequest(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  {
    suggestion,
    author,
    by,
  }: { suggestion: Suggestion; author: Pick<UserDoc, 'displayName' | 'email'>; by: 'a member' | 'a reader' },
): Promise<LoadedChangeRequest> {
  return app.locks.run(space.doc.id, async (lease) => {
    if (!(await app.store.get(siteSuggestions, suggestion.id))) throw conflict('The suggestion was already sent.')
    const revision = await openMain(app, space)
    const head = revision.snapshot.commit
    const { page, title } = suggestion
    const { markdown, oid, path } = await replaceBlock(app, revision, suggestion)
    const subject = `Suggestion for ${title.trim() || path}`.slice(0, 100)
    const input = { app, author, space, page, markdown, message: subject, ifMatch: oid }
    const { revision: commit } = await commitPageSource(input, head)
    if (commit === head) throw conflict('The page already has this text.')
    const description = `Suggested by ${by} on the published page.`
    const made = await createChangeRequest(
      app,
      actor,
      space,
      { subject, description },
      { lease, head: commit, status: 'open' },
    )
    await rejectSuggestion(app, suggestion)
    return made
  })
}
