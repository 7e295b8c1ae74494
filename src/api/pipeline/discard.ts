import type { IncomingMessage } from 'node:http'

/**
 * Of a body that nobody wants so much is still taken in and thrown away, so that its sender reads the answer instead of a broken
 * connection: more than any body may have. It costs no memory.
 */
const TAKEN_BYTES = 32 * 1024 * 1024
const TAKEN_MS = 5_000

/** Takes in the rest of a request that is answered before its body came to its end, and cuts the connection where that is long. */
export function discardRest(req: IncomingMessage): void {
  if (req.complete || req.destroyed) return
  let left = TAKEN_BYTES
  const cut = (): void => void req.destroy()
  const timer = setTimeout(cut, TAKEN_MS)
  req.on('error', () => {})
  req.on('data', (bytes: Buffer) => {
    left -= bytes.length
    if (left < 0) cut()
  })
  req.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
  req.resume()
}
