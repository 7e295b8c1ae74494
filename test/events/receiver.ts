import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  headers: IncomingHttpHeaders
  body: string
  json: {
    id: string
    sequence: number
    type: string
    subject: Record<string, string>
    data: Record<string, unknown>
    actor?: string
  }
}

/** A real webhook endpoint that records its requests and responds as configured. */
export interface Receiver {
  url: string
  got: Received[]
  /** Sequences in the order of arrival. */
  sequences(): number[]
  /** Sets its response from now on. The default is 200. */
  respond: (res: ServerResponse, received: Received) => void
  /** Resolves when this many requests have arrived in total. */
  until(count: number): Promise<Received[]>
  close(): void
}

/** Starts a receiver on a free port of 127.0.0.1. */
export async function startReceiver(): Promise<Receiver> {
  const got: Received[] = []
  let waiting: { count: number; done: () => void }[] = []
  const receiver: Receiver = {
    url: '',
    got,
    sequences: () => got.map(({ json }) => json.sequence),
    respond: (res) => res.writeHead(200).end(),
    until: (count) =>
      new Promise((done) => {
        waiting.push({ count, done: () => done(got) })
        settle()
      }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  const settle = (): void => {
    for (const one of waiting) if (got.length >= one.count) one.done()
    waiting = waiting.filter(({ count }) => got.length < count)
  }
  const server: Server = createServer((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (text: string) => (body += text))
    req.on('end', () => {
      const received = { headers: req.headers, body, json: JSON.parse(body) }
      got.push(received)
      receiver.respond(res, received)
      settle()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}
