/** Decides which links have to change when files move. */
import { resolveReference } from '../resolve-reference.js'
import type { ContentStructure, Symlinks } from '../types.js'
import { relativeTarget, renamedTarget } from './rewrite-references.js'

/** The files and pages before and after a move. */
export class MovedLinks {
  readonly #after: ContentStructure
  readonly #arrived: ReadonlySet<string>

  /**
   * @param paths all files before the move
   * @param moved new path by old path
   */
  constructor(
    private readonly structure: ContentStructure,
    private readonly paths: ReadonlySet<string>,
    private readonly moved: ReadonlyMap<string, string>,
  ) {
    this.#arrived = new Set(moved.values())
    const byGitPath = new Map(
      [...structure.byGitPath].map(([path, entry]) => [this.#now(path), { ...entry, gitPath: this.#now(path) }]),
    )
    this.#after = { ...structure, byGitPath, symlinks: this.#unmovedLinks() }
  }

  /** Returns names to search for. A text without any of them contains no link that has to change. */
  names(): Iterable<string> {
    return [...this.moved.keys(), ...this.#arrived, ...this.structure.symlinks.keys()]
  }

  /**
   * Returns the new target of a link in the file `path` (before the move). Returns null if the link still points to the
   * same file, or to none.
   */
  next(path: string, target: string): string | null {
    const named = this.#before(path, target)
    if (named === null) return null
    const [from, to] = [this.#now(path), this.#now(named)]
    if (this.#leads(target, from, to)) return null
    const { root } = this.structure.config
    const kept = renamedTarget(target, named, { from, to, root })
    return this.#leads(kept, from, to) ? kept : relativeTarget(from, to) + (/[?#].*$/s.exec(target)?.[0] ?? '')
  }

  /** Returns the file that a target points to before the move. A link with a page ID never changes. */
  #before(path: string, target: string): string | null {
    const id = /^\/pages\/([^/?#]+)/.exec(target)?.[1]
    if (id !== undefined && this.structure.byId.has(id)) return null
    const exists = (one: string): boolean => this.paths.has(one) && !this.structure.symlinks.has(one)
    const resolved = resolveReference(target, path, this.structure, exists)
    return 'gitPath' in resolved && resolved.kind !== 'anchor' ? resolved.gitPath : null
  }

  #leads(target: string, from: string, to: string): boolean {
    const exists = (path: string): boolean =>
      this.#arrived.has(path) || (this.paths.has(path) && !this.moved.has(path) && !this.structure.symlinks.has(path))
    const resolved = resolveReference(target, from, this.#after, exists)
    return 'gitPath' in resolved && resolved.kind !== 'anchor' && resolved.gitPath === to
  }

  #now(path: string): string {
    return this.moved.get(path) ?? path
  }

  /**
   * Returns the symbolic links that still point to the same file or folder. Links through other symbolic links will
   * point to the file itself.
   */
  #unmovedLinks(): Symlinks {
    if (this.structure.symlinks.size === 0) return this.structure.symlinks
    const touched = new Set<string>()
    for (const path of this.moved.keys())
      for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) touched.add(path.slice(0, end))
    return new Map(
      [...this.structure.symlinks].filter(([link, real]) => !touched.has(link) && real !== null && !touched.has(real)),
    )
  }
}
