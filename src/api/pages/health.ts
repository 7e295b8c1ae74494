// Serves the health pages, which show whether the service is alive and ready.
import type { Context } from 'koa'
import type { Page } from '../pipeline/page.js'

/**
 * Returns the health pages. `/healthz` responds if the process runs. `/readyz` is 200 if the service is ready, else 503
 * with the missing conditions. `warnings` are conditions that an operator should change before requests fail.
 */
export function healthPages(
  {
    ready,
    warnings = async () => [],
  }: {
    ready: () => readonly string[] | Promise<readonly string[]>
    warnings?: (() => Promise<readonly string[]>) | undefined
  },
  stopping: () => boolean,
): Page[] {
  return [
    {
      path: '/healthz',
      operation: 'healthz',
      serve: (ctx) => {
        ctx.set('Cache-Control', 'no-store')
        // `bindery doctor` compares it with the address of the client, to find wrong settings of proxies.
        ctx.set('X-Client-Address', ctx.ip)
        sendState(ctx, { status: 'ok' })
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
        const warned = await warnings()
        sendState(ctx, {
          ...(missing.length === 0 ? { status: 'ready' } : { status: 'not ready', missing }),
          ...(warned.length === 0 ? {} : { warnings: warned }),
        })
      },
    },
  ]
}

/** Sends JSON as text. For an object, Koa loads the Fetch API of Node, which delays the first response by 100 ms. */
function sendState(ctx: Context, state: object): void {
  ctx.type = 'application/json'
  ctx.body = JSON.stringify(state)
}
