// Receives request bodies that are not needed, so that their senders can read the response.
import type { IncomingMessage } from 'node:http'

/**
 * Maximum number of unneeded bytes to receive and discard. It exceeds the limit of any body and costs no memory.
 * If the connection closed instead, the sender could not read the response.
 */
const TAKEN_BYTES = 32 * 1024 * 1024
const TAKEN_MS = 5_000

/** Receives the rest of a body after the response was sent. Closes the connection if that takes too long. */
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
