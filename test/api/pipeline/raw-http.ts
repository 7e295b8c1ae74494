import { connect, type Socket } from 'node:net'

/** A connection on which a test sends arbitrary bytes. */
export interface RawConnection {
  socket: Socket
  send(text: string | Buffer): void
  /** Everything that was received until the peer closed or the text matched. */
  received(until?: RegExp): Promise<string>
  close(): void
}

export function openRaw(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    let over = false
    const waiting = new Set<() => void>()
    const tell = (): void => {
      for (const one of waiting) one()
    }
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      tell()
    })
    socket.on('close', () => {
      over = true
      tell()
    })
    socket.once('error', reject)
    socket.once('connect', () => {
      // These tests are about peers that disconnect.
      socket.off('error', reject).on('error', () => {})
      resolve({
        socket,
        send: (bytes) => void (socket.destroyed || socket.write(bytes)),
        received: (until) =>
          new Promise((done) => {
            const look = (): void => {
              if (!over && !(until?.test(text) ?? false)) return
              waiting.delete(look)
              done(text)
            }
            waiting.add(look)
            look()
          }),
        close: () => void socket.destroy(),
      })
    })
  })
}

/** The head of a request with a JSON body of the given length, and the first bytes of the body. */
export const head = (method: string, path: string, length: number, headers: Record<string, string> = {}): string =>
  `${method} ${path} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${Object.entries(
    headers,
  )
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
