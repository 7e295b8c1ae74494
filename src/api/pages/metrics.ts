/** Serves `/metrics` to monitoring systems and decides who may read it. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { ServiceError } from '../../kernel/errors.js'
import type { Metrics } from '../pipeline/metrics.js'
import type { Page } from '../pipeline/page.js'

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

interface Gate {
  publicUrl: string | null
  trustProxy: number
  metricsToken: string | null
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Whether the request comes from this machine. Behind a local proxy all callers use loopback, so a configured or
 * detected proxy disables this check.
 */
const isLocal = (ctx: Context, gate: Gate): boolean =>
  gate.publicUrl === null &&
  gate.trustProxy === 0 &&
  LOOPBACK.test(ctx.req.socket.remoteAddress ?? '') &&
  FORWARDING.every((name) => ctx.req.headers[name] === undefined)

function hasToken(ctx: Context, token: string | null): boolean {
  const given = /^bearer +(\S+)$/i.exec(ctx.req.headers.authorization ?? '')?.[1]
  return token !== null && given !== undefined && timingSafeEqual(digest(given), digest(token))
}

/** Returns the page `/metrics`: for callers on this machine or with the configured token. Others get 404. */
export function metricsPage(metrics: Metrics, gate: Gate): Page {
  return {
    path: '/metrics',
    operation: 'metrics',
    serve: async (ctx) => {
      if (!isLocal(ctx, gate) && !hasToken(ctx, gate.metricsToken))
        throw new ServiceError('not-found', 'This path does not exist, or you may not see it.')
      const { contentType, text } = await metrics.render()
      ctx.set('Cache-Control', 'no-store')
      ctx.set('Content-Type', contentType)
      ctx.body = text
    },
  }
}
