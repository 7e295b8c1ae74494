/** Receives suggestions from the pages of a site, and confirmations of guests. Nothing is written to Git. */
import { hashToken, newToken } from '../../auth/index.js'
import { defined } from '../../kernel/defined.js'
import { isPast } from '../../kernel/clock.js'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { MAX_SUGGESTED, type SiteDoc, type SiteSuggestionDoc, siteSuggestions, sites } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { queueMail } from '../notifications/queue-mail.js'
import { hourlyCount } from '../sites/hourly-count.js'
import { shownSiteSpaces } from '../sites/view.js'
import { pagesFor } from '../sites/visitor-pages.js'
import type { ReadPage } from '../sites/visitor-paths.js'
import type { Visitor } from '../sites/visitor.js'
import { cleanedBlock, type OfferedBlock } from './blocks.js'
import { notifyReviewers } from './notify-reviewers.js'

/** Lifetime in milliseconds of a draft, of an unconfirmed suggestion, and of one that waits for a reviewer. */
const LIFETIME_MS = { draft: 3_600_000, unconfirmed: 24 * 3_600_000, waiting: 90 * 24 * 3_600_000 }
/** Maximum number of suggestions of a site in each state. */
const MAX_OF_SITE = { draft: 500, unconfirmed: 500, waiting: 500 }
/** Maximum number of unconfirmed suggestions per email address. Beyond that no mail is sent. */
const MAX_UNCONFIRMED = 3

const countSuggestion = hourlyCount(
  { address: 10, site: 200 },
  'There are too many suggestions from this address. Try again in an hour.',
)
const countConfirmation = hourlyCount(
  { address: 60, site: 2_000 },
  'There were too many confirmations from this address. Try again in an hour.',
)

/** A suggestion as a reader sends it. */
export interface GivenSuggestion {
  site: SiteDoc
  page: ReadPage
  block: OfferedBlock
  text: string
  /** The address of the client, for counting only. */
  ip: string
}

/** A guest. */
export interface Guest {
  name: string
  email: string
}

/** Whether guests may suggest changes on a site. Their addresses are confirmed by mail, so it needs a mail server. */
export const takesGuests = (app: App, { suggestions }: SiteDoc): boolean =>
  suggestions === 'everyone' && app.mail !== null

/**
 * Stores a suggestion for a member, who opens and sends it in the app. Returns the secret, which only this reader knows.
 * Throws 400, 429.
 */
export async function draftSuggestion(app: App, given: GivenSuggestion): Promise<string> {
  const secret = newToken()
  const draft = { ...newSuggestion(app, given, 'draft'), hash: hashToken(secret) }
  await app.store.transact((tx) => insert(tx, draft))
  return secret
}

/**
 * Stores a suggestion of a guest, and queues the mail with which they confirm it. An address with too many unconfirmed
 * suggestions gets no further mail; the response does not reveal it. Throws 400, 429.
 */
export async function guestSuggestion(app: App, given: GivenSuggestion, { name, email }: Guest): Promise<void> {
  const author = { name, email: email.toLowerCase() }
  const draft = { ...newSuggestion(app, given, 'unconfirmed'), author }
  await app.store.transact(async (tx) => {
    const open = await tx.find(siteSuggestions, 'unconfirmed', author.email)
    if (open.filter((one) => !isOver(app, one)).length >= MAX_UNCONFIRMED) return
    await insert(tx, draft)
    await queueMail(app, tx, { mail: 'suggestion', suggestion: draft.id })
  })
  app.wakes.jobs()
}

/** Characters that show text in another order than it has. A reviewer would not see what is merged. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/
/** The first line of front matter, which the first block of a file must not become. */
const FENCE = /^---[ \t]*(?:\n|$)/

/** Whether a text would become something else than a reviewer sees, unlike the block that it replaces. */
export const isMisleading = (text: string, { source }: OfferedBlock): boolean =>
  [DIRECTIONS, FENCE].some((signs) => signs.test(cleanedBlock(text)) && !signs.test(source))

