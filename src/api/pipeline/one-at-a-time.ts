// Serves the requests of one connection in the order in which they came, however many it sends at once.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Most requests of one connection that may wait for the responses before them; a client that sends more is cut off. */
const MAX_AHEAD = 16

type Listener = (req: IncomingMessage, res: ServerResponse) => void

/** What a connection is doing. */
interface Turn {
  busy: boolean
  // bound: MAX_AHEAD
  readonly ahead: (readonly [IncomingMessage, ServerResponse])[]
}

/**
 * Requests that a connection sends without waiting for the responses before them (pipelining) are begun one after the other,
 * each once the previous response has been sent completely. Node would begin all that it finds in what it has read, hundreds
 * at a time, and hold every response until its turn.
 */
export function oneAtATime(listener: Listener): Listener {
  // bound: open connections, each with what it may send ahead
  const turns = new WeakMap<Socket, Turn>()

  function begin(turn: Turn, req: IncomingMessage, res: ServerResponse): void {
    turn.busy = true
    res.on('close', sent)
    listener(req, res)
  }

  function sent(this: ServerResponse): void {
    const { socket } = this.req
    const turn = turns.get(socket)
    if (!turn) return
    const next = socket.destroyed ? undefined : turn.ahead.shift()
    if (next) begin(turn, ...next)
    else turn.busy = false
  }

  return (req, res) => {
    const { socket } = req
    let turn = turns.get(socket)
    if (!turn) turns.set(socket, (turn = { busy: false, ahead: [] }))
    if (!turn.busy) begin(turn, req, res)
    else if (turn.ahead.length < MAX_AHEAD) turn.ahead.push([req, res])
    else socket.destroy()
  }
}
