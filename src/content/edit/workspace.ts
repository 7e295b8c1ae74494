import { inSlices } from '../../kernel/slices.js'
import { applyChanges, applyInSteps } from '../identity-changes.js'
import { type IdOverrides, idOf } from '../identity.js'
import { matchStructures, structureKeys } from '../identity-structure.js'
import { keyBelow } from '../paths.js'
import { kindOfPath, shapedBy } from '../known-files.js'
import { MAX_STRUCTURE_BYTES, readBounded } from '../read-file.js'
import { readStructure } from '../structure.js'
import { decodeText, encodeText, encodingOf } from '../text.js'
import type { TextWork } from '../work/text-work.js'
import { ChangeError } from './change-error.js'
import { FoldedNames } from './folded-names.js'
import type { ContentStructure, PlannedChange, ReaderEntry, TreeReader } from '../types.js'

/** What a path holds now; without a mode, that of a plain file. */
type Put = { content: Uint8Array; mode?: string } | { oid: string; mode: string } | null

/**
 * A revision being edited: the files of a tree, what was changed in them so far, the structure that follows, and the IDs.
 * Nothing is read that the changes do not need; a change of page text alone costs that one file.
 */
export class Workspace {
  readonly #puts = new Map<string, Put>()
  #paths: Set<string> | null = null
  /** Made when it is first asked for, and kept up to date with the paths. */
  #names: FoldedNames | null = null
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

