/** The files of a revision while it is edited, with the page structure and the IDs that follow from the changes. */
import { eachInSlices, filterInSlices, inSlices, mergeInSteps } from '../../kernel/slices.js'
import { applyChanges, applyInSteps } from '../identity-changes.js'
import { type IdOverrides, idOf } from '../identity.js'
import { matchStructures, structureKeys } from '../identity-structure.js'
import { keyBelow } from '../paths.js'
import { kindOfPath, shapedBy } from '../known-files.js'
import { isFile, kindOf, MAX_STRUCTURE_BYTES, readBounded } from '../read-file.js'
import { readStructure } from '../structure.js'
import { decodeText, encodeText, encodingOf } from '../text.js'
import type { TextWork } from '../work/text-work.js'
import { ChangeError } from './change-error.js'
import { FoldedNames } from './folded-names.js'
import type { ContentStructure, PlannedChange, ReaderEntry, TreeReader } from '../types.js'

/** A changed path: its new content (a regular file, unless there is a mode), an existing blob, or null if it was removed. */
type Put = { content: Uint8Array; mode?: string } | { oid: string; mode: string } | null

/**
 * A revision that is being edited: its files, the changes so far, and the structure and IDs that follow from them. Only what the
 * changes need is read: changing a page's text reads that one file.
 */
export class Workspace {
  readonly #puts = new Map<string, Put>()
  /** Every file, in order of path; null if there were changes since it was made. */
  #entries: Promise<readonly ReaderEntry[]> | null = null
  /** Made when they are first needed, and then kept up to date. */
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
    return [...this.#puts].map(([path, put]) => (put === null ? { path, delete: true } : { path, ...put }))
  }

  /**
   * The structure with the changes so far.
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

  /** Whether there is a file at a path. */
  async has(path: string): Promise<boolean> {
    const put = this.#puts.get(path)
    return put === undefined ? (await this.reader.entry(path)) !== null : put !== null
  }

  /** A file that takes the path: one at it, below it, or at a path that some systems do not distinguish from it. null if it is free. */
  async taken(path: string): Promise<string | null> {
    return (await this.isTaken(path)) ? FoldedNames.find(await this.paths(), path) : null
  }

