/** The logo of a site for pictures of its pages: a file of the site, or a picture of another host. */
import { buffer } from 'node:stream/consumers'
import { LRUCache } from 'lru-cache'
import { contentTypeOf } from '../../content/files.js'
import { imageDimensions } from '../../content/image-dimensions.js'
import { findFile } from '../../domain/sites/visitor-file.js'
import type { Visit } from '../visit.js'

/** Maximum size of a logo in bytes, and time for fetching one. */
const MAX_BYTES = 512 * 1024
const FETCH_MS = 5_000
/** Time for which a fetched logo, or a failure, is cached. */
const KEPT_MS = 60 * 60_000
const FAILED_MS = 5 * 60_000

/** Logos of other hosts by address, as data URLs; '' = it could not be fetched. */
const fetched = new LRUCache<string, string>({
  maxSize: 8 * 1024 * 1024,
  sizeCalculation: (url) => url.length + 1,
  ttl: KEPT_MS,
})

/** Returns a picture as a data URL. Null if it is missing, too large or not a picture. */
export async function pictureAt(visit: Visit, href: string | undefined): Promise<string | null> {
  if (href === undefined) return null
  if (/^https?:/i.test(href)) return (await remote(visit, href)) || null
  const { app, visitor, base } = visit
  const file = href.startsWith(`${base}/`) ? await findFile(app, visitor, href.slice(base.length)) : null
  if (!file || file.size > MAX_BYTES) return null
  const content = await file.read()
  return dataUrl(contentTypeOf(file.name), Buffer.isBuffer(content) ? content : await buffer(content))
}

async function remote({ app }: Visit, url: string): Promise<string> {
  const known = fetched.get(url)
  if (known !== undefined) return known
  const found = await app.http.send({ url, timeoutMs: FETCH_MS, maxBytes: MAX_BYTES }).then(
    ({ status, headers, body }) => (status === 200 ? dataUrl(headers['content-type'] ?? '', body) : null),
    () => null,
  )
  fetched.set(url, found ?? '', { ttl: found === null ? FAILED_MS : KEPT_MS })
  return found ?? ''
}

function dataUrl(type: string, bytes: Buffer): string | null {
  const [plain = ''] = type.toLowerCase().split(';')
  const isPicture = /^image\/[\w.+-]+$/.test(plain) && (plain === 'image/svg+xml' || imageDimensions(bytes) !== null)
  return isPicture ? `data:${plain};base64,${bytes.toString('base64')}` : null
}
