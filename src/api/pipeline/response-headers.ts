// The headers that all responses have in common.
import { ServerResponse } from 'node:http'
import type { Context, Middleware } from 'koa'
import helmet from 'koa-helmet'

/** What scripts of other origins may read of a response. */
export const EXPOSED = [
  'ETag',
  'Location',
  'Link',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
  'Content-Disposition',
]

const API_POLICY = {
  directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], sandbox: [] },
  useDefaults: false,
}

/**
 * The security headers that every response carries. They do not depend on the request: helmet is asked once, here, instead
 * of running its thirteen steps for each request.
 */
export async function securityHeaders(publicUrl: string | null): Promise<readonly (readonly [string, string])[]> {
  const found = new Map<string, string>()
  const res = Object.create(ServerResponse.prototype, {
    setHeader: { value: (name: string, value: string) => void found.set(name, String(value)) },
    removeHeader: { value: (name: string) => void found.delete(name) },
  }) as ServerResponse
  const run = helmet({
    contentSecurityPolicy: API_POLICY,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    xFrameOptions: { action: 'deny' },
    // for documents of old browsers, which these responses are not: each header costs every request
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    strictTransportSecurity: publicUrl?.startsWith('https:') ? { maxAge: 31_536_000, includeSubDomains: false } : false,
  }) as Middleware
  await run({ req: {}, res, request: {}, response: {} } as unknown as Context, async () => {})
  return [...found]
}

/** The policy of the reference page: everything from here, no inline scripts. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
