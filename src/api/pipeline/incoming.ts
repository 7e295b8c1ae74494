// Receives request bodies. A body must keep a minimum pace and stay within its size limit.
import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import type { Share } from './byte-budget.js'

/** The minimum pace of a body. */
export interface Pace {
  /** Milliseconds before the pace is checked. */
  graceMs: number
  /** Average number of bytes per second. */
  bytesPerSecond: number
}

const BODY_PACE: Pace = { graceMs: 20_000, bytesPerSecond: 4 * 1024 }
const LOOK_MS = 5_000

/** The limits for an incoming body. */
interface Incoming {
  /** Maximum number of bytes; `tooLarge` is thrown above it. */
  limit: number
  tooLarge: () => Error
  share: Share
}

const tooSlow = ({ graceMs, bytesPerSecond }: Pace): ServiceError =>
  new ServiceError(
    'request-timeout',
    `The body arrives too slowly. After ${graceMs / 1000} s, send at least ${bytesPerSecond} bytes per second.`,
  )
const endedEarly = (): ServiceError => badRequest('The body ended before its announced length. Send the request again.')

/**
 * Declared here so that its closure holds no references. Next to `take`, it would keep all received bytes alive until
 * the request ends.
 */
const ignore = (): void => {}

/**
 * Passes the bytes of a body to `take` as they arrive, within limit, budget and pace. Resolves at the end of the body.
 * Rejects with the error of `take` or of a limit, and then stops receiving. Throws 400 if the body ends early, 408,
 * 413, 429, 503.
 */
export function receive(
  { req, res }: Pick<Context, 'req' | 'res'>,
  { limit, tooLarge, share }: Incoming,
  take: (bytes: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (Number(req.headers['content-length'] ?? 0) > limit) return reject(tooLarge())
    // Sent this late so that callers who may not send a body learn it before they send one.
    if (req.headers.expect !== undefined) res.writeContinue()
    const began = Date.now()
    let received = 0
    const look = setInterval(() => {
      const elapsed = Date.now() - began
      if (elapsed > BODY_PACE.graceMs && received < (elapsed / 1000) * BODY_PACE.bytesPerSecond)
        settle(tooSlow(BODY_PACE))
    }, LOOK_MS)
    const onData = (bytes: Buffer): void => {
      received += bytes.length
      try {
        if (received > limit) throw tooLarge()
        share.take(bytes.length)
        take(bytes)
      } catch (error) {
        settle(error)
      }
    }
    const onEnd = (): void => settle(null)
    const onClose = (): void => settle(endedEarly())
    const settle = (error: unknown): void => {
      clearInterval(look)
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      // A later error is irrelevant and must not end the process.
      req.on('error', ignore)
      if (error === null) resolve()
      else {
        req.pause()
        reject(error)
      }
    }
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

/**
 * Yields the pieces of a body as they arrive, and pauses while the consumer is busy. Only time spent waiting for the
 * client counts toward the pace.
 * Throws 400 if the body ends early, 408.
 */
export async function* paced(body: Readable, pace: Pace = BODY_PACE): AsyncGenerator<Buffer> {
  // bound: one piece of the stream, which is paused until the consumer asks for another
  const pieces: Buffer[] = []
  let ending: 'whole' | 'early' | null = null
  let wake = (): void => {}
  const onData = (bytes: Buffer): void => {
    pieces.push(bytes)
    body.pause()
    wake()
  }
  const onEnd = (): void => {
    ending ??= 'whole'
    wake()
  }
  const onClose = (): void => {
    ending ??= 'early'
    wake()
  }
  const arrived = (waitMs: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, waitMs))
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  body.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  let received = 0
  let waitedMs = 0
  try {
    for (;;) {
      const piece = pieces.shift()
      if (piece) {
        received += piece.length
        yield piece
        continue
      }
      if (ending === 'early' || (ending === null && body.destroyed)) throw endedEarly()
      if (ending === 'whole') return
      const began = performance.now()
      const next = arrived(Math.max(pace.graceMs, (received / pace.bytesPerSecond) * 1000) - waitedMs)
      body.resume()
      await next
      waitedMs += performance.now() - began
      if (pieces.length === 0 && ending === null) throw tooSlow(pace)
    }
  } finally {
    body.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
    body.on('error', ignore)
  }
}
