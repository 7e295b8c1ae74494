/** Finds the part of an OpenAPI specification that a block refers to. */
import { parseAttributes } from '../blocks/attributes.js'

/** The tags of blocks that refer to parts of specifications. */
const PART_TAGS = ['openapi-operation', 'openapi-webhook', 'openapi-schemas', 'openapi', 'swagger'] as const
type PartTag = (typeof PART_TAGS)[number]
const isPartTag = (name: string): name is PartTag => PART_TAGS.some((tag) => tag === name)

/** A specification, by its slug or by its source URL, and the part of it that is named. */
export type NamedPart = ({ slug: string } | { url: string }) &
  (
    | { kind: 'operation'; method: string; path: string }
    | { kind: 'webhook'; method: string; name: string }
    | { kind: 'schemas'; names: string[] }
  )

/** Maximum number of schemas in one block. */
const MAX_NAMES = 50
const SCHEME = 'openapi:'

/** Returns the part that a tag refers to; null if it is another tag or an attribute is missing. */
export function readNamedPart(tag: string, body: string): NamedPart | null {
  return readNamedPartOf(tag, parseAttributes(body).named)
}

/** Returns the part that a tag with these attributes refers to, like `readNamedPart`. */
export function readNamedPartOf(tag: string, named: Readonly<Record<string, string | boolean>>): NamedPart | null {
  if (!isPartTag(tag)) return null
  const attribute = (name: string): string => {
    const value = named[name]
    return typeof value === 'string' ? value.trim() : ''
  }
  const spec = tag === 'openapi' || tag === 'swagger' ? { url: attribute('src') } : { slug: attribute('spec') }
  if (Object.values(spec)[0] === '') return null
  const method = attribute('method').toUpperCase()
  if (tag === 'openapi-schemas') {
    const names = namesIn(attribute('schemas'))
    return names.length === 0 ? null : { ...spec, kind: 'schemas', names }
  }
  if (method === '') return null
  if (tag === 'openapi-webhook')
    return attribute('name') === '' ? null : { ...spec, kind: 'webhook', method, name: attribute('name') }
  return attribute('path') === '' ? null : { ...spec, kind: 'operation', method, path: attribute('path') }
}

const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .slice(0, MAX_NAMES)

/** Returns the reference target of a block that names a part and the slug of its specification. */
export function targetOf(part: NamedPart): string {
  const slug = 'slug' in part ? part.slug : part.url
  if (part.kind === 'schemas') return `${SCHEME}${slug} schemas ${part.names.join(',')}`
  return `${SCHEME}${slug} ${part.kind} ${part.method} ${part.kind === 'webhook' ? part.name : part.path}`
}

/** Returns the slug and the part in a target from `targetOf`; null for other targets. */
export function readTarget(target: string): { slug: string; part: NamedPart | null } | null {
  const [, slug, rest = ''] = /^openapi:(\S*)(?: (.*))?$/s.exec(target) ?? []
  if (slug === undefined) return null
  const [, kind, named = ''] = /^(\w+) (.*)$/s.exec(rest) ?? []
  if (kind === 'schemas') return { slug, part: { slug, kind, names: namesIn(named) } }
  const [, method, name] = /^(\S+) (.*)$/s.exec(named) ?? []
  if (method === undefined || name === undefined) return { slug, part: null }
  if (kind === 'operation') return { slug, part: { slug, kind, method, path: name } }
  return { slug, part: kind === 'webhook' ? { slug, kind, method, name } : null }
}
