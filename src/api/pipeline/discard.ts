// Receives bodies that nobody wants, so that their senders get to read the response.
import type { IncomingMessage } from 'node:http'

/**
 * Bytes of an unwanted body that are still received and thrown away, so that its sender can read the response instead of
 * getting a broken connection: more than any body may have. It costs no memory.
 */
const TAKEN_BYTES = 32 * 1024 * 1024
const TAKEN_MS = 5_000

/** Receives the rest of a body after the response was sent, and ends the connection if that takes too long. */
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
