/** Sends requests of readers byte for byte: no client normalizes the path or follows redirects. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface Asked {
  method?: string
  /** The path and query of the request line. */
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

export interface Told {
  status: number
  headers: IncomingHttpHeaders
  /** The names and values of all headers, in the order of the response. */
  raw: string[]
  body: Buffer
  text: string
}

/**
 * Closes idle connections before the server does. Node ignores how long the server keeps them, and a request on a connection
 * that the server is closing fails with ECONNRESET.
 */
const agent = new Agent({ keepAlive: true, maxSockets: 8, timeout: 5_000 })

/** @param port the port of the server on this machine; the `Host` header is that of the site */
export function ask(port: number, { method = 'GET', path, headers = {}, body }: Asked): Promise<Told> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, hostname: '127.0.0.1', port, method, path, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        const whole = Buffer.concat(parts)
        const { statusCode = 0, headers: names, rawHeaders } = response
        resolve({ status: statusCode, headers: names, raw: rawHeaders, body: whole, text: whole.toString('utf8') })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The headers that do not differ between two requests for the same. */
export function headerLines({ raw }: Told, without: readonly string[] = []): string[] {
  const lines: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase()
    if (!['date', 'x-request-id', 'connection', 'keep-alive', ...without].includes(name))
      lines.push(`${name}: ${raw[at + 1]}`)
  }
  return lines.sort()
}
