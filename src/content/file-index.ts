import type { Diagnostic } from '../kernel/diagnostic.js'
import { decodePercent, folderOf, isBelow, isHidden, isMarkdown, keyBelow, normalizePath } from './paths.js'
import { isFile } from './read-file.js'
import type { ReaderEntry } from './types.js'
import { sortOutUnfit } from './unfit-names.js'

/** The files below the effective root, and what a target written in a page or table of contents means among them. */
export class FileIndex {
  /** Paths from the repository's root, in Git's order. */
  readonly paths: string[]
  /** One per file whose name is unfit for a page: it is left out of `paths`. */
  readonly unfit: readonly Diagnostic[]
  readonly #set: Set<string>

  constructor(
    readonly root: string,
    entries: readonly ReaderEntry[],
  ) {
    const { fit, diagnostics } = sortOutUnfit(entries.filter((entry) => isFile(entry) && isBelow(root, entry.path)).map((entry) => entry.path))
    this.paths = fit
    this.unfit = diagnostics
    this.#set = new Set(this.paths)
  }

  has(path: string): boolean {
    return this.#set.has(path)
  }

  /** Markdown files that can be pages: not hidden, not the table of contents itself. */
  markdown(summary: string): string[] {
    return this.paths.filter((path) => isMarkdown(path) && path !== summary && !isHidden(keyBelow(this.root, path)))
  }

  find(target: string, from: string): string | null {
    return findTarget(target, from, this.root, (path) => this.#set.has(path))
  }

  /** One diagnostic per file whose path differs from an earlier one's by case alone. */
  caseCollisions(): Diagnostic[] {
    const seen = new Map<string, string>()
    const found: Diagnostic[] = []
    for (const path of this.paths) {
      const folded = path.toLowerCase()
      const first = seen.get(folded)
      if (first === undefined) seen.set(folded, path)
      else
        found.push({
          code: 'case-collision',
          message: `${path} differs from ${first} by case alone: many computers can hold only one of them. Rename one.`,
          file: path,
        })
    }
    return found
  }
}

/**
 * The file that a target without anchor names, written in a file of the folder `from`: percent-decoded first, then as
 * it stands; the file itself, the name without `.md`, a folder's README. A leading slash means the effective root.
 * null where there is none.
 */
export function findTarget(target: string, from: string, root: string, exists: (path: string) => boolean): string | null {
  const decoded = decodePercent(target)
  for (const spelling of decoded === null || decoded === target ? [target] : [decoded, target]) {
    const path = normalizePath(spelling, spelling.startsWith('/') ? root : from)
    if (path === null) continue
    for (const form of compositions(path)) {
      if (form !== '' && !spelling.endsWith('/') && exists(form)) return form
      if (form !== '' && exists(`${form}.md`)) return `${form}.md`
      const below = form === '' ? '' : `${form}/`
      for (const name of ['README.md', 'readme.md', 'Readme.md']) if (exists(below + name)) return below + name
    }
  }
  return null
}

/** Longer ones are tried as they are written, and in one composition as a whole. */
const MAX_COMPOSITIONS = 64

/** A path as it is written, then with each of its names composed otherwise: some systems write `é` as two characters, and nobody sees it. */
function compositions(path: string): string[] {
  if (!/[^\0-\x7f]/.test(path)) return [path]
  let found = ['']
  for (const [depth, name] of path.split('/').entries()) {
    const forms = [...new Set([name, name.normalize('NFC'), name.normalize('NFD')])]
    found = found.flatMap((before) => forms.map((form) => (depth === 0 ? form : `${before}/${form}`)))
    if (found.length > MAX_COMPOSITIONS) return [...new Set([path, path.normalize('NFC'), path.normalize('NFD')])]
  }
  return found
}

/** Folders that hold one of `paths`, with all folders above them up to the effective root. */
export function foldersOf(root: string, paths: readonly string[]): Map<string, string[]> {
  const children = new Map<string, string[]>([[root, []]])
  const open = (folder: string): string[] => {
    const missing: string[] = []
    for (let at = folder; !children.has(at); at = folderOf(at)) missing.push(at)
    for (const at of missing.reverse()) {
      children.get(folderOf(at))?.push(at)
      children.set(at, [])
    }
    return children.get(folder) ?? []
  }
  for (const path of paths) open(folderOf(path)).push(path)
  return children
}
