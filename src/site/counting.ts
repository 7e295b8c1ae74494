/** Counts what browsers read on a site. Programs and prefetched pages do not count. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { App } from '../domain/context/app.js'
import type { SiteResponse } from './exchange.js'
import type { Visit } from './visit.js'

/** Whether the site counts its readers. Previews and bundles do not. */
export const countsReaders = ({ visitor, preview, offline }: Pick<Visit, 'visitor' | 'preview' | 'offline'>): boolean =>
  visitor.site.doc.statistics?.enabled === true && !preview && !offline

/** The names that crawlers, link checkers and other programs give themselves. */
const PROGRAM = /bot|crawl|spider|slurp|fetch|monitor|preview|curl|wget|python|headlesschrome|lighthouse/i
const MAX_AGENT = 400

/** Whether a request is that of a person who opens a page, as far as a request shows it. */
function isReader({ 'user-agent': agent = '', ...headers }: IncomingHttpHeaders): boolean {
  if (!agent.startsWith('Mozilla/') || PROGRAM.test(agent.slice(0, MAX_AGENT))) return false
  if (headers['sec-purpose'] !== undefined || headers.purpose === 'prefetch') return false
  const wanted = headers['sec-fetch-dest']
  return wanted === undefined ? headers.accept?.includes('text/html') === true : wanted === 'document'
}

/** Counts a response that was sent to a request, if its site counts readers and a browser opened it. */
export function countSent(
  { readers }: Pick<App, 'readers'>,
  counted: SiteResponse['counted'],
  req: IncomingMessage,
  ip: string,
) {
  if (!counted || req.method !== 'GET' || !isReader(req.headers)) return
  if ('page' in counted) readers.read(counted.site, counted.page)
  else if ('missing' in counted) readers.address(counted.site, 'missing', counted.missing, ip)
  else readers.address(counted.site, 'redirected', counted.redirected, ip)
}
