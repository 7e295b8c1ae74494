/** The files of a revision during an edit, with the page structure and the IDs that result from the changes. */
import { eachInSlices, filterInSlices, inSlices, mergeInSteps } from '../../kernel/slices.js'
import { applyChanges, applyInSteps } from '../identity-changes.js'
import { entryOfFile, type IdOverrides, idOf } from '../identity.js'
import { matchStructures, structureKeys } from '../identity-structure.js'
import { kindOfPath, shapedBy } from '../known-files.js'
import { isFile, kindOf, MAX_STRUCTURE_BYTES, readBounded } from '../read-file.js'
import { readStructure } from '../structure.js'
import { decodeText, encodeText, encodingOf, MAX_TEXT_BYTES } from '../text.js'
import { type TextWork, unlessTooCostly } from '../work/text-work.js'
import { ChangeError } from './change-error.js'
import { FoldedNames } from './folded-names.js'
import type { ContentStructure, PlannedChange, ReaderEntry, TreeReader } from '../types.js'
import { defined, required } from '../../kernel/defined.js'

/**
 * A changed path: its new content (a regular file, unless a mode is given), an existing blob, or null if it was
 * removed.
 */
type PathChange = { content: Uint8Array; mode?: string } | { oid: string; mode: string } | null

/**
 * A revision during an edit: its files, the changes so far, and the resulting structure and IDs. Only the inputs of a
 * change are read: changing a page's text reads that one file.
 */
export class Workspace {
  readonly #changes = new Map<string, PathChange>()
  /** All files, sorted by path; null after a change. */
  #entries: Promise<readonly ReaderEntry[]> | null = null
  /** Created on first use, and then kept up to date. */
  #paths: Promise<Set<string>> | null = null
  #names: Promise<FoldedNames> | null = null
  #stale = false
  #structure: ContentStructure
  #overrides: IdOverrides

  constructor(
    private readonly reader: TreeReader,
    structure: ContentStructure,
    overrides: IdOverrides,
    private readonly work: TextWork,
  ) {
    this.#structure = structure
    this.#overrides = overrides
  }

  get overrides(): IdOverrides {
    return this.#overrides
  }

