/** A small website that a test serves: pages by path, and a record of the requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answer = string | { status?: number; headers?: Record<string, string>; body?: string | Uint8Array }
type Page = Answer | ((request: IncomingMessage, response: ServerResponse) => Answer | null)

export interface Website {
  url: string
  /** By path, without the query. A function that returns null sends its own response. */
  pages: Map<string, Page>
  /** Responds to unknown paths. The default is a 404. */
  otherwise: Page
  /** Paths with queries, in order of arrival. */
  requests: string[]
  agents: Set<string>
  close(): Promise<void>
}

/** A whole HTML page with navigation around its content. */
export const page = (title: string, content: string, head = ''): string =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${title} | Site</title>${head}</head><body><nav><a href="/">NAVIGATION</a></nav>` +
  `<main><h1>${title}</h1>${content}</main><footer>FOOTER</footer></body></html>`

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

export async function startWebsite(pages: Record<string, Page> = {}): Promise<Website> {
  const site: Omit<Website, 'url' | 'close'> = {
    pages: new Map(Object.entries(pages)),
    otherwise: { status: 404, body: 'no such page' },
    requests: [],
    agents: new Set(),
  }
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').replace(/\?.*$/, '')
    site.requests.push(request.url ?? '')
    site.agents.add(String(request.headers['user-agent']))
    const found = site.pages.get(path) ?? site.otherwise
    const answer = typeof found === 'function' ? found(request, response) : found
    if (answer === null) return
    const { status = 200, headers = {}, body = '' } = typeof answer === 'string' ? { body: answer } : answer
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return Object.assign(site, {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  })
}
