/** Recognizes requests from pages of the site itself. */
import type { SiteRequest } from './exchange.js'

/**
 * Whether a form was sent from a page of the same origin. Browsers state the origin of every form. Other clients hold no
 * cookies of a reader, so they may leave it out.
 * @param address the address of the site that readers use; behind a proxy it differs from that of the request
 */
export function isFromOwnPage(request: SiteRequest, address: string): boolean {
  const relation = request.header('Sec-Fetch-Site')
  if (relation !== '') return relation === 'same-origin'
  const origin = request.header('Origin')
  if (origin === '') return true
  if (!URL.canParse(origin)) return false
  const { hostname: from } = new URL(origin)
  return from === request.hostname || from === new URL(address).hostname
}
