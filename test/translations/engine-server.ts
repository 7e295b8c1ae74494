/** A web server that implements the protocols of the engines, translates by a rule, and counts requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A response instead of a translation. `null` never responds. */
type Fault = { status: number; headers?: Record<string, string>; body?: string } | null

export interface EngineServer {
  url: string
  /** Every text that was sent for translation, in order. */
  texts: string[]
  /** Every request: method, path, headers and parsed body. */
  requests: { path: string; headers: IncomingMessage['headers']; body: Record<string, unknown> }[]
  /** Used one by one before translation requests are answered. */
  faults: Fault[]
  /** Translates a text. */
  translate: (text: string) => string
  /** The number of translations in a response, by the number of texts in the request. */
  count: (texts: number) => number
  close(): Promise<void>
}

/** Capitalizes words. Markup and character references stay. */
export const capitals = (text: string): string =>
  text.replace(/<[^>]*>|&\w+;|[^<&]+/g, (part) =>
    part.startsWith('<') || /^&\w+;$/.test(part) ? part : part.toUpperCase(),
  )

async function bodyOf(req: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>)
}

export async function serveEngines(): Promise<EngineServer> {
  const here: Omit<EngineServer, 'url' | 'close'> = {
    texts: [],
    requests: [],
    faults: [],
    translate: capitals,
    count: (n) => n,
  }
  const answerTo = (texts: string[]): string[] => {
    here.texts.push(...texts)
    const answers = texts.map((text) => here.translate(text))
    return Array.from({ length: here.count(texts.length) }, (_, n) => answers[n] ?? 'MORE')
  }
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    void bodyOf(req).then((body) => {
      const path = req.url ?? ''
      here.requests.push({ path, headers: req.headers, body })
      const json = (value: unknown): void =>
        void res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      if (path.startsWith('/v2/languages')) return json([{ language: 'EN' }, { language: 'ES' }, { language: 'DE' }])
      if (path === '/v2/glossaries') return json({ glossary_id: 'g-1' })
      if (path === '/languages') return json([{ code: 'en', targets: ['es', 'de'] }])
      const fault = here.faults.length > 0 ? here.faults.shift() : undefined
      if (fault === null) return
      if (fault) return void res.writeHead(fault.status, fault.headers).end(fault.body ?? 'fault')
      if (path === '/v2/translate')
        return json({
          translations: answerTo(body.text as string[]).map((text) => ({ text, detected_source_language: 'EN' })),
        })
      if (path === '/translate') return json({ translatedText: answerTo(body.q as string[]) })
      if (path === '/v1/chat/completions') {
        const messages = body.messages as { content: string }[]
        const { texts } = JSON.parse(messages.at(-1)?.content ?? '{}') as { texts: string[] }
        return json({
          choices: [
            {
              finish_reason: 'stop',
              message: { role: 'assistant', content: JSON.stringify({ translations: answerTo(texts) }) },
            },
          ],
        })
      }
      res.writeHead(404).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(here, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  })
}