  /** Whether `taken` would return a file, at a cost that does not depend on the number of files. */
  async isTaken(path: string): Promise<boolean> {
    this.#names ??= this.paths().then((paths) => FoldedNames.of(paths))
    return (await this.#names).has(path)
  }

  /** Every file's path. */
  paths(): Promise<Set<string>> {
    this.#paths ??= this.#pathsNow()
    return this.#paths
  }

  async #pathsNow(): Promise<Set<string>> {
    const paths = new Set<string>()
    await eachInSlices(await this.#walkNow(), ({ path }) => paths.add(path))
    return paths
  }

  /** The current text of a table of contents or YAML file; null if there is no file. Throws `ChangeError` (413) if it is too large. */
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

  /** Whether the path has a regular file, and not a symbolic link, a folder or a submodule. */
  async isRegular(path: string): Promise<boolean> {
    const put = this.#puts.get(path)
    if (put === null) return false
    const mode = put ? put.mode : (await this.reader.entry(path))?.mode
    return mode === undefined ? put !== undefined : isFile({ mode })
  }

  /**
   * A file's current bytes, which must not be modified; null if there is no file, `too-large` if there are more than `maxBytes`. Throws
   * `ChangeError` if the path has no regular file: an edit of a symbolic link would write text into the link.
   */
  async bytes(path: string, maxBytes = Number.MAX_SAFE_INTEGER): Promise<Uint8Array | 'too-large' | null> {
    const put = this.#puts.get(path)
    if (put === null) return null
    if (put && 'content' in put) return put.content.length > maxBytes ? 'too-large' : put.content
    const entry = put && 'oid' in put ? put : await this.reader.entry(path)
    if (entry && !isFile(entry))
      throw new ChangeError(
        `${path} is ${kindOf(entry)}, so it cannot be edited. Replace it with a regular file in Git first.`,
      )
    return entry === null ? null : ((await readBounded(this.reader, entry.oid, maxBytes)) ?? 'too-large')
  }

  /** Changes a file's text and keeps its encoding. */
  async setText(path: string, text: string): Promise<void> {
    const before = await this.bytes(path)
    return this.setBytes(path, encodeText(text, before instanceof Uint8Array ? encodingOf(before) : 'utf-8'))
  }

  /** Changes a file, or adds it. */
  async setBytes(path: string, content: Uint8Array): Promise<void> {
    const before = await this.bytes(path)
    if (before === null) return this.add(path, content)
    if (before instanceof Uint8Array && Buffer.compare(before, content) === 0) return
    const mode = this.#puts.get(path)?.mode ?? (await this.reader.entry(path))?.mode
    this.#put(path, { content, ...(mode === undefined ? {} : { mode }) })
    if (shapedBy(path, this.#structure) !== null) this.#stale = true
  }

  /** Replaces a file's content with a blob of the repository. */
  setBlob(path: string, oid: string, mode: string): void {
    this.#put(path, { oid, mode })
    if (shapedBy(path, this.#structure) !== null) this.#stale = true
  }

  /** Adds a file. */
  async add(path: string, content: Uint8Array): Promise<void> {
    const paths = await this.paths()
    this.#put(path, { content })
    if (!paths.has(path)) (await this.#names)?.add(path)
    paths.add(path)
    await this.#moved({ added: [path] })
  }

  async remove(path: string): Promise<void> {
    const paths = await this.paths()
    this.#put(path, null)
    if (paths.delete(path)) (await this.#names)?.remove(path)
    await this.#moved({ deleted: [path] })
  }

  /** Renames a file, which keeps its ID. */
  async rename(from: string, to: string): Promise<void> {
    const paths = await this.paths()
    const put = this.#puts.get(from)
    const entry = put ? null : await this.reader.entry(from)
    this.#put(to, put ?? { oid: entry?.oid as string, mode: entry?.mode as string })
    this.#put(from, null)
    if (paths.delete(from)) (await this.#names)?.remove(from)
    if (!paths.has(to)) (await this.#names)?.add(to)
    paths.add(to)
    await this.#moved({ renamed: [{ from, to }] })
  }

  #put(path: string, put: Put): void {
    this.#puts.set(path, put)
    this.#entries = null
  }

  async #moved(changes: {
    added?: string[]
    deleted?: string[]
    renamed?: { from: string; to: string }[]
  }): Promise<void> {
    this.#stale = true
    const { root } = this.#structure.config
    const key = (path: string): string => keyBelow(root, path)
    const entry = (path: string) => ({ kind: kindOfPath(key(path)), key: key(path) })
    const paths = await this.paths()
    const below = root === '' ? '' : `${root}/`
    this.#overrides = applyChanges(
      this.#overrides,
      {
        added: (changes.added ?? []).map(entry),
        deleted: (changes.deleted ?? []).map(entry),
        renamed: (changes.renamed ?? []).map(({ from, to }) => ({
          kind: kindOfPath(key(to)),
          from: key(from),
          to: key(to),
        })),
      },
      (kind, one) => kindOfPath(one) === kind && paths.has(below + one),
    )
  }

  /** A reader of the changed tree. Changed files have made-up oids, which only this reader knows. */
  #asReader(): TreeReader {
    const changed = (path: string): ReaderEntry | null | undefined => {
      const put = this.#puts.get(path)
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

  /** The files below a folder; all files if it is empty. */
  async #below(folder: string): Promise<readonly ReaderEntry[]> {
    const entries = await this.#walkNow()
    return folder === '' ? entries : filterInSlices(entries, ({ path }) => path.startsWith(`${folder}/`))
  }

  #walkNow(): Promise<readonly ReaderEntry[]> {
    this.#entries ??= this.#merged()
    return this.#entries
  }

  async #merged(): Promise<readonly ReaderEntry[]> {
    const kept = await filterInSlices(await this.reader.walk(''), ({ path }) => !this.#puts.has(path))
    const own = [...this.#puts].flatMap(([path, put]) =>
      put === null ? [] : [{ path, mode: put.mode ?? '100644', oid: 'oid' in put ? put.oid : `\0${path}` }],
    )
    const byPath = (a: ReaderEntry, b: ReaderEntry): number => (a.path < b.path ? -1 : 1)
    return inSlices(mergeInSteps(kept, own.sort(byPath), byPath))
  }
}
