// Indexes the files of a revision, to find the file that a link refers to.
import type { Diagnostic } from '../kernel/diagnostic.js'
import { eachInSlices } from '../kernel/slices.js'
import { decodePercent, folderOf, isBelow, isHidden, isMarkdown, keyBelow, normalizePath } from './paths.js'
import { isFile } from './read-file.js'
import type { ReaderEntry, Symlinks } from './types.js'
import { SUBMODULE_ADVICE, Submodules } from './submodules.js'
import { firstLinkOn, throughLinks } from './symlinks.js'
import { MAX_PATH_BYTES, nameFault } from '../kernel/file-names.js'

/**
 * Returns the reason why the file at `path` can be neither a page nor a link target; null if it can. Such a file stays
 * in the repository but is not shown.
 */
function reasonAgainst(path: string): string | null {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `has a path longer than ${MAX_PATH_BYTES} bytes`
  for (const name of path.split('/')) {
    const fault = nameFault(name)
    if (fault !== null) return `has ${fault} in its name`
  }
  return null
}

/** Returns the diagnostic for a file whose path cannot be used; null if it can be used. */
function unfitName(path: string): Diagnostic | null {
  const reason = reasonAgainst(path)
  if (reason === null) return null
  const shown = JSON.stringify([...path].slice(0, 300).join(''))
  return {
    code: 'unsupported-entry',
    message: `The file ${shown} ${reason}, so it is not shown. Rename it in Git.`,
    file: path,
  }
}

/** Targets that differ from the path of their file below a folder: percent-encoded, or with empty or dot segments. */
const NOT_PLAIN = /%|(?:^|\/)\.{0,2}(?:\/|$)/

/** The files below the effective root. Finds the file that a target in a page or table of contents refers to. */
export class FileIndex {
  /** Paths from the repository's root, in Git's order. */
  readonly paths: string[]
  /** A diagnostic for each file whose name cannot be used. Such files are not in `paths`. */
  readonly unfit: readonly Diagnostic[]
  readonly submodules: Submodules
  /** A diagnostic for each file whose path differs from an earlier one only in case. */
  readonly caseCollisions: readonly Diagnostic[]
  readonly #set: ReadonlySet<string>
  /** The first path with each lower-case form. */
  readonly #folded: ReadonlyMap<string, string>
  readonly #pages: readonly string[]
  /** The MDX files, which are programs and not shown. */
  readonly #programs: readonly string[]

  private constructor(
    readonly root: string,
    entries: readonly ReaderEntry[],
    private readonly symlinks: Symlinks,
    found: FoundFiles,
  ) {
    this.paths = found.paths
    this.unfit = found.unfit
    this.caseCollisions = found.caseCollisions
    this.#set = found.set
    this.#folded = found.folded
    this.#pages = found.pages
    this.#programs = found.programs
    this.submodules = new Submodules(entries)
  }

  /** Indexes the files of a revision in slices, because there may be a hundred thousand. */
  static async of(root: string, entries: readonly ReaderEntry[], symlinks: Symlinks): Promise<FileIndex> {
    const found = new FoundFiles()
    await eachInSlices(entries, (entry) => {
      if (isFile(entry) && isBelow(root, entry.path)) found.add(entry.path, isHidden(keyBelow(root, entry.path)))
    })
    return new FileIndex(root, entries, symlinks, found)
  }

  has(path: string): boolean {
    return this.#set.has(path)
  }

  /** Returns the markdown files that can be pages: all that are neither hidden nor the table of contents. */
  markdown(summary: string): string[] {
    return this.#pages.filter((path) => path !== summary)
  }

