/** Responds to requests for the social card of a page. */
import { createReadStream } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { pathOfPage } from '../../domain/sites/visitor-paths.js'
import { ServiceError } from '../../kernel/errors.js'
import type { SharedAssets } from '../assets.js'
import type { SiteResponse } from '../exchange.js'
import type { OpenSpace } from '../navigation.js'
import { cardOf, pageDocument } from '../page-output.js'
import { hasText } from '../../domain/revisions/page-tree.js'
import type { Visit } from '../visit.js'
import { cardDocument, makesCards } from './card.js'

/** Time in milliseconds that a request waits for a picture. Services that show previews wait about as long. */
const WAIT_MS = 15_000

/**
 * Makes the response for the picture of a page. Null if there is no such page for the reader, or pages have no
 * pictures. An address of an earlier picture gets the current one. Throws 503 if it takes too long.
 */
export async function cardOutput(
  visit: Visit,
  { siteSpace, pages }: OpenSpace,
  id: string,
  assets: SharedAssets,
): Promise<SiteResponse | null> {
  const { app, audience, visitor } = visit
  const entry = pages.find(id)
  if (!entry || !hasText(entry) || !makesCards(visit)) return null
  const page = { siteSpace, pages, entry, path: pathOfPage(siteSpace, pages, entry) }
  const card = cardOf({ page, ...(await pageDocument(visit, page, assets)) })
  const { html, key } = await cardDocument(visit, card)
  const made = app.cards.picture(visitor.site.doc.id, key, html)
  const over = new AbortController()
  const late = wait(WAIT_MS, null, { signal: over.signal }).catch(() => null)
  const found = await Promise.race([made, late]).catch((error: unknown) => {
    app.log.warn({ error }, 'A picture of a page could not be made.')
    return null
  })
  made.catch(() => {})
  over.abort()
  if (!found) throw new ServiceError('unavailable', 'The picture is not ready.', { headers: { 'Retry-After': '30' } })
  const file = {
    name: 'card.png',
    contentType: 'image/png',
    size: found.bytes,
    oid: found.digest,
    read: (range?: { start: number; end: number }) => createReadStream(found.path, range),
    streamed: true,
    changes: true,
  }
  return { status: 200, type: '', body: '', audience, file }
}
