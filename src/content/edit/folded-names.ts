import { eachInSlices } from '../../kernel/slices.js'

/** Maps names to one form if some file systems do not distinguish them: they differ only in case or in Unicode normalization. */
const fold = (path: string): string => (/[^\0-\x7f]/.test(path) ? path.normalize('NFC') : path).toLowerCase()

/** The paths, and the folders above them, that are taken. A lookup costs the same for any number of paths. */
export class FoldedNames {
  /** The number of files at or below each folded path. */
  readonly #counts = new Map<string, number>()

  /** Counts the paths in slices: there may be a hundred thousand. */
  static async of(paths: Iterable<string>): Promise<FoldedNames> {
    const names = new FoldedNames()
    await eachInSlices(paths, (path) => names.add(path))
    return names
  }

  /** Whether there is a file at the path or below it, or at a path that some systems do not distinguish from it. */
  has(path: string): boolean {
    return this.#counts.has(fold(path))
  }

  add(path: string): void {
    this.#count(path, 1)
  }

  remove(path: string): void {
    this.#count(path, -1)
  }

  /** The first of `paths` that takes `path`, as `has` defines it. */
  static find(paths: Iterable<string>, path: string): string | null {
    const wanted = fold(path)
    for (const one of paths) {
      const name = fold(one)
      if (name === wanted || name.startsWith(`${wanted}/`)) return one
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
