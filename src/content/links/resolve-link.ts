/** Resolves a reference on a page to its target. */
import { findLike } from '../file-index.js'
import type { Reference } from '../reference.js'
import { decodePercent, folderOf, pathOutside } from '../paths.js'
import { resolveReference } from '../resolve-reference.js'
import type { Submodules } from '../submodules.js'
import type { ContentStructure } from '../types.js'
import { readTarget } from '../specs/named-part.js'
import { MAX_TARGET_LENGTH, type LinkSource, type LinkTarget, type Problem } from './link.js'

/** The result of resolving a reference, before anchors are looked up. */
type Resolution =
  | { to: LinkTarget; fragment?: string }
  | { problem: Problem; to?: LinkTarget; like?: string }
  /** An address that may belong to this service. The caller decides what it may see of the target. */
  | { origin: string; to: LinkTarget }

/** The context in which links are resolved. */
export interface LinkContext {
  structure: ContentStructure
  /** Whether the repository has a file at a path. */
  exists: (gitPath: string) => boolean
  submodules: Submodules
  /** The repository's files by the lower-case form of their paths. */
  folded: ReadonlyMap<string, string>
  /** IDs of reusable content by file. */
  reusable: ReadonlyMap<string, string>
}

type ReferenceTarget = Pick<Reference, 'kind' | 'target'>

/** A path on this service: `/spaces/<id>` with an optional rest. */
export const SPACE_PATH = /^\/(?:v1\/)?spaces\/([\w-]{1,64})(?=[/?#]|$)/
const ORIGIN = /^https?:\/\/[^/?#\\\s]+/i
/** Expressions of the format and of other template languages. Their values are unknown at this point. */
const EXPRESSION = /\{[{%]/

/** Resolves one reference of a source. Returns null if it is not a link (images written as `data:`). */
export function resolveLink(
  { kind, target }: ReferenceTarget,
  source: LinkSource,
  context: LinkContext,
): Resolution | null {
  const { structure, exists, reusable, submodules } = context
  if (kind === 'specification') return specification(target)
  const text = target.trim()
  if (/^data:/i.test(text)) return null
  if (EXPRESSION.test(text)) return url(text)
  const named = resolveReference(text, source.gitPath, structure, exists)
  switch (named.kind) {
    case 'page':
      return { to: { kind: 'page', id: named.entry.id, gitPath: named.gitPath }, ...fragmentOf(named.anchor) }
    case 'anchor': {
      const page = structure.byGitPath.get(named.gitPath)
      if (page && source.kind === 'page')
        return { to: { kind: 'page', id: page.id, gitPath: page.gitPath }, ...fragmentOf(named.anchor) }
      // The page that includes this content may have the anchor.
      return source.kind === 'reusable-content'
        ? { to: { kind: 'reusable-content', id: source.id } }
        : { problem: 'missing' }
    }
    case 'file': {
      const id = reusable.get(named.gitPath)
      return id === undefined
        ? { to: { kind: 'file', gitPath: named.gitPath }, ...fragmentOf(named.anchor) }
        : { to: { kind: 'reusable-content', id } }
    }
    case 'broken':
      if (SPACE_PATH.test(text)) return { origin: '', ...url(text) }
      if (submodules.contain(text, source.gitPath, structure.config.root)) return { problem: 'submodule' }
      return (
        byId(text, structure) ??
        outside(text, source.gitPath) ??
        (/^\/?broken/.test(text) ? { problem: 'deleted' } : missing(text, source.gitPath, context))
      )
    default: {
      const origin = originOf(named.url)
      return origin === null ? url(named.url) : { origin, ...url(named.url) }
    }
  }
}

/** Resolves a target outside of the repository. Whether the remote has that file is unknown at this point. */
function outside(text: string, from: string): Resolution | null {
  const end = text.search(/[?#]/)
  const written = end < 0 ? text : text.slice(0, end)
  const path = pathOutside(decodePercent(written) ?? written, folderOf(from))
  if (path === null || path.length > MAX_TARGET_LENGTH) return null
  return { to: { kind: 'outside', path, rest: text.slice(written.length, MAX_TARGET_LENGTH) }, problem: 'outside' }
}

/** Returns a missing target, with the file that it would refer to if case did not matter. */
function missing(text: string, from: string, { structure, folded }: LinkContext): Resolution {
  const like = findLike(text.replace(/[?#].*$/s, ''), folderOf(from), structure.config.root, folded)
  return { problem: 'missing', ...(like === null ? {} : { like }) }
}

function specification(target: string): Resolution | null {
  const named = readTarget(target)
  return named && { to: { kind: 'openapi', spec: named.slug, ...(named.part ? { part: named.part } : {}) } }
}

/**
 * Returns the address that a reference points to, and its origin. Returns null if it is neither an http address nor a
 * path such as `/spaces/<id>`.
 */
export function linkedAddress({ target }: ReferenceTarget): { origin: string; target: string } | null {
  const text = target.trim()
  if (EXPRESSION.test(text)) return null
  const origin = SPACE_PATH.test(text) ? '' : originOf(text)
  return origin === null ? null : { origin, target: text.slice(0, MAX_TARGET_LENGTH) }
}

const originOf = (address: string): string | null => ORIGIN.exec(address)?.[0].toLowerCase() ?? null

const url = (address: string): { to: LinkTarget } => ({ to: { kind: 'url', url: address.slice(0, MAX_TARGET_LENGTH) } })
const fragmentOf = (fragment: string | undefined): { fragment?: string } => (fragment ? { fragment } : {})

/** Resolves `/pages/<id>` for a page without a file, such as a group or a link. */
function byId(text: string, structure: ContentStructure): Resolution | null {
  const id = /^\/pages\/([^/?#]+)\/?$/.exec(text)?.[1]
  const entry = id === undefined ? undefined : structure.byId.get(id)
  return entry ? { to: { kind: 'page', id: entry.id, gitPath: null } } : null
}
