/** A LibreTranslate server that applies ROT13, records the texts it receives, and can be set to fail. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { turned } from './marked.js'

const LANGUAGES = ['en', 'fr', 'es', 'de', 'it']

/** The response for one HTML text: letters outside of elements and references are rotated. */
export const answer = (html: string): string =>
  html.replace(
    /(<[^>]*>|&[a-z0-9#]+;)|([^<&]+)/gi,
    (_, kept: string | undefined, text: string | undefined) => kept ?? turned(text ?? ''),
  )

export interface TurningEngine {
  url: string
  /** Every text that was sent, in order. */
  sent: string[]
  /** The responses for the next texts, or null for correct ones. Throwing a number responds with this status. */
  mischief: ((texts: string[]) => unknown) | null
  close(): Promise<unknown>
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return pieces.length === 0 ? {} : (JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>)
}

const send = (response: ServerResponse, status: number, body: unknown, headers = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

export async function turningEngine(): Promise<TurningEngine> {
  const server = createServer(async (request, response) => {
    if (request.url === '/languages')
      return send(
        response,
        200,
        LANGUAGES.map((code) => ({ code, name: code, targets: LANGUAGES })),
      )
    const { q } = await bodyOf(request)
    const texts = [q].flat() as string[]
    here.sent.push(...texts)
    try {
      const answers = here.mischief === null ? texts.map(answer) : here.mischief(texts)
      send(response, 200, { translatedText: typeof q === 'string' && Array.isArray(answers) ? answers[0] : answers })
    } catch (thrown) {
      if (typeof thrown !== 'number') throw thrown
      send(response, thrown, { error: 'this is refused' }, { 'retry-after': '0' })
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const here: TurningEngine = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: [],
    mischief: null,
    close: () => new Promise((done) => server.close(done)),
  }
  return here
}
