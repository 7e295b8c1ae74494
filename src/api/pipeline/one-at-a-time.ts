// Serves the requests of one connection in the order of their arrival, even if they arrive together.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { arrivals } from '../../kernel/arrivals.js'

/**
 * Maximum number of requests per connection that may wait for earlier responses. If a client sends more, its connection
 * is closed.
 */
const MAX_AHEAD = 16

type Listener = (req: IncomingMessage, res: ServerResponse) => void

/** The queue of a connection. */
interface Turn {
  busy: boolean
  // bound: MAX_AHEAD
  readonly ahead: (readonly [IncomingMessage, ServerResponse])[]
}

/**
 * Starts the pipelined requests of a connection one after another, each after the previous response was sent
 * completely.
 * Node would start all requests that it has read, hundreds at a time, and hold their responses until their turn.
 */
export function oneAtATime(listener: Listener): Listener {
  // bound: open connections, each with the requests it may send ahead
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
    if (next) {
      arrivals.begin()
      begin(turn, ...next)
    } else turn.busy = false
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
