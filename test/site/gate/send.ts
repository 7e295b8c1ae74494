/** The requests of a combination, as a visitor sends them to one of the addresses of a site. */
import { unzip } from '../unzip.js'
import type { Place, Spelling } from './addresses.js'
import { type Asked, ask, type Told } from './ask.js'
import type { Here } from './build.js'
import type { Remembered } from './judge.js'
import type { Reach, View } from './oracle.js'
import type { Request } from './outputs.js'
import { addressOfTools, headersOf, previewPath, type Visitor } from './visitors.js'
import type { Site, World } from './world.js'

export interface Situation {
  here: Here
  world: World
  remembered: Remembered
  /** Addresses below a site that responses contained, and ETags by request. */
  seen: { site: Site; path: string }[]
  tags: Map<string, Set<string>>
  requests: number
}

export interface Combination {
  site: Site
  visitor: Visitor
  view: View
  reach: ReadonlyMap<string, Reach>
  place: Place
  request: Request
  spelling: Spelling
}

/** The `Host` header of a request whose target is a whole address. */
const ELSEWHERE = 'elsewhere.example.org'
const pathAt = ({ prefix }: Place, below: string): string => (below === '' ? prefix || '/' : `${prefix}/${below}`)

export function askedOf(world: World, one: Combination, place: Place = one.place): Asked {
  const { site, visitor, request } = one
  const isDirect = request.path === '~mcp' && visitor.way === 'address' && visitor.preview === 'none'
  const way = visitor.way === 'address' ? 'cookie' : visitor.way
  const shown: Visitor = isDirect ? { ...visitor, key: 'none', token: 'none' } : visitor
  const credentials = headersOf(world, site, shown, way)
  const path = isDirect ? addressOfTools(world, site, visitor) : request.path
  return {
    path: (place.target ?? '') + pathAt(place, `${previewPath(world, site, visitor)}${path}`),
    method: request.method ?? 'GET',
    headers: { Host: place.target === undefined ? place.host : ELSEWHERE, ...credentials, ...request.headers },
    ...(request.body === undefined ? {} : { body: request.body }),
  }
}

/** Maximum number of requests until a file is ready. */
const MAX_ASKED = 3_000

/** Sends a request, and waits until a file is ready. The text of an archive is that of its files. */
export async function send(situation: Situation, asked: Asked): Promise<Told> {
  situation.requests++
  for (let times = 0; ; times++) {
    const told = await ask(situation.here.port, asked)
    const isArchive = told.status === 200 && told.headers['content-disposition']?.includes('.zip')
    if (isArchive && told.body.length > 0) return { ...told, text: await textOfArchive(told.body) }
    if (told.status !== 202 || told.headers['retry-after'] === undefined || times === MAX_ASKED) return told
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Returns the names and texts of the files in an archive that differ from site to site. */
async function textOfArchive(archive: Buffer): Promise<string> {
  const files = [...(await unzip(archive))].filter(([name]) => !/^~assets\/(?!search-)/.test(name))
  return files.map(([name, bytes]) => `${name}\n${bytes}`).join('\n')
}