  find(target: string, from: string): string | null {
    // Targets are usually paths of files, which `findTarget` tries first.
    const plain = NOT_PLAIN.test(target) ? null : from === '' ? target : `${from}/${target}`
    if (plain !== null && this.#set.has(plain)) return plain
    return findTarget(
      target,
      from,
      this.root,
      withLinks(this.symlinks, (path) => this.#set.has(path)),
    )
  }

  /** Returns the reason why a target refers to no file, and how to fix it, as the end of a sentence. */
  faultOf(target: string, from: string): string {
    const named = target.replace(/[?#].*$/s, '')
    if (this.submodules.contain(named, `${from}/.`, this.root)) return `${SUBMODULE_ADVICE}.`
    const link = findTarget(named, from, this.root, (path) => firstLinkOn(this.symlinks, path) ?? false)
    if (link !== null)
      return `goes through the symbolic link ${link}, which does not point to a file below the root of the pages. Replace the link with the file itself.`
    const like = findLike(named, from, this.root, this.#folded)
    if (like !== null)
      return `is not a file of this repository. ${like} differs only in case: correct the entry, or rename the file.`
    return 'is not a file of this repository. Add the file, or correct the entry.'
  }

  /** Returns one diagnostic for all MDX files. */
  withComponents(): Diagnostic[] {
    const matches = this.#programs
    const [file] = matches
    if (file === undefined) return []
    const [what, them] =
      matches.length === 1
        ? ['1 .mdx file, which is not', 'it']
        : [`${matches.length} .mdx files, which are not`, 'them']
    return [
      {
        code: 'unlisted',
        message: `The repository has ${what} shown, because MDX needs a build. Save ${them} as .md to publish ${them}.`,
        file,
      },
    ]
  }
}

/** Sorts the files of a revision into pages, programs and files with a problem. */
class FoundFiles {
  readonly paths: string[] = []
  readonly unfit: Diagnostic[] = []
  readonly caseCollisions: Diagnostic[] = []
  readonly set = new Set<string>()
  readonly folded = new Map<string, string>()
  readonly pages: string[] = []
  readonly programs: string[] = []

  add(path: string, hidden: boolean): void {
    const problem = unfitName(path)
    if (problem) {
      this.unfit.push(problem)
      return
    }
    this.paths.push(path)
    this.set.add(path)
    this.#fold(path)
    if (hidden) return
    if (isMarkdown(path)) this.pages.push(path)
    else if (/\.mdx$/i.test(path)) this.programs.push(path)
  }

  #fold(path: string): void {
    const folded = path.toLowerCase()
    const first = this.folded.get(folded)
    if (first === undefined) this.folded.set(folded, path)
    else
      this.caseCollisions.push({
        code: 'case-collision',
        message: `${path} differs from ${first} only in case. Many computers can store only one of them. Rename one.`,
        file: path,
      })
  }
}

/** Files that can be named by their folder. mdBook also builds index.html from `index.md`. */
const FOLDER_PAGES = ['README.md', 'readme.md', 'Readme.md', 'index.md']

/** Returns whether a file exists at a path. For a path through a symbolic link, returns the path of the file itself. */
type Exists = (path: string) => boolean | string

/** Looks for files at a path, then through symbolic links. */
export const withLinks =
  (symlinks: Symlinks, exists: (path: string) => boolean): Exists =>
  (path) => {
    if (exists(path)) return true
    const real = throughLinks(symlinks, path)
    return real !== null && exists(real) ? real : false
  }

/**
 * Finds the file that a target without anchor refers to, relative to the folder `from` (with a leading slash: to the
 * effective root). Returns null if there is none. Tries the target percent-decoded, then as written. For each, tries
 * the file itself, with `.md` added, and the README or `index.md` of that folder.
 */
export function findTarget(target: string, from: string, root: string, exists: Exists): string | null {
  const fileAt = (path: string): string | null => {
    const there = exists(path)
    return there === true ? path : there || null
  }
  const decoded = decodePercent(target)
  for (const spelling of decoded === null || decoded === target ? [target] : [decoded, target]) {
    const path = normalizePath(spelling, spelling.startsWith('/') ? root : from)
    if (path === null) continue
    for (const form of compositions(path)) {
      const below = form === '' ? '' : `${form}/`
      const file = form === '' ? [] : [...(spelling.endsWith('/') ? [] : [form]), `${form}.md`]
      for (const candidate of [...file, ...FOLDER_PAGES.map((name) => below + name)]) {
        const matches = fileAt(candidate)
        if (matches !== null) return matches
      }
    }
  }
  return null
}

/**
 * Finds the file that a target without anchor would refer to if case did not matter. Returns null if there is none.
 * @param folded each path of the repository by its lower-case form
 */
export const findLike = (
  target: string,
  from: string,
  root: string,
  folded: ReadonlyMap<string, string>,
): string | null => findTarget(target, from, root, (path) => folded.get(path.toLowerCase()) ?? false)

/** Maximum number of combinations for the names of a path. If there are more, all names are normalized the same way. */
const MAX_COMPOSITIONS = 64

/**
 * Returns a path as written, then with each of its names in NFC and NFD. Some systems write `é` as two characters,
 * which look the same.
 */
function compositions(path: string): string[] {
  if (!/[^\0-\x7f]/.test(path)) return [path]
  let matches = ['']
  for (const [depth, name] of path.split('/').entries()) {
    const forms = [...new Set([name, name.normalize('NFC'), name.normalize('NFD')])]
    matches = matches.flatMap((before) => forms.map((form) => (depth === 0 ? form : `${before}/${form}`)))
    if (matches.length > MAX_COMPOSITIONS) return [...new Set([path, path.normalize('NFC'), path.normalize('NFD')])]
  }
  return matches
}

/** Returns the children of each folder that contains one of `paths`, up to the effective root. */
export async function foldersOf(root: string, paths: readonly string[]): Promise<Map<string, string[]>> {
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
  await eachInSlices(paths, (path) => void open(folderOf(path)).push(path))
  return children
}
