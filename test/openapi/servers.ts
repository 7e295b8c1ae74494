/** A web server that serves the files of a test and counts requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../support/service.js'

export type Answer = string | ((req: IncomingMessage, res: ServerResponse) => void)

export interface FileServer {
  url: string
  /** Path → text (with an ETag derived from it), or a function that responds. */
  files: Map<string, Answer>
  /** List of `path status`, without methods. */
  asked: string[]
  close(): Promise<void>
}

export async function serveFiles(): Promise<FileServer> {
  const files = new Map<string, Answer>()
  const asked: string[] = []
  const server = createServer((req, res) => {
    const path = req.url ?? ''
    res.on('finish', () => asked.push(`${path} ${res.statusCode}`))
    const answer = files.get(path)
    if (answer === undefined) return void res.writeHead(404).end('none')
    if (typeof answer === 'function') return answer(req, res)
    const etag = `"${Buffer.from(answer).length}-${[...answer].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) >>> 0, 7)}"`
    if (req.headers['if-none-match'] === etag) return void res.writeHead(304, { etag }).end()
    res.writeHead(200, { etag, 'content-type': 'text/plain' }).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** The specification once it is processed. */
export async function processed(
  caller: Caller,
  path: string,
): Promise<
  Record<string, unknown> & {
    lastProcessError?: { message: string }
    lastProcessErrorCode?: string
    lastVersion?: string
  }
> {
  for (;;) {
    const { body } = await caller.call('get', path).expect(200)
    if (body.processingState === 'complete') return body
    await sleep(50)
  }
}

/** A small specification: one operation, one schema. */
export const spec = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets/{id}': {
      get: {
        operationId: 'getPet',
        tags: ['pets'],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          '200': {
            description: 'A pet.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: { Pet: { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } } } },
  },
  ...more,
})

/** The same as JSON. */
export const specText = (more: Record<string, unknown> = {}): string => JSON.stringify(spec(more))
