// Migrates the stored documents to the schema of this release.
import type { Database, RawDocument } from './database.js'
import { StoreTooNew } from './errors.js'
import { frozenJson } from './json.js'
import type { Log, Operation } from './log.js'
import type { Migration, MigrationView } from './types.js'
import { type AnyTable, type AnyDocument, ownerOf } from './view.js'

/**
 * Runs the migrations that the store has not had yet, in order. Each is one transaction of the log, so after an
 * interrupted start, the next one continues. Returns the new version. Throws `StoreTooNew` if the store has had more
 * migrations than the code has.
 */
export async function migrate(
  to: { database: Database; log: Log; documents: Map<string, RawDocument[]>; tables: readonly AnyTable[]; dir: string },
  from: number,
  migrations: readonly Migration[],
  done: (migration: Migration, ops: readonly Operation[]) => void,
): Promise<number> {
  const sorted = inOrder(migrations)
  if (from > sorted.length)
    throw new StoreTooNew(
      to.dir,
      `the documents are at migration ${from}, but the latest one in this release is ${sorted.length}`,
    )
  for (const migration of sorted.slice(from)) {
    const view = new RawView(to.documents, new Map(to.tables.map((definition) => [definition.name, definition])))
    await migration.run(view)
    const ops = view.operations()
    const fresh = new Map<string, [string, string]>(ops.map(({ c, o }) => [JSON.stringify([c, o]), [c, o]]))
    for (const [key, [c, o]] of fresh)
      if ((to.documents.get(c) ?? []).some(({ owner }) => owner === o)) fresh.delete(key)
    await to.log.append([JSON.stringify({ ops, migrated: migration.version })], [...fresh.values()])
    view.apply()
    to.database.seq = to.log.lastSeq
    done(migration, ops)
  }
  return sorted.length
}

/** Returns the migrations sorted by version. Throws `TypeError` if they are not numbered 1, 2, 3 … */
export function inOrder(migrations: readonly Migration[]): Migration[] {
  const sorted = [...migrations].sort((a, b) => a.version - b.version)
  for (const [index, { version }] of sorted.entries()) {
    if (version !== index + 1)
      throw new TypeError(`migrations must be numbered 1, 2, 3 …: ${index + 1} is missing or occurs twice`)
  }
  return sorted
}

/** Documents by table, with the changes of one migration on top. */
export class RawView implements MigrationView {
  readonly #documents: Map<string, RawDocument[]>
  readonly #definitions: ReadonlyMap<string, AnyTable>
  /** The changed tables: copies of their documents by ID. */
  readonly #changed = new Map<string, Map<string, RawDocument>>()

  constructor(documents: Map<string, RawDocument[]>, definitions: ReadonlyMap<string, AnyTable>) {
    this.#documents = documents
    this.#definitions = definitions
  }

  #writable(table: string): Map<string, RawDocument> {
    let copy = this.#changed.get(table)
    if (!copy) this.#changed.set(table, (copy = new Map(this.#stored(table).map((raw) => [raw.document.id, raw]))))
    return copy
  }

  #stored(table: string): RawDocument[] {
    return this.#documents.get(table) ?? []
  }

  tables(): string[] {
    return [...new Set([...this.#documents.keys(), ...this.#changed.keys()])]
      .filter((name) => this.documents(name).length > 0)
      .sort()
  }

  documents(table: string): AnyDocument[] {
    return [...(this.#changed.get(table)?.values() ?? this.#stored(table))].map(({ document }) => document)
  }

  put(table: string, draft: object): void {
    const { id, version: _, ...rest } = frozenJson(draft) as AnyDocument
    if (typeof id !== 'string') throw new TypeError('a document needs an id, a string')
    const documents = this.#writable(table)
    const before = documents.get(id)
    const document: AnyDocument = Object.freeze({ id, version: (before?.document.version ?? 0) + 1, ...rest })
    const definition = this.#definitions.get(table)
    documents.set(id, { document, owner: definition ? ownerOf(definition, document) : (before?.owner ?? '') })
  }

  remove(table: string, id: string): void {
    this.#writable(table).delete(id)
  }

  operations(): Operation[] {
    const ops: Operation[] = []
    for (const [c, after] of this.#changed) {
      const before = new Map(this.#stored(c).map((raw) => [raw.document.id, raw]))
      for (const [id, raw] of before) if (after.get(id)?.owner !== raw.owner) ops.push({ c, o: raw.owner, remove: id })
      for (const [id, raw] of after) if (before.get(id) !== raw) ops.push({ c, o: raw.owner, put: raw.document })
    }
    return ops
  }

  apply(): void {
    for (const [table, documents] of this.#changed) this.#documents.set(table, [...documents.values()])
  }
}
