/** Builds all links of a revision from the facts about its files, without their texts. */
import { sortInSteps } from '../../kernel/slices.js'
import { entriesFrom } from '../config.js'
import type { Reference } from '../reference.js'
import type { ContentStructure, PageAttributes, PageEntry } from '../types.js'
import { type Link, MAX_TARGET_LENGTH, type LinkSource, type LinkTarget, linkKey } from './link.js'
import { type LinkContext, resolveLink } from './resolve-link.js'
import { isRecord } from '../../kernel/guards.js'

/** The links of a revision. */
export interface LinkGraph {
  /** Links by the file that contains them, then by `linkKey`. */
  links: readonly Link[]
  /** Links by the ID of their source. */
  bySource: ReadonlyMap<string, readonly Link[]>
  /**
   * Links by target: `page:<id>`, `file:<path>`, `reusable-content:<id>`. All links to specifications are under
   * `SPECIFICATIONS`, and all links out of the repository are under `OUTSIDE`.
   */
  byTarget: ReadonlyMap<string, readonly Link[]>
  /** Links to addresses, by the origin of the address; '' = a path such as `/spaces/<id>`. */
  byOrigin: ReadonlyMap<string, readonly Link[]>
}

/** The facts about a file that its links depend on. */
export interface LinkingFile {
  references: readonly Pick<Reference, 'kind' | 'target'>[]
  attributes: PageAttributes
}

/** A link to an anchor, which must be looked up in the target file. */
interface PendingAnchor {
  link: Link
  gitPath: string
  fragment: string
}

/** The links of a revision whose anchors are not looked up yet. */
export interface UncheckedGraph extends LinkGraph {
  pending: readonly PendingAnchor[]
  /** The included files, by file. */
  includes: ReadonlyMap<string, readonly string[]>
}

/** The kinds of references to something that is shown as a part of the page. */
const PARTS: ReadonlySet<string> = new Set(['include', 'openapi', 'specification'])

/** The key of all links to specifications, in `LinkGraph.byTarget`. */
export const SPECIFICATIONS = 'specifications'

/** The key of all links out of the repository, in `LinkGraph.byTarget`. */
export const OUTSIDE = 'outside'

/** Returns the key of a link target in `LinkGraph.byTarget`; null for targets outside of the space. */
function targetKey(to: LinkTarget): string | null {
  if (to.kind === 'file') return `file:${to.gitPath}`
  return to.kind === 'page' || to.kind === 'reusable-content' ? `${to.kind}:${to.id}` : null
}

/**
 * Resolves the links of all sources. Linear in their number; yields once per source.
 * @param files the facts about each markdown file, by path
 */
export function* buildGraph(
  context: LinkContext,
  files: ReadonlyMap<string, LinkingFile>,
): Generator<void, UncheckedGraph> {
  const collected = new Collector(context)
  for (const { source, named } of yield* allSources(context.structure, files)) {
    collected.add(source, named)
    yield
  }
  return collected.graph()
}

/** A reference, or a target of an entry. */
type SourceReference = { kind: Reference['kind']; target: string; part?: boolean }

/** A source of links, with its references. */
interface Source {
  source: LinkSource
  named: readonly SourceReference[]
}

