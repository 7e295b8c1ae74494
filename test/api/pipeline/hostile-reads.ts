import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { copyFolder } from '../../support/folder-bytes.js'
import { startService, type TestService } from '../../support/service.js'
import { comparable, header, type Read, read, readAnew, type WireResponse } from './both-ways.js'
import type { Space, World } from './hostile-steps.js'

// The reads after each step, and the checks on their responses.

export interface Asked {
  path: string
  who: 'admin' | 'reader' | 'nobody'
  method: 'GET' | 'HEAD'
  headers: Record<string, string>
}

/** Requests for everything that a space has or had. Their order is stable, so that requests repeat. */
function pathsOf({ id, pages, paths, files, reusable, requests, heads }: Space): string[] {
  const url = `/v1/spaces/${id}`
  const places = [
    `${url}/content`,
    ...requests.map((number) => `${url}/change-requests/${number}/content`),
    ...heads.slice(-3).map((head) => `${url}/revisions/${head}`),
  ]
  const ids = [...pages]
  return places.flatMap((place, index) => [
    place,
    `${place}/pages`,
    `${place}/pages?metadata=false`,
    `${place}/files`,
    ...(index === 0 ? ids : ids.slice(0, 6)).flatMap((page) => [
      `${place}/page/${page}`,
      `${place}/page/${page}?format=document`,
    ]),
    ...(index === 0 ? [...ids, ...ids.slice(0, 3)] : []).map(
      (page, at) =>
        `${place}/page/${page}?${['metadata=false', 'computed=false', 'evaluated=true', 'format=document&evaluated=true', 'evaluated=false&format=markdown'][at % 5]}`,
    ),
    ...[...paths]
      .slice(0, index === 0 ? 12 : 2)
      .map((path, at) => `${place}/path/${at % 2 === 0 ? path : encodeURIComponent(path)}`),
    ...(index === 0 ? [...files].slice(0, 2).map((file) => `${place}/files/${file}`) : []),
    ...[...reusable]
      .slice(0, 2)
      .flatMap((one) => [`${place}/reusable-contents/${one}`, `${place}/reusable-contents/${one}?format=document`]),
    ...(index === 0
      ? ids.slice(0, 2).flatMap((page) => [`${place}/page/${page}/links`, `${place}/page/${page}/backlinks`])
      : []),
  ])
}

const VARIANTS: readonly Partial<Asked>[] = [
  {},
  {},
  {},
  {},
  { who: 'reader' },
  { headers: { 'accept-encoding': 'gzip' } },
  { method: 'HEAD' },
  { headers: { origin: 'https://else.example' } },
  { who: 'nobody' },
]

/** Returns some of the requests: always those for the first pages, others at random. */
export function someOf(world: World, share: number): Asked[] {
  return world.spaces.flatMap((space) =>
    pathsOf(space).flatMap((path, index) => {
      if (index > 9 && world.next(share) > 0) return []
      return [
        {
          path,
          who: 'admin' as const,
          method: 'GET' as const,
          headers: {},
          ...(index > 8 ? VARIANTS[index % VARIANTS.length] : {}),
        },
      ]
    }),
  )
}

const readOf = (world: World, { path, who, method, headers }: Asked, url = world.here.url): Read => ({
  url,
  path,
  method,
  headers,
  token: who === 'admin' ? world.here.admin.token : who === 'reader' ? world.readerToken.secret : null,
})

let fresh = 0

/** Returns the response without the parts that depend on the notation of its URL. */
const withoutTag = (response: WireResponse) => {
  const { status, headers, body } = comparable(response)
  return {
    status,
    headers: headers.map((value, index) => (headers[index - 1] === 'ETag' ? '(of its own)' : value)),
    body,
  }
}

/**
 * The response must equal the one for the same URL with additional empty parameters, which no one has requested
 * before. Cached bodies are shared by ETag, so a body that was renewed wrongly would also be sent to a client whose
 * response is not cached.
 */
export async function sameAsFresh(response: WireResponse, asked: Read): Promise<void> {
  const { path } = asked
  const other = `${path}${path.includes('?') ? '&' : '?'}${'&'.repeat(++fresh % 1000)}`
  const there = await readAnew({ ...asked, path: other })
  assert.equal(
    withoutTag(response),
    withoutTag(there),
    `${asked.method ?? 'GET'} ${path} ${JSON.stringify(asked.headers ?? {})}`,
  )
}

/** The ETags that a request has had. */
// Bounded by the requests of a story.
const tags = new Map<string, string[]>()

/**
 * Reads with the cache, and again without it. Now and then it also sends earlier ETags. Returns the cached response.
 */
export async function readBothWays(world: World, asked: readonly Asked[]): Promise<WireResponse[]> {
  const responses: WireResponse[] = []
  // Read all cacheable responses first. A computed response would prepare the data for the next ones.
  for (const one of asked) responses.push(await read(readOf(world, one)))
  for (const [index, one] of asked.entries()) {
    const kept = responses[index] as WireResponse
    await sameAsFresh(kept, readOf(world, one))
    if (world.next(4) === 0)
      assert.equal(
        comparable(kept),
        comparable(await readAnew(readOf(world, one))),
        `${one.method} ${one.path} ${one.who}`,
      )
    const [tag, key] = [header(kept, 'etag'), JSON.stringify(one)]
    const earlier = tags.get(key) ?? []
    if (tag !== undefined && !earlier.includes(tag)) tags.set(key, [...earlier, tag])
    if (earlier.length === 0 || world.next(4) > 0) continue
    const sent = world.next(2) === 0 ? earlier.slice(-1) : earlier.slice(0, 5)
    const conditional = { ...one, headers: { ...one.headers, 'if-none-match': sent.join(', ') } }
    const { status } = await read(readOf(world, conditional))
    // The ETag of a compressed response has a suffix, which the compressor knows and the validator does not.
    const expected = kept.status !== 200 ? kept.status : sent.includes(tag as string) ? 304 : 200
    assert.is(status, expected, `${one.method} ${one.path} with ${sent}, which is ${tag}`)
  }
  return responses
}

/**
 * A service that starts on a copy of the current disk, as if the other one had been killed. It uses the same URLs.
 * @param forgets whether it starts without the cached pages on disk
 */
export async function startOnCopy(world: World, forgets: boolean): Promise<TestService> {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-copy-'))
  for (const part of ['data', 'repos']) await copyFolder(join(world.here.dir, part), join(dir, part))
  if (forgets)
    for (const name of await readdir(join(dir, 'data')))
      if (name.startsWith('facts.db')) await rm(join(dir, 'data', name))
  const copy = await startService({ dir, overrides: { clock: world.clock } })
  copy.service.app.settings.publicUrl = world.here.service.app.settings.publicUrl
  return copy
}

/** Compares the service with a new one that only has the data on disk. */
export async function readOnCopy(
  world: World,
  asked: readonly Asked[],
  responses: readonly WireResponse[],
  forgets: boolean,
): Promise<void> {
  const copy = await startOnCopy(world, forgets)
  try {
    for (const [index, one] of asked.entries()) {
      const there = await read(readOf(world, one, copy.url))
      assert.equal(
        comparable(responses[index] as WireResponse),
        comparable(there),
        `after a start ${one.method} ${one.path} ${one.who} ${JSON.stringify(one.headers)}`,
      )
    }
  } finally {
    await copy.close()
  }
}