function newSuggestion(
  app: App,
  { site, page, block, text, ip }: GivenSuggestion,
  state: 'draft' | 'unconfirmed',
): SiteSuggestionDoc {
  const after = cleanedBlock(text)
  if (after === '')
    throw badRequest('The text is empty. Describe in a comment of the team why a part should be deleted.')
  if (after.length > MAX_SUGGESTED) throw badRequest(`The text has more than ${MAX_SUGGESTED} characters.`)
  if (after === cleanedBlock(block.source)) throw badRequest('The text is unchanged.')
  if (isMisleading(text, block)) throw badRequest('Remove invisible characters, and do not begin with ---.')
  countSuggestion(site.id, ip)
  return {
    id: newId(),
    organization: site.organization,
    site: site.id,
    space: page.siteSpace.space.doc.id,
    page: page.entry.id,
    title: page.entry.title.slice(0, 200).replace(/\p{Cs}/gu, ''),
    path: page.path.slice(0, 1_000) || '/',
    before: block.source,
    occurrence: block.occurrence,
    after,
    state,
    ...times(app, state),
  }
}

/** Returns the creation and the end of a suggestion that gets a state. */
function times(app: App, state: SiteSuggestionDoc['state']): Pick<SiteSuggestionDoc, 'createdAt' | 'expiresAt'> {
  const now = app.clock.now().getTime()
  return { createdAt: new Date(now).toISOString(), expiresAt: new Date(now + LIFETIME_MS[state]).toISOString() }
}

/** Whether a suggestion has expired. */
export const isOver = (app: App, { expiresAt }: Pick<SiteSuggestionDoc, 'expiresAt'>): boolean =>
  isPast(app.clock, expiresAt)

async function insert(tx: Transaction, draft: SiteSuggestionDoc): Promise<void> {
  await checkRoom(tx, draft)
  await tx.insert(siteSuggestions, draft)
}

async function checkRoom(tx: Transaction, { site, state }: SiteSuggestionDoc): Promise<void> {
  if ((await tx.count(siteSuggestions, 'site', `${site}/${state}`)) >= MAX_OF_SITE[state])
    throw new ServiceError('too-many-requests', 'This site has too many open suggestions. Try again in a day.', {
      headers: { 'Retry-After': '86400' },
    })
}

/**
 * Finds a suggestion of a guest by the secret in their mail. Null if it is unknown, used or over, or if the visitor may no
 * longer read its page.
 */
export async function findUnconfirmed(app: App, visitor: Visitor, secret: string): Promise<SiteSuggestionDoc | null> {
  const [found] = await app.store.find(siteSuggestions, 'hash', hashToken(secret))
  if (!found || found.site !== visitor.site.doc.id || found.state !== 'unconfirmed' || isOver(app, found)) return null
  return (await mayRead(app, visitor, found)) ? found : null
}

async function mayRead(app: App, visitor: Visitor, { space, page }: SiteSuggestionDoc): Promise<boolean> {
  for (const shown of shownSiteSpaces(visitor.view))
    if (shown.space.doc.id === space && (await pagesFor(app, visitor, shown)).find(page)) return true
  return false
}

/**
 * Confirms a suggestion of a guest, once. It then waits for a reviewer. Returns whether the secret was valid, and the
 * visitor may still read the page. Throws 429.
 * @param ip the address of the client, for counting only
 */
export async function confirmSuggestion(app: App, visitor: Visitor, secret: string, ip: string): Promise<boolean> {
  const site = visitor.site.doc.id
  countConfirmation(site, ip)
  if (!(await findUnconfirmed(app, visitor, secret))) return false
  return app.store.transact(async (tx) => {
    const [stored] = await tx.find(siteSuggestions, 'hash', hashToken(secret))
    if (!stored || stored.site !== site || stored.state !== 'unconfirmed' || isOver(app, stored)) return false
    if (!(await tx.get(sites, site))?.published) return false
    await moveToQueue(app, tx, stored)
    return true
  })
}

/**
 * Moves a suggestion to the queue of the reviewers, with its author, and notifies them. Throws 429 if the queue is full.
 * @param member the author of a draft, which has none
 */
export async function moveToQueue(
  app: App,
  tx: Transaction,
  { hash: _used, ...stored }: Document<SiteSuggestionDoc>,
  member?: Guest & { id: string },
): Promise<void> {
  const author = member ? { name: member.name, email: member.email } : stored.author
  const waiting = { ...stored, ...defined({ author }), state: 'waiting' as const, ...times(app, 'waiting') }
  await checkRoom(tx, waiting)
  await tx.replace(siteSuggestions, waiting)
  await notifyReviewers(app, tx, waiting, member?.id)
}