  /** What was changed, as files. */
  changes(): PlannedChange[] {
    return [...this.#puts].map(([path, put]) => (put === null ? { path, delete: true } : { path, ...put }))
  }

  /** The structure of the files as they are now. `sameLines`: since it was last asked for, no line of the table of contents came or went. */
  async structure(sameLines = false): Promise<ContentStructure> {
    if (!this.#stale) return this.#structure
    const before = this.#structure
    let now = await readStructure(this.#asReader(), idOf(this.#overrides), this.work)
    const keys = await structureKeys(now)
    const change = await matchStructures(before, now, sameLines)
    if (change.added.length + change.deleted.length + change.renamed.length > 0) {
      this.#overrides = await inSlices(applyInSteps(this.#overrides, change, (kind, key) => keys.has(`${kind}\0${key}`)))
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

  /** A file at the path, below it, or at one that differs by case (or composition) alone: on some systems they are one. Null: it is free. */
  async taken(path: string): Promise<string | null> {
    return (await this.isTaken(path)) ? FoldedNames.find(await this.paths(), path) : null
  }

  /** Whether `taken` would name one: the cost does not grow with the files there are. */
  async isTaken(path: string): Promise<boolean> {
    this.#names ??= new FoldedNames(await this.paths())
    return this.#names.has(path)
  }

  /** Every file's path. */
  async paths(): Promise<Set<string>> {
    this.#paths ??= new Set((await this.reader.walk('')).map((entry) => entry.path))
    return this.#paths
  }

  /** The text of a table of contents or a file of YAML, as it is now; null where there is no file. Throws `ChangeError` (413) where it is too large. */
  async text(path: string): Promise<string | null> {
    const bytes = await this.bytes(path, MAX_STRUCTURE_BYTES)
    if (bytes === 'too-large')
      throw new ChangeError(`${path} has more than ${MAX_STRUCTURE_BYTES} bytes, so it cannot be edited here. Shorten it with Git first.`, undefined, true)
    return bytes === null ? null : decodeText(bytes)
  }

  /** A file's bytes, as it is now, not to be written to; null where there is no file, `too-large` where there are more than `maxBytes`. */
  async bytes(path: string, maxBytes = Number.MAX_SAFE_INTEGER): Promise<Uint8Array | 'too-large' | null> {
    const put = this.#puts.get(path)
    if (put === null) return null
    if (put && 'content' in put) return put.content.length > maxBytes ? 'too-large' : put.content
    const oid = put?.oid ?? (await this.reader.entry(path))?.oid
    return oid === undefined ? null : ((await readBounded(this.reader, oid, maxBytes)) ?? 'too-large')
  }

  /** Changes a file's text, in the encoding it has. */
  async setText(path: string, text: string): Promise<void> {
    const before = await this.bytes(path)
    return this.setBytes(path, encodeText(text, before instanceof Uint8Array ? encodingOf(before) : 'utf-8'))
  }

  /** Changes a file. Files that shape the structure make it stale. */
  async setBytes(path: string, content: Uint8Array): Promise<void> {
    const before = await this.bytes(path)
    if (before === null) return this.add(path, content)
    if (before instanceof Uint8Array && Buffer.compare(before, content) === 0) return
    const mode = this.#puts.get(path)?.mode ?? (await this.reader.entry(path))?.mode
    this.#puts.set(path, { content, ...(mode === undefined ? {} : { mode }) })
    if (shapedBy(path, this.#structure) !== null) this.#stale = true
  }

  /** Replaces a file by a blob that the repository has. */
  setBlob(path: string, oid: string, mode: string): void {
    this.#puts.set(path, { oid, mode })
    if (shapedBy(path, this.#structure) !== null) this.#stale = true
  }

  /** A new file. */
  async add(path: string, content: Uint8Array): Promise<void> {
    const paths = await this.paths()
    this.#puts.set(path, { content })
    if (!paths.has(path)) this.#names?.add(path)
    paths.add(path)
    await this.#moved({ added: [path] })
  }

  async remove(path: string): Promise<void> {
    const paths = await this.paths()
    this.#puts.set(path, null)
    if (paths.delete(path)) this.#names?.remove(path)
    await this.#moved({ deleted: [path] })
  }

  /** Moves a file with its bytes and its ID. */
  async rename(from: string, to: string): Promise<void> {
    const paths = await this.paths()
    const put = this.#puts.get(from)
    const entry = put ? null : await this.reader.entry(from)
    this.#puts.set(to, put ?? { oid: entry?.oid as string, mode: entry?.mode as string })
    this.#puts.set(from, null)
    if (paths.delete(from)) this.#names?.remove(from)
    if (!paths.has(to)) this.#names?.add(to)
    paths.add(to)
    await this.#moved({ renamed: [{ from, to }] })
  }

  async #moved(changes: { added?: string[]; deleted?: string[]; renamed?: { from: string; to: string }[] }): Promise<void> {
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
        renamed: (changes.renamed ?? []).map(({ from, to }) => ({ kind: kindOfPath(key(to)), from: key(from), to: key(to) })),
      },
      (kind, one) => kindOfPath(one) === kind && paths.has(below + one),
    )
  }

  /** The changed tree, for what reads trees. The oids of changed files are names of this workspace's own. */
  #asReader(): TreeReader {
    const changed = (path: string): ReaderEntry | null | undefined => {
      const put = this.#puts.get(path)
      if (put === undefined) return undefined
      return put === null ? null : 'oid' in put ? { path, mode: put.mode, oid: put.oid } : { path, mode: put.mode ?? '100644', oid: `\0${path}` }
    }
    return {
      entry: async (path) => {
        const own = changed(path)
        return own === undefined ? this.reader.entry(path) : own
      },
      list: async (path) => {
        const entries = (await this.walkNow()).filter((entry) => path === '' || entry.path.startsWith(`${path}/`))
        return entries.length === 0 && path !== '' ? null : entries
      },
      walk: async (prefix = '') => (await this.walkNow()).filter((entry) => prefix === '' || entry.path.startsWith(`${prefix}/`)),
      read: async (oid, maxBytes) => (oid.startsWith('\0') ? ((await this.bytes(oid.slice(1))) as Uint8Array) : this.reader.read(oid, maxBytes)),
    }
  }

  private async walkNow(): Promise<ReaderEntry[]> {
    const kept = (await this.reader.walk('')).filter((entry) => !this.#puts.has(entry.path))
    const own = [...this.#puts].flatMap(([path, put]) =>
      put === null ? [] : [{ path, mode: put.mode ?? '100644', oid: 'oid' in put ? put.oid : `\0${path}` }],
    )
    return [...kept, ...own].sort((a, b) => (a.path < b.path ? -1 : 1))
  }
}
