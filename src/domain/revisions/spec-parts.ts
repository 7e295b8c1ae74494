/** Finds the parts of specifications that blocks of pages refer to. */
import type { NamedPart } from '../../content/specs/named-part.js'
import { TextTooCostly } from '../../content/work/text-work.js'
import { openApiSpecs, type OpenApiVersionDoc, type PartIndex, type PartPlace } from '../../model/index.js'
import type { App } from '../context/app.js'
import { partIndexOf, readParts } from '../openapi/parts.js'
import { findSpecAt, type Moment } from '../openapi/spec-at.js'

/** Positions of parts by the names that blocks use. */
type Places = ReadonlyMap<string, PartPlace>
const known = new WeakMap<PartIndex, Places>()

function placesOf(index: PartIndex): Places {
  const before = known.get(index)
  if (before) return before
  const places = new Map<string, PartPlace>()
  for (const one of index.schemas) places.set(`schema ${one.name}`, one)
  for (const one of index.webhooks) places.set(`webhook ${one.method} ${one.name}`, one)
  for (const one of index.operations) places.set(`operation ${one.method} ${one.path}`, one)
  known.set(index, places)
  return places
}

const keysOf = (part: NamedPart): string[] =>
  part.kind === 'schemas'
    ? part.names.map((name) => `schema ${name}`)
    : [part.kind === 'webhook' ? `webhook ${part.method} ${part.name}` : `operation ${part.method} ${part.path}`]

/** Returns the version of the specification that a block refers to. Null if it has none. */
async function versionOf(
  app: App,
  organization: string,
  part: NamedPart,
  moment: Moment,
): Promise<OpenApiVersionDoc | null> {
  const slug = 'slug' in part ? part.slug : await slugOf(app, organization, part.url)
  return slug === null ? null : ((await findSpecAt(app, organization, slug, moment))?.version ?? null)
}

async function slugOf(app: App, organization: string, url: string): Promise<string | null> {
  const all = await app.store.find(openApiSpecs, 'organization', organization)
  return all.find(({ source }) => 'url' in source && source.url === url)?.slug ?? null
}

/** A part of a specification: as markdown, and in its stored form, the JSON of `ShownOperation` or `ShownModel`. */
interface ReadPart {
  text: string
  shown: string[]
}

/** Returns the part that a block refers to, at a moment. Null if there is no such part, or it is too costly to print. */
export async function readPart(
  app: App,
  owner: string,
  organization: string,
  part: NamedPart,
  moment: Moment,
): Promise<ReadPart | null> {
  const version = await versionOf(app, organization, part, moment)
  const index = version && (await partIndexOf(app, version))
  if (!version || !index) return null
  const places = keysOf(part).flatMap((key) => placesOf(index).get(key) ?? [])
  const parts = places.length === 0 ? null : await readParts(app, version.parts, places)
  if (!parts) return null
  try {
    const texts: string[] = []
    for (const [at, { shown }] of parts.entries())
      texts.push(Buffer.from(await app.texts.bytes(owner, 'specPart', [shown], places[at]?.hash)).toString())
    return { text: texts.join('\n'), shown: parts.map(({ shown }) => shown) }
  } catch (error) {
    if (error instanceof TextTooCostly) return null
    throw error
  }
}

/**
 * Whether the organization has a specification, and its newest version the part. A specification without a version may
 * have any part.
 * @param part absent = the specification itself
 */
export async function hasPart(
  app: App,
  organization: string,
  slug: string,
  part: NamedPart | undefined,
): Promise<boolean> {
  const found = await findSpecAt(app, organization, slug, null)
  if (!found) return false
  if (!part || !found.version) return true
  const index = await partIndexOf(app, found.version)
  return index === null || isLeftOut(index, part) || keysOf(part).every((key) => placesOf(index).has(key))
}

/** Whether the part may be one of those that were left out of the index for lack of room. */
const isLeftOut = ({ left }: PartIndex, { kind }: NamedPart): boolean =>
  (kind === 'operation' ? left.operations : kind === 'webhook' ? left.webhooks : left.schemas) > 0
