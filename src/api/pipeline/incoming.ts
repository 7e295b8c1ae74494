// Receives the bodies of requests: not slower than a pace, and not longer than a limit.
import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import type { Share } from './byte-budget.js'

/** The pace at which a body must arrive. */
export interface Pace {
  /** Milliseconds before the pace counts. */
  graceMs: number
  /** Bytes per second, on average. */
  bytesPerSecond: number
}

const BODY_PACE: Pace = { graceMs: 20_000, bytesPerSecond: 4 * 1024 }
const LOOK_MS = 5_000

/** What a body that comes in must keep to. */
interface Incoming {
  /** Bytes it may have; `tooLarge` is thrown for more. */
  limit: number
  tooLarge: () => Error
  share: Share
}

const tooSlow = ({ graceMs, bytesPerSecond }: Pace): ServiceError =>
  new ServiceError(
    'request-timeout',
    `The body arrives too slowly. After ${graceMs / 1000} s, it must bring ${bytesPerSecond} bytes per second.`,
  )
const endedEarly = (): ServiceError => badRequest('The body ended before its announced length.')

/** Made here so that it holds on to nothing: a listener made beside `take` would keep all that was taken for as long as the request is open. */
const ignore = (): void => {}

/**
 * Hands the bytes of a body on as they come, within limit, budget and pace. Resolves at its end; rejects, and takes no more,
 * with what `take` or the limits throw. Throws 400 if it ends early, 408, 413, 429, 503.
 */
export function receive(
  { req, res }: Pick<Context, 'req' | 'res'>,
  { limit, tooLarge, share }: Incoming,
  take: (bytes: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (Number(req.headers['content-length'] ?? 0) > limit) return reject(tooLarge())
    // Only now: callers who may not send a body are told so before they send it.
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
      // An error that comes after this one is of no interest, and must not end the process.
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
 * Yields the pieces of a body as they arrive, and takes no more of it while the reader is busy. Only the time spent waiting for the client counts for
 * the pace. Throws 400 if the body ends early, 408.
 */
export async function* paced(body: Readable, pace: Pace = BODY_PACE): AsyncGenerator<Buffer> {
  // bound: one piece of the stream; it is paused until the reader wants another one
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
