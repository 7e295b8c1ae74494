/** Websites with a few responses, and an import of one. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TestService } from '../support/service.js'
import { type Content, contentOf, ended, type Import, newSpace, serve, type Web } from './story-support.js'

export type Answer = (request: IncomingMessage, response: ServerResponse, origin: string) => void
export const html = (title: string, body: string, head = ''): string =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title>${head}</head><body><main><h1>${title}</h1>${body}</main></body></html>`
export const page =
  (title: string, body: string, head = ''): Answer =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end(html(title, body, head))
export const text =
  (body: string | Buffer, type = 'text/plain', status = 200): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body)
export const to =
  (location: string, status = 302): Answer =>
  (_, response) =>
    void response.writeHead(status, { location }).end()

export interface Case {
  answers: Record<string, Answer>
  else?: Answer
  path?: string
  source?: string
  refused?: RegExp
  has?: string[]
  not?: string[]
  lists?: string[]
  check?: (seen: { over: Import; content: Content; web: Web }) => void
}

export const good = page('Good', '<p>goodword</p>')

export async function play(
  here: TestService,
  one: Case,
  query = '',
): Promise<{ status: number; message: string; space: string; over: Import | null; content: Content; web: Web }> {
  const web = await serve((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '')
    const answer = one.answers[path] ?? one.else
    const origin = `http://${request.headers.host}`
    if (answer && !(path === '/robots.txt' && one.answers[path] === undefined)) answer(request, response, origin)
    else response.writeHead(404).end()
  })
  try {
    const space = await newSpace(here)
    const { status, body } = await here.admin.call('post', `/v1/spaces/${space}/content/import`, {
      url: web.origin + (one.path ?? '/') + query,
      source: one.source ?? 'website',
    })
    const over = body.import ? await ended(here.admin, space, body.import) : null
    return { status, message: body.error?.message ?? '', space, over, content: await contentOf(here, space), web }
  } finally {
    await web.close()
  }
}
