/** Signs URLs of PDFs. They work without a token until they expire, and contain everything that defines the PDF. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { App } from '../context/app.js'
import type { PdfChoice } from './selection.js'
import { defined } from '../../kernel/defined.js'

/** Expiry times are rounded up to multiples of this, so that the URL does not change for a day. */
const GRID_MS = 24 * 60 * 60 * 1000

/** The content of a signed PDF URL. */
export interface PdfLink extends PdfChoice {
  space: string
  revision: string
  /** ID of the change request that the PDF shows. */
  changeRequest?: string
  /** File name for saving. */
  name: string
  /** Seconds since 1970. */
  expires: number
}

function sign(app: App, { space, revision, changeRequest, page, only, name, expires }: PdfLink): string {
  // The prefix separates these signatures from those for other uses.
  const parts = ['pdf', space, revision, changeRequest ?? '', page ?? '', only ? 'only' : '', name, expires]
  return createHmac('sha256', app.settings.signingKey).update(JSON.stringify(parts)).digest('base64url')
}

/** Returns the URL of a PDF, which is valid for one to two days. */
export function pdfUrl(app: App, of: Omit<PdfLink, 'expires'>): string {
  const expires = (Math.floor(app.clock.now().getTime() / GRID_MS) + 2) * (GRID_MS / 1000)
  const query = new URLSearchParams({
    ...defined({ page: of.page }),
    ...(of.only ? { only: 'true' } : {}),
    ...defined({ changeRequest: of.changeRequest }),
    expires: String(expires),
    signature: sign(app, { ...of, expires }),
  })
  return `${app.settings.publicUrl}/v1/pdf/${of.space}/${of.revision}/${encodeURIComponent(of.name)}?${query}`
}

/** Whether this server signed the URL and it has not expired. */
export function isValidLink(app: App, link: PdfLink, signature: string): boolean {
  const expected = Buffer.from(sign(app, link))
  const given = Buffer.from(signature)
  return (
    given.length === expected.length &&
    timingSafeEqual(given, expected) &&
    link.expires * 1000 > app.clock.now().getTime()
  )
}
