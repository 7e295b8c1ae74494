// Receives the bodies of requests: not slower than a pace, and not longer than a limit.
import type { Context } from 'koa'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import type { Share } from './byte-budget.js'

/** A body has so long, in milliseconds; after that it goes on only while it keeps the pace. */
const GRACE_MS = 20_000
/** Bytes per second that a body has to bring, on average. */
const LEAST_PACE = 4 * 1024
const LOOK_MS = 5_000

/** What a body that comes in must keep to. */
interface Incoming {
  /** Bytes it may have; `tooLarge` is thrown for more. */
  limit: number
  tooLarge: () => Error
  share: Share
}

const tooSlow = (): ServiceError =>
  new ServiceError('request-timeout', `The body came too slowly: after ${GRACE_MS / 1000} s, ${LEAST_PACE} bytes a second are expected.`)

/** Made here so that it holds on to nothing: a listener made beside `take` would keep all that was taken for as long as the request is open. */
const ignore = (): void => {}

/**
 * Hands the bytes of a body on as they come, within limit, budget and pace. Resolves at its end; rejects, and takes no more,
 * with what `take` or the limits throw. Throws 400 if it ends early, 408, 413, 429, 503.
 */
export function receive({ req, res }: Pick<Context, 'req' | 'res'>, { limit, tooLarge, share }: Incoming, take: (bytes: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (Number(req.headers['content-length'] ?? 0) > limit) return reject(tooLarge())
    // Only now: callers who may not send a body are told so before they send it.
    if (req.headers.expect !== undefined) res.writeContinue()
    const began = Date.now()
    let received = 0
    const look = setInterval(() => {
      const elapsed = Date.now() - began
      if (elapsed > GRACE_MS && received < (elapsed / 1000) * LEAST_PACE) settle(tooSlow())
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
    const onClose = (): void => settle(badRequest('The body ended before its announced length.'))
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