/** Returns the sources of links in file order, with their references. Yields after each source. */
export function* allSources(
  structure: ContentStructure,
  files: ReadonlyMap<string, LinkingFile>,
): Generator<void, Source[]> {
  const found: Source[] = []
  const file = (kind: LinkSource['kind'], id: string, gitPath: string): void => {
    const { references = [], attributes = {} } = files.get(gitPath) ?? {}
    found.push({ source: { kind, id, gitPath }, named: [...coversOf(attributes), ...references] })
  }
  for (const entry of structure.byId.values()) {
    yield
    if (entry.type === 'document') file('page', entry.id, entry.gitPath)
    else if (entry.type !== 'group')
      found.push({
        source: { kind: 'page', id: entry.id, gitPath: entriesFrom(structure.config) },
        named: ofEntry(entry),
      })
  }
  for (const { id, gitPath } of structure.reusableContents) {
    yield
    file('reusable-content', id, gitPath)
  }
  return yield* sortInSteps(
    found,
    ({ source: a }, { source: b }) => compare(a.gitPath, b.gitPath) || compare(a.id, b.id),
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const coversOf = ({ cover }: PageAttributes): SourceReference[] =>
  [cover?.ref, cover?.refDark].flatMap((target) =>
    target === undefined ? [] : [{ kind: 'image', target, part: true }],
  )

/**
 * Returns the reference of an entry in the table of contents: the target of a link, or the specification of a computed
 * page. A draft has none.
 */
function ofEntry(entry: PageEntry): SourceReference[] {
  if (entry.type === 'link') return entry.href === '' ? [] : [{ kind: 'link', target: entry.href }]
  const spec = entry.type === 'computed' && entry.computed.dependencies.spec
  const ref = isRecord(spec) ? spec.ref : null
  return isRecord(ref) && typeof ref.spec === 'string' ? [{ kind: 'openapi', target: ref.spec, part: true }] : []
}

class Collector {
  readonly #links: Link[] = []
  readonly #bySource = new Map<string, readonly Link[]>()
  readonly #byTarget = new Map<string, Link[]>()
  readonly #byOrigin = new Map<string, Link[]>()
  readonly #pending: PendingAnchor[] = []
  readonly #includes = new Map<string, string[]>()
  readonly #reusablePaths: ReadonlyMap<string, string>

  constructor(private readonly context: LinkContext) {
    this.#reusablePaths = new Map([...context.reusable].map(([path, id]) => [id, path]))
  }

  add(source: LinkSource, named: readonly SourceReference[]): void {
    const own = new Map<string, { link: Link; fragment: string | undefined; origin: string | undefined }>()
    for (const one of named) {
      const resolved =
        source.gitPath === entriesFrom(this.context.structure.config) && one.kind === 'openapi'
          ? spec(one.target)
          : resolveLink(one, source, this.context)
      if (!resolved) continue
      const relation = one.part || PARTS.has(one.kind) ? 'dependsOn' : 'reference'
      const base = { source, relation, target: one.target.slice(0, MAX_TARGET_LENGTH) } as const
      const link: Link =
        'problem' in resolved
          ? { ...base, ...resolved, to: resolved.to ?? null }
          : { ...base, to: resolved.to, problem: null }
      const key = linkKey(link)
      if (own.has(key)) continue
      own.set(key, {
        link,
        fragment: 'fragment' in resolved ? resolved.fragment : undefined,
        origin: 'origin' in resolved ? resolved.origin : undefined,
      })
      const included =
        one.kind === 'include' && link.to?.kind === 'reusable-content' ? this.#reusablePaths.get(link.to.id) : undefined
      if (included !== undefined) push(this.#includes, source.gitPath, included)
    }
    const sorted = [...own].sort(([a], [b]) => compare(a, b)).map(([, one]) => one)
    if (sorted.length === 0) return
    this.#bySource.set(
      source.id,
      sorted.map(({ link }) => link),
    )
    for (const { link, fragment, origin } of sorted) this.#file(link, fragment, origin)
  }

  #file(link: Link, fragment: string | undefined, origin: string | undefined): void {
    this.#links.push(link)
    const key = link.to && targetKey(link.to)
    if (key !== null) push(this.#byTarget, key, link)
    if (link.to?.kind === 'openapi') push(this.#byTarget, SPECIFICATIONS, link)
    if (link.to?.kind === 'outside') push(this.#byTarget, OUTSIDE, link)
    if (origin !== undefined) push(this.#byOrigin, origin, link)
    const gitPath = link.to && 'gitPath' in link.to ? link.to.gitPath : null
    if (fragment !== undefined && gitPath !== null) this.#pending.push({ link, gitPath, fragment })
  }

  graph(): UncheckedGraph {
    return {
      links: this.#links,
      bySource: this.#bySource,
      byTarget: this.#byTarget,
      byOrigin: this.#byOrigin,
      pending: this.#pending,
      includes: this.#includes,
    }
  }
}

const spec = (slug: string) => ({ to: { kind: 'openapi', spec: slug } as const })

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