  /** The changed files. */
  changes(): PlannedChange[] {
    return [...this.#changes].map(([path, put]) => (put === null ? { path, delete: true } : { path, ...put }))
  }

  /**
   * Returns the structure with the changes so far.
   * @param sameLines no line of the table of contents was added or removed since the last call
   */
  async structure(sameLines = false): Promise<ContentStructure> {
    if (!this.#stale) return this.#structure
    const before = this.#structure
    let now = await readStructure(this.#asReader(), idOf(this.#overrides), this.work)
    const keys = await structureKeys(now)
    const change = await matchStructures(before, now, sameLines)
    if (change.added.length + change.deleted.length + change.renamed.length > 0) {
      this.#overrides = await inSlices(
        applyInSteps(this.#overrides, change, (kind, key) => keys.has(`${kind}\0${key}`)),
      )
      now = await readStructure(this.#asReader(), idOf(this.#overrides), this.work)
    }
    this.#structure = now
    this.#stale = false
    return now
  }

  /** Whether a file exists at a path. */
  async has(path: string): Promise<boolean> {
    const put = this.#changes.get(path)
    return put === undefined ? (await this.reader.entry(path)) !== null : put !== null
  }

  /**
   * Returns a file that conflicts with the path: at it, below it, or at a path that some file systems do not
   * distinguish from it. Returns null if the path is free.
   */
  async taken(path: string): Promise<string | null> {
    return (await this.isTaken(path)) ? FoldedNames.find(await this.paths(), path) : null
  }

  /** Whether `taken` would return a file, at a cost that does not depend on the number of files. */
  async isTaken(path: string): Promise<boolean> {
    this.#names ??= this.paths().then((paths) => FoldedNames.of(paths))
    return (await this.#names).has(path)
  }

  /** Returns every file's path. */
  paths(): Promise<Set<string>> {
    this.#paths ??= this.#pathsNow()
    return this.#paths
  }

  async #pathsNow(): Promise<Set<string>> {
    const paths = new Set<string>()
    await eachInSlices(await this.#walkNow(), ({ path }) => paths.add(path))
    return paths
  }

  /**
   * Returns the current text of a table of contents or YAML file; null if the file does not exist. Throws `ChangeError`
   * (413) if it is too large.
   */
  async text(path: string): Promise<string | null> {
    const bytes = await this.bytes(path, MAX_STRUCTURE_BYTES)
    if (bytes === 'too-large')
      throw new ChangeError(
        `${path} has more than ${MAX_STRUCTURE_BYTES} bytes, so it cannot be edited here. Shorten it with Git first.`,
        undefined,
        true,
      )
    return bytes === null ? null : decodeText(bytes)
  }

  /** Whether the path is a regular file, as opposed to a symbolic link, a folder or a submodule. */
  async isRegular(path: string): Promise<boolean> {
    const put = this.#changes.get(path)
    if (put === null) return false
    const mode = put ? put.mode : (await this.reader.entry(path))?.mode
    return mode === undefined ? put !== undefined : isFile({ mode })
  }

  /**
   * Returns a file's current bytes, which must not be modified; null if the file does not exist, `too-large` if it has
   * more than `maxBytes`. Throws `ChangeError` if the path is not a regular file: an edit of a symbolic link would
   * write text into the link.
   */
  async bytes(path: string, maxBytes = Number.MAX_SAFE_INTEGER): Promise<Uint8Array | 'too-large' | null> {
    const put = this.#changes.get(path)
    if (put === null) return null
    if (put && 'content' in put) return put.content.length > maxBytes ? 'too-large' : put.content
    const entry = put && 'oid' in put ? put : await this.reader.entry(path)
    if (entry && !isFile(entry))
      throw new ChangeError(
        `${path} is ${kindOf(entry)}, so it cannot be edited. Replace it with a regular file in Git first.`,
      )
    return entry === null ? null : ((await readBounded(this.reader, entry.oid, maxBytes)) ?? 'too-large')
  }

  /** Changes a file's text and preserves its encoding. */
  async setText(path: string, text: string): Promise<void> {
    const before = await this.bytes(path)
    return this.setBytes(path, encodeText(text, before instanceof Uint8Array ? encodingOf(before) : 'utf-8'))
  }

  /** Changes or adds a file. */
  async setBytes(path: string, content: Uint8Array): Promise<void> {
    const before = await this.bytes(path)
    if (before === null) return this.add(path, content)
    if (before instanceof Uint8Array && Buffer.compare(before, content) === 0) return
    const mode = this.#changes.get(path)?.mode ?? (await this.reader.entry(path))?.mode
    this.#change(path, { content, ...defined({ mode }) })
    const part = shapedBy(path, this.#structure)
    if (part !== null && !(part === 'title' && (await this.#haveSameTitle(before, content)))) this.#stale = true
  }

  async #haveSameTitle(before: Uint8Array | 'too-large', after: Uint8Array): Promise<boolean> {
    if (before === 'too-large' || Math.max(before.length, after.length) > MAX_TEXT_BYTES) return false
    const titles = [before, after].map((file) => unlessTooCostly(this.work.heading(decodeText(file)), undefined))
    const [old, now] = await Promise.all(titles)
    return old !== undefined && old === now
  }

  /** Replaces a file's content with a blob of the repository. */
  setBlob(path: string, oid: string, mode: string): void {
    this.#change(path, { oid, mode })
    if (shapedBy(path, this.#structure) !== null) this.#stale = true
  }

  async add(path: string, content: Uint8Array): Promise<void> {
    const paths = await this.paths()
    this.#change(path, { content })
    if (!paths.has(path)) (await this.#names)?.add(path)
    paths.add(path)
    await this.#moved({ added: [path] })
  }

  async remove(path: string): Promise<void> {
    const paths = await this.paths()
    this.#change(path, null)
    if (paths.delete(path)) (await this.#names)?.remove(path)
    await this.#moved({ deleted: [path] })
  }

  /** Renames a file, which keeps its ID. */
  async rename(from: string, to: string): Promise<void> {
    const paths = await this.paths()
    const put = this.#changes.get(from)
    const entry = put ? null : await this.reader.entry(from)
    this.#change(to, put ?? { oid: required(entry?.oid), mode: required(entry?.mode) })
    this.#change(from, null)
    if (paths.delete(from)) (await this.#names)?.remove(from)
    if (!paths.has(to)) (await this.#names)?.add(to)
    paths.add(to)
    await this.#moved({ renamed: [{ from, to }] })
  }

  #change(path: string, change: PathChange): void {
    this.#changes.set(path, change)
    this.#entries = null
  }

  async #moved(changes: {
    added?: string[]
    deleted?: string[]
    renamed?: { from: string; to: string }[]
  }): Promise<void> {
    this.#stale = true
    const { root } = this.#structure.config
    const entry = (path: string) => entryOfFile(root, path)
    const paths = await this.paths()
    const below = root === '' ? '' : `${root}/`
    this.#overrides = applyChanges(
      this.#overrides,
      {
        added: (changes.added ?? []).map(entry),
        deleted: (changes.deleted ?? []).map(entry),
        renamed: (changes.renamed ?? []).map(({ from, to }) => {
          const { kind, key } = entry(to)
          return { kind, from: entry(from).key, to: key }
        }),
      },
      (kind, one) => kindOfPath(one) === kind && paths.has(below + one),
    )
  }

  /** Returns a reader of the changed tree. Changed files have artificial oids that only this reader can resolve. */
  #asReader(): TreeReader {
    const changed = (path: string): ReaderEntry | null | undefined => {
      const put = this.#changes.get(path)
      if (put === undefined) return undefined
      return put === null
        ? null
        : 'oid' in put
          ? { path, mode: put.mode, oid: put.oid }
          : { path, mode: put.mode ?? '100644', oid: `\0${path}` }
    }
    return {
      entry: async (path) => {
        const own = changed(path)
        return own === undefined ? this.reader.entry(path) : own
      },
      list: async (path) => {
        const entries = await this.#below(path)
        return entries.length === 0 && path !== '' ? null : entries
      },
      walk: (prefix = '') => this.#below(prefix),
      read: async (oid, maxBytes) =>
        oid.startsWith('\0') ? ((await this.bytes(oid.slice(1))) as Uint8Array) : this.reader.read(oid, maxBytes),
    }
  }

  /** Returns the files below a folder, or all files if `folder` is empty. */
  async #below(folder: string): Promise<readonly ReaderEntry[]> {
    const entries = await this.#walkNow()
    return folder === '' ? entries : filterInSlices(entries, ({ path }) => path.startsWith(`${folder}/`))
  }

  #walkNow(): Promise<readonly ReaderEntry[]> {
    this.#entries ??= this.#merged()
    return this.#entries
  }

  async #merged(): Promise<readonly ReaderEntry[]> {
    const kept = await filterInSlices(await this.reader.walk(''), ({ path }) => !this.#changes.has(path))
    const own = [...this.#changes].flatMap(([path, put]) =>
      put === null ? [] : [{ path, mode: put.mode ?? '100644', oid: 'oid' in put ? put.oid : `\0${path}` }],
    )
    const byPath = (a: ReaderEntry, b: ReaderEntry): number => (a.path < b.path ? -1 : 1)
    return inSlices(mergeInSteps(kept, own.sort(byPath), byPath))
  }
}
