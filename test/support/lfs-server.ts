// A stand-in for an LFS server: the batch API, which is mounted next to smart HTTP, and a storage on another origin
// that its responses refer to.
import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The response for an object. Everything else about it is correct. */
export interface ObjectBehaviour {
  /** Error of the batch API. */
  error?: { code: number; message: string }
  /** The action has no `download`. */
  noAction?: boolean
  /** Status of the download. */
  status?: number
  headers?: Record<string, string>
  /** The bytes that the download sends instead. */
  bytes?: Buffer
  /** The download never ends. */
  endless?: boolean
  /** The download starts and then waits. */
  hangs?: boolean
  /** The download is redirected here. */
  redirect?: string
  /** The target of the action, instead of the storage. */
  href?: string
  /** Whether the storage rejects its first address as expired. */
  staleOnce?: boolean
  /** `expires_in` of the action; default 300. */
  expiresIn?: number
}

export interface LfsStandIn {
  /** Status and body of every batch request. It may change between requests. */
  batch: { status?: number; body?: string; headers?: Record<string, string>; redirect?: string }
  /** By hash. */
  objects: Map<string, ObjectBehaviour>
  /** All batch requests: headers and body. */
  batches: {
    path: string
    authorization: string | undefined
    accept: string | undefined
    contentType: string | undefined
    body: Record<string, never>
  }[]
  /** All downloads: path and headers. */
  downloads: { oid: string; authorization: string | undefined; key: string | undefined }[]
  /** Maximum number of concurrent downloads. */
  readonly most: number
  /** Called before each download. */
  onDownload?: (oid: string) => void | Promise<void>
  /** `http://127.0.0.1:<port>` of the storage. */
  storage: string
  /** Adds an object and returns its pointer. */
  put(bytes: Buffer): { oid: string; size: number; pointer: string }
  handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  close(): Promise<void>
}

export const pointerOf = (oid: string, size: number | string): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Starts it. */
export async function startLfs(): Promise<LfsStandIn> {
  const contents = new Map<string, Buffer>()
  /** The keys that the storage accepts, by object. The newest one counts. */
  const keys = new Map<string, string>()
  let active = 0
  let most = 0

  function describe(one: { oid: string; size: number }): object {
    const how = here.objects.get(one.oid) ?? {}
    if (how.error) return { ...one, error: how.error }
    if (!contents.has(one.oid) && how.href === undefined)
      return { ...one, error: { code: 404, message: 'Object does not exist' } }
    if (how.noAction) return one
    const key = randomUUID()
    keys.set(one.oid, how.staleOnce ? 'another' : key)
    if (how.staleOnce) here.objects.set(one.oid, { ...how, staleOnce: false })
    const download = {
      href: how.href ?? `${here.storage}/${one.oid}`,
      header: { 'X-Key': key },
      expires_in: how.expiresIn ?? 300,
    }
    return { ...one, authenticated: true, actions: { download } }
  }

  async function handler(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await bodyOf(request)) || '{}')
    const { authorization, accept, 'content-type': contentType } = request.headers
    here.batches.push({ path: request.url ?? '', authorization, accept, contentType, body })
    const { status = 200, body: text, headers = {}, redirect } = here.batch
    if (redirect !== undefined) return void response.writeHead(307, { location: redirect }).end()
    const said =
      text ??
      JSON.stringify(
        status === 200
          ? { transfer: 'basic', objects: body.objects.map(describe), hash_algo: 'sha256' }
          : { message: 'Refused here' },
      )
    response.writeHead(status, { 'content-type': 'application/vnd.git-lfs+json', ...headers }).end(said)
  }

  async function send(oid: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = request.headers['x-key'] as string | undefined
    here.downloads.push({ oid, authorization: request.headers.authorization, key })
    const how = here.objects.get(oid) ?? {}
    await here.onDownload?.(oid)
    if (how.redirect !== undefined) return void response.writeHead(302, { location: how.redirect }).end()
    if (how.status !== undefined) return void response.writeHead(how.status, how.headers ?? {}).end('no')
    if (how.href === undefined && how.redirect === undefined && keys.get(oid) !== key)
      return void response.writeHead(403).end('expired')
    const bytes = how.bytes ?? contents.get(oid) ?? Buffer.from('nothing')
    response.writeHead(200, { 'content-type': 'application/octet-stream' })
    if (how.hangs) return void response.write(bytes.subarray(0, 1))
    if (!how.endless) return void response.end(bytes)
    const more = (): void => void (response.destroyed || response.write(Buffer.alloc(65_536), () => setImmediate(more)))
    more()
  }

  const server = createServer((request, response) => {
    most = Math.max(most, ++active)
    response.once('close', () => active--)
    send((request.url ?? '/').slice(1), request, response).catch(() => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const here: LfsStandIn = {
    batch: {},
    objects: new Map(),
    batches: [],
    downloads: [],
    get most() {
      return most
    },
    storage: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    put(bytes) {
      const oid = createHash('sha256').update(bytes).digest('hex')
      contents.set(oid, bytes)
      return { oid, size: bytes.length, pointer: pointerOf(oid, bytes.length) }
    },
    handler,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
  return here
}
