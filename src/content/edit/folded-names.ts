/** Names that are one on some systems: they differ by case or composition alone. */
const fold = (path: string): string => (/[^\0-\x7f]/.test(path) ? path.normalize('NFC') : path).toLowerCase()

/** Which paths, and folders above them, are taken: a look costs the same however many there are. */
export class FoldedNames {
  /** Files at a folded path or below it. */
  readonly #counts = new Map<string, number>()

  constructor(paths: Iterable<string>) {
    for (const path of paths) this.add(path)
  }

  /** Whether a file has the path, one that is the same on some systems, or lies below it. */
  has(path: string): boolean {
    return this.#counts.has(fold(path))
  }

  add(path: string): void {
    this.#count(path, 1)
  }

  remove(path: string): void {
    this.#count(path, -1)
  }

  /** One of `paths` that has the path or lies below it. */
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
