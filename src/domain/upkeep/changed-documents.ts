/** Rewrites the documents and journal records of a space after its history was rewritten. */
import { Redaction, type RemovedPerson, withoutAddresses } from '../../git/index.js'
import { lfsObjects } from '../../model/index.js'

const OBJECT = /\b[0-9a-f]{40}\b/g
/** Members that identify documents. Texts in them stay. */
const IDS: ReadonlySet<string> = new Set(['id', 'space', 'organization'])

/** The content to remove from documents and records. */
export interface Removal {
  /** ID of the space. Only documents and records that name it change. */
  space: string
  texts: readonly string[]
  people: readonly RemovedPerson[]
  /** New names of Git objects by their former names. */
  names: ReadonlyMap<string, string>
  /** Hashes of Git LFS objects that the space no longer has. */
  lfs: readonly string[]
}

/** Changes documents and records, and counts them. */
export class ChangedDocuments {
  /** IDs of changed documents by table. */
  readonly changed = new Map<string, Set<string>>()
  readonly #redaction: Redaction

  constructor(readonly removal: Removal) {
    this.#redaction = new Redaction(removal.texts)
  }

  /** Returns the new document with the next version; the same one if nothing changes, null if it is removed. */
  document<T extends { readonly id: string; readonly version: number }>(table: string, document: T): T | null {
    if (table === lfsObjects.name && this.#isRemovedLfs(document.id)) return null
    const result = this.#cleaned(document)
    if (result === document) return document
    const ids = this.changed.get(table)
    if (ids) ids.add(document.id)
    else this.changed.set(table, new Set([document.id]))
    return { ...result, version: document.version + 1 }
  }

  /** Returns the new record; the same one if nothing changes. */
  record = <T extends object>(record: T): T => this.#cleaned(record)

  #isRemovedLfs(id: string): boolean {
    const { space, lfs } = this.removal
    return lfs.some((oid) => id === `${space}-${oid}`)
  }

  #cleaned<T extends object>(value: T): T {
    const json = JSON.stringify(value)
    if (!json.includes(this.removal.space)) return value
    let changed = false
    const result: T = JSON.parse(json, (key, member: unknown) => {
      if (typeof member !== 'string') return member
      const text = this.#text(key, member)
      if (text !== member) changed = true
      return text
    })
    return changed ? result : value
  }

  #text(key: string, text: string): string {
    const renamed = text.replaceAll(OBJECT, (oid) => this.removal.names.get(oid) ?? oid)
    return IDS.has(key) ? renamed : withoutAddresses(this.#redaction.text(renamed), this.removal.people)
  }
}
