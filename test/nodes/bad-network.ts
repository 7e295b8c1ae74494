/** A TCP proxy that simulates network failures. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * - `pass`: passes everything on.
 * - `drop`: resets all connections, new ones too.
 * - `hang`: keeps connections open but moves nothing. When it passes again, waiting data moves on.
 * - `half-open`: the far end is gone. The near end gets no notice, and never receives data again on this connection or
 * a new one.
 * - `half-open-far`: the near end is reset. The far end gets no notice and keeps its resources for the connection.
 * - `lose-answers`: the data of the client arrives. The connection breaks at the first byte of a response.
 */
export const BAD_WEATHER = ['drop', 'hang', 'half-open', 'half-open-far', 'lose-answers'] as const
export type Weather = 'pass' | (typeof BAD_WEATHER)[number]

export type Target = { port: number } | { path: string }

interface Pair {
  near: Socket
  far: Socket
}

export class BadNetwork {
  readonly port: number
  target: Target | null
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  /** Connection ends whose other end is gone without notice. */
  readonly #left = new Set<Socket>()
  #weather: Weather = 'pass'

  private constructor(server: Server, target: Target | null) {
    this.#server = server
    this.target = target
    this.port = (server.address() as AddressInfo).port
    server.on('connection', (near) => this.#take(near))
  }

  /** Listens on a free port of 127.0.0.1. Without a target, connections are reset. */
  static async to(target: Target | null): Promise<BadNetwork> {
    const server = createServer({ pauseOnConnect: true })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    return new BadNetwork(server, target)
  }

  get weather(): Weather {
    return this.#weather
  }

  /** Changes the mode, for existing and new connections. */
  turn(weather: Weather): void {
    const before = this.#weather
    this.#weather = weather
    for (const pair of this.#pairs) {
      if (weather === 'drop') destroy(pair)
      else if (weather === 'hang') for (const socket of [pair.near, pair.far]) socket.pause()
      else if (weather === 'half-open') this.#leave(pair, pair.near, pair.far)
      else if (weather === 'half-open-far') this.#leave(pair, pair.far, pair.near)
      else if (before === 'hang') for (const socket of [pair.near, pair.far]) socket.resume()
    }
  }

  #leave(pair: Pair, left: Socket, gone: Socket): void {
    this.#pairs.delete(pair)
    gone.removeAllListeners('close').removeAllListeners('end')
    this.#keep(left)
    reset(gone)
  }

  #keep(left: Socket): void {
    left.removeAllListeners('close').removeAllListeners('end').pause()
    this.#left.add(left)
    left.once('close', () => this.#left.delete(left))
  }

  #take(near: Socket): void {
    near.on('error', () => {})
    if (this.#weather === 'drop' || this.#weather === 'half-open-far' || this.target === null) {
      near.resetAndDestroy()
      return
    }
    if (this.#weather === 'half-open') {
      this.#keep(near)
      return
    }
    const far = connect(this.target as { port: number })
    const pair = { near, far }
    this.#pairs.add(pair)
    far.on('error', () => {})
    for (const socket of [near, far]) socket.on('close', () => this.#end(pair))
    near.on('data', (bytes) => pass(bytes, near, far))
    near.on('end', () => far.end())
    far.on('data', (bytes) => (this.#weather === 'lose-answers' ? destroy(pair) : pass(bytes, far, near)))
    far.on('end', () => near.end())
    if (this.#weather === 'hang') {
      near.pause()
      far.pause()
    } else near.resume()
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair)
    destroy(pair)
  }

  close(): void {
    this.turn('drop')
    for (const socket of this.#left) socket.destroy()
    this.#server.close()
  }
}

function pass(bytes: Buffer, from: Socket, to: Socket): void {
  if (to.destroyed || to.write(bytes)) return
  from.pause()
  to.once('drain', () => from.resume())
}

function destroy({ near, far }: Pair): void {
  reset(near)
  far.destroy()
}

/** A Unix domain socket has no resets. */
function reset(socket: Socket): void {
  if (socket.destroyed) return
  if (socket.remotePort === undefined) socket.destroy()
  else socket.resetAndDestroy()
}
