import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Most requests of one connection that may wait for the responses before them; a client that sends more is cut off. */
const MOST_AHEAD = 16

type Listener = (req: IncomingMessage, res: ServerResponse) => void

/**
 * Requests that a connection sends without waiting for the responses before them (pipelining) are begun one after the other,
 * each once the previous response has been sent completely. Node would begin all that it finds in what it has read, hundreds
 * at a time, and hold every response until its turn.
 */
export function oneAtATime(listener: Listener): Listener {
  // bound: open connections, each with what it may send ahead
  const waiting = new WeakMap<Socket, (() => void)[]>()
  return (req, res) => {
    const { socket } = req
    const begin = (): void => {
      res.once('close', () => next(socket))
      listener(req, res)
    }
    const ahead = waiting.get(socket)
    if (!ahead) {
      waiting.set(socket, [])
      begin()
    } else if (ahead.length < MOST_AHEAD) ahead.push(begin)
    else socket.destroy()
  }

  function next(socket: Socket): void {
    const begin = socket.destroyed ? undefined : waiting.get(socket)?.shift()
    if (begin) begin()
    else waiting.delete(socket)
  }
}
