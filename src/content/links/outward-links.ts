/** Collects the addresses that the pages of a revision link to. They are used to find links between spaces. */
import type { LinkSource } from './link.js'
import { allSources, type LinkingFile } from './link-graph.js'
import type { ContentStructure } from '../types.js'
import { linkedAddress } from './resolve-link.js'

/** A link to an address. */
export interface OutwardLink {
  source: LinkSource
  target: string
}

/** Links by lower-case origin; '' = paths such as `/spaces/<id>`. */
export type OutwardLinks = ReadonlyMap<string, readonly OutwardLink[]>

/** Collects the links to addresses. Costs much less than `buildGraph`; yields once per source. */
export function* outwardLinks(
  structure: ContentStructure,
  files: ReadonlyMap<string, LinkingFile>,
): Generator<void, OutwardLinks> {
  const found = new Map<string, OutwardLink[]>()
  for (const { source, named } of yield* allSources(structure, files)) {
    const seen = new Set<string>()
    for (const reference of named) {
      const address = linkedAddress(reference)
      if (!address || seen.has(address.target)) continue
      seen.add(address.target)
      const list = found.get(address.origin)
      if (list) list.push({ source, target: address.target })
      else found.set(address.origin, [{ source, target: address.target }])
    }
    yield
  }
  return found
}
