/**
 * Shared helpers for stories of imports: a web server, an import from its request to its end, and the content as
 * plain Git shows it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, posix } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { git, gitBytes } from '../support/hermetic-git.js'
import type { Caller, TestService } from '../support/service.js'

export interface Web {
  origin: string
  /** Paths with their queries, in the order of the requests. */
  requests: string[]
  close(): Promise<void>
}

/** Starts a web server on a free port. */
export async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<Web> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    handle(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

/** The import's document, as the API shows it. */
export interface Import {
  id: string
  state: 'queued' | 'running' | 'completed' | 'failed'
  stage: string
  importedResources: number
  totalResources: number
  failures: { resource: string; reason: string }[]
  moreFailures?: number
  revision?: string
  error?: string
}

/** Requests an import. Returns its document, running or finished. */
export async function ask(caller: Caller, at: string, body: { url: string; source: string }): Promise<Import> {
  const response = await caller.call('post', `${at}/import`, body)
  const address = response.headers.location as string | undefined
  assert.ok(address, `a request to import was refused: ${response.status} ${JSON.stringify(response.body)}`)
  return (await caller.call('get', new URL(address as string, 'http://here').pathname).expect(200)).body
}

/** Polls until the import is finished. */
export async function ended(caller: Caller, space: string, id: string): Promise<Import> {
  for (;;) {
    const { body } = await caller.call('get', `/v1/spaces/${space}/content/imports/${id}`).expect(200)
    if (body.state === 'completed' || body.state === 'failed') return body
    await sleep(30)
  }
}

export async function importAll(
  here: TestService,
  space: string,
  body: { url: string; source: string },
): Promise<Import> {
  const { id } = await ask(here.admin, `/v1/spaces/${space}/content`, body)
  return ended(here.admin, space, id)
}

export const newSpace = async (here: TestService): Promise<string> =>
  (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Imported' }).expect(201)).body.id

/** A branch of a space as plain Git reads it. */
export class Content {
  constructor(
    readonly commits: number,
    readonly files: ReadonlyMap<string, Buffer>,
  ) {}

  /** Pages and the table of contents. File names are those of Git. */
  texts(): [string, string][] {
    return [...this.files]
      .filter(([path]) => path.endsWith('.md'))
      .map(([path, bytes]) => [path, bytes.toString('utf8')])
  }

  /** Returns the only page that contains a word. The word must appear once. */
  fileOf(word: string, told = word): string {
    const at = this.texts().flatMap(([path, text]) =>
      Array.from({ length: path === 'SUMMARY.md' ? 0 : text.split(word).length - 1 }, () => path),
    )
    assert.is(at.length, 1, `${told} is there ${at.length} times: ${at.join(', ')}`)
    return at[0] as string
  }

  has(word: string): boolean {
    return this.texts().some(([, text]) => text.includes(word))
  }

  /** Returns the target of the link or picture with a text: a path in the repository with its fragment, or a URL. */
  targetOf(word: string): string {
    const file = this.fileOf(word)
    const text = this.files.get(file)?.toString('utf8') as string
    const at = text.indexOf(word)
    const [, angled, plain] =
      /^[^\]\n]*\]\((?:<([^>\n]*)>|((?:\\.|[^\s()\\]|\([^\s()]*\))*))/.exec(text.slice(at)) ?? []
    const href = (angled ?? plain)?.replace(/\\(.)/g, '$1')
    assert.ok(href !== undefined, `${word} is no link in ${file}: ${text.slice(Math.max(0, at - 80), at + 120)}`)
    if (/^([a-z][a-z0-9+.-]*:|#)/i.test(href as string)) return href as string
    const [path = '', ...parts] = (href as string).split('#')
    return [posix.join(posix.dirname(file), decodeURIComponent(path)), ...parts].join('#')
  }
}

export async function contentOf(here: TestService, space: string, ref = 'refs/heads/main'): Promise<Content> {
  const repository = join(here.dir, 'repos', `${space}.git`)
  const commits = Number(await git(repository, ['rev-list', '--count', ref]))
  const names = (await gitBytes(repository, ['ls-tree', '-r', '-z', '--full-tree', ref]))
    .toString('utf8')
    .split('\0')
    .filter(Boolean)
  const entries = names.map((line) => /^\S+ \S+ (\S+)\t(.*)$/s.exec(line)?.slice(1) as [string, string])
  const all = await gitBytes(repository, ['cat-file', '--batch'], `${entries.map(([oid]) => oid).join('\n')}\n`)
  const files = new Map<string, Buffer>()
  let at = 0
  for (const [, path] of entries) {
    const end = all.indexOf(10, at)
    const size = Number(all.subarray(at, end).toString().split(' ')[2])
    files.set(path, all.subarray(end + 1, end + 1 + size))
    at = end + 1 + size + 1
  }
  return new Content(commits, files)
}

/** Returns the visible text of a block tree, with single spaces. */
export function textOf(tree: unknown): string {
  const parts: string[] = []
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) look(one)
    else if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value)) {
        if (key === 'text' && typeof one === 'string') parts.push(one)
        else look(one)
      }
  }
  look(tree)
  return parts.join('').replace(/\s+/g, ' ')
}

const table = Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
  return c >>> 0
})
export const crc32 = (bytes: Buffer): number => {
  let c = 0xffffffff
  for (const byte of bytes) c = (table[(c ^ byte) & 255] as number) ^ (c >>> 8)
  return (c ^ 0xffffffff) >>> 0
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
/** A picture of one pixel that differs from all others. */
export function picture(word: string): Buffer {
  const data = Buffer.from(`tEXtName\0${word}`)
  const chunk = Buffer.alloc(data.length + 8)
  chunk.writeUInt32BE(data.length - 4, 0)
  data.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(data), data.length + 4)
  return Buffer.concat([PIXEL.subarray(0, -12), chunk, PIXEL.subarray(-12)])
}
