// The pages by which a supervisor sees whether the service lives and is ready.
import type { Page } from '../pipeline/page.js'

/** `/healthz`: the process responds. `/readyz`: it is ready for requests, or 503 with what is missing. */
export function healthPages(
  ready: () => readonly string[] | Promise<readonly string[]>,
  stopping: () => boolean,
): Page[] {
  return [
    {
      path: '/healthz',
      operation: 'healthz',
      serve: (ctx) => {
        ctx.set('Cache-Control', 'no-store')
        ctx.body = { status: 'ok' }
      },
    },
    {
      path: '/readyz',
      operation: 'readyz',
      serve: async (ctx) => {
        const missing = stopping() ? ['shutting down'] : await ready()
        ctx.set('Cache-Control', 'no-store')
        ctx.status = missing.length === 0 ? 200 : 503
        if (missing.length > 0) ctx.set('Retry-After', '5')
        ctx.body = missing.length === 0 ? { status: 'ready' } : { status: 'not ready', missing }
      },
    },
  ]
}
