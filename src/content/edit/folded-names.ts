/** Names that file systems do not distinguish, and the lookup of paths by them. */
import { eachInSlices } from '../../kernel/slices.js'

/**
 * Folds names that some file systems do not distinguish (they differ only in case or in Unicode normalization) to one
 * form.
 */
const fold = (path: string): string => (/[^\0-\x7f]/.test(path) ? path.normalize('NFC') : path).toLowerCase()

/** Whether some file systems do not distinguish two paths. */
export const isSameName = (one: string, other: string): boolean => fold(one) === fold(other)

/**
 * The paths that are taken, and the folders above them. The cost of a lookup does not depend on the number of paths.
 */
export class FoldedNames {
  /** The number of files at or below each folded path. */
  readonly #counts = new Map<string, number>()

  /** Counts the paths in slices, because there may be a hundred thousand. */
  static async of(paths: Iterable<string>): Promise<FoldedNames> {
    const names = new FoldedNames()
    await eachInSlices(paths, (path) => names.add(path))
    return names
  }

  /** Whether a file exists at or below the path, or at a path that some file systems do not distinguish from it. */
  has(path: string): boolean {
    return this.#counts.has(fold(path))
  }

  add(path: string): void {
    this.#count(path, 1)
  }

  remove(path: string): void {
    this.#count(path, -1)
  }

  /** Returns the first of `paths` that conflicts with `path`, as `has` defines it. */
  static find(paths: Iterable<string>, path: string): string | null {
    const folded = fold(path)
    for (const one of paths) {
      const name = fold(one)
      if (name === folded || name.startsWith(`${folded}/`)) return one
    }
    return null
  }

  #count(path: string, by: 1 | -1): void {
    for (let name = fold(path); ; name = name.slice(0, name.lastIndexOf('/'))) {
      const count = (this.#counts.get(name) ?? 0) + by
      if (count > 0) this.#counts.set(name, count)
      else this.#counts.delete(name)
      if (!name.includes('/')) return
    }
  }
}
