/** Signed addresses of PDFs: they work without a token until they expire, and say all that a PDF is made of. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { App } from '../context/app.js'
import type { PdfChoice } from './selection.js'

/** Expiry times are rounded up to multiples of this, so that the address stays the same for a day. */
const GRID_MS = 24 * 60 * 60 * 1000

/** What a signed address of a PDF stands for. */
export interface PdfLink extends PdfChoice {
  space: string
  revision: string
  /** ID of the change request that it is a PDF of. */
  changeRequest?: string
  /** Name to save it under. */
  name: string
  /** Seconds since 1970. */
  expires: number
}

function sign(app: App, { space, revision, changeRequest, page, only, name, expires }: PdfLink): string {
  // A tag of its own: what is signed for another use is never valid here.
  const parts = ['pdf', space, revision, changeRequest ?? '', page ?? '', only ? 'only' : '', name, expires]
  return createHmac('sha256', app.settings.signingKey).update(JSON.stringify(parts)).digest('base64url')
}

/** The address of a PDF, for one to two days. */
export function pdfUrl(app: App, of: Omit<PdfLink, 'expires'>): string {
  const expires = (Math.floor(app.clock.now().getTime() / GRID_MS) + 2) * (GRID_MS / 1000)
  const query = new URLSearchParams({
    ...(of.page === undefined ? {} : { page: of.page }),
    ...(of.only ? { only: 'true' } : {}),
    ...(of.changeRequest === undefined ? {} : { changeRequest: of.changeRequest }),
    expires: String(expires),
    signature: sign(app, { ...of, expires }),
  })
  return `${app.settings.publicUrl}/v1/pdf/${of.space}/${of.revision}/${encodeURIComponent(of.name)}?${query}`
}

/** Whether the address was made here and has not expired. */
export function isValidLink(app: App, link: PdfLink, signature: string): boolean {
  const expected = Buffer.from(sign(app, link))
  const given = Buffer.from(signature)
  return (
    given.length === expected.length &&
    timingSafeEqual(given, expected) &&
    link.expires * 1000 > app.clock.now().getTime()
  )
}
