import { endpoints } from '../../src/api/index.js'
import type { SampleSet } from '../api/samples/samples.js'
import type { TestService } from './service.js'

/** Members that depend on the time of the request, or on work in the background. */
const VOLATILE = /^(lastSeen|lastSeenAt|lastUsedAt|online|expires|expiresAt|nextPollAt|token)$/

/** Lists that connections and webhooks, which work in the background, change after the start, and the included templates. */
export const CHANGING = /\/git\/|\/webhooks|\/events$|\/templates$/

/** The body without the address of the service, signatures, and what changes with time. */
export function stable(here: TestService, body: unknown): unknown {
  const text = JSON.stringify(body, (key, value) => (VOLATILE.test(key) ? undefined : value))
  // Since 0.1.0, sites have a separate origin, and previews have signed addresses.
  const addressed = text.replaceAll(here.service.sites, '<url>/sites').replaceAll(here.url, '<url>')
  return JSON.parse(
    addressed.replace(/\/~preview\/[\w.-]+/g, '').replace(/[?&](expires|signature|token|e|s)=[\w.~%-]+/g, ''),
  )
}

/** The paths of all GET operations, with the IDs of the samples. */
export function pathsOf({ parameters, special }: SampleSet): string[] {
  const paths: string[] = []
  for (const [id, { method, path }] of Object.entries(endpoints)) {
    if (method !== 'GET' || special[id] === null) continue
    const values = { ...parameters, ...special[id]?.parameters }
    const query = new URLSearchParams(special[id]?.query ?? {})
    const url = path.replace(/\{(\w+)\}/g, (written, name: string) => values[name] ?? written)
    if (!url.includes('{') && !CHANGING.test(url)) paths.push(query.size > 0 ? `${url}?${query}` : url)
  }
  return paths
}

/** The successful JSON responses of an admin, by path. */
export async function responsesOf(here: TestService, paths: readonly string[]): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const path of paths) {
    const response = await here.admin.call('get', path)
    if (response.status === 200 && response.type === 'application/json') found[path] = stable(here, response.body)
  }
  return found
}
