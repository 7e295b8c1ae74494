/** How pages, files and other entries get their IDs: a hash of kind and path by default, or an override. */
import { hash } from 'node:crypto'
import type { EntryKind, IdOf } from './types.js'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const KINDS: ReadonlySet<string> = new Set<EntryKind>(['page', 'file', 'group', 'link', 'computed', 'reusable-content'])
export const isEntryKind = (text: string): text is EntryKind => KINDS.has(text)

/**
 * What an entry's default ID is computed from. For pages, files and reusable content, the key is the path below the effective
 * root; for a group, the chain of its group slugs; for a link, its parent's key, NUL, its target; for a computed page, its
 * parent's key, NUL, its operation.
 */
export interface EntryKey {
  kind: EntryKind
  key: string
}

/** The IDs of entries whose ID differs from the default, by `<kind> NUL <key>`. No two are the same. */
export type IdOverrides = ReadonlyMap<string, string>

export const overrideKey = (kind: EntryKind, key: string): string => `${kind}\0${key}`

/** 20 letters and digits (119 bits) from the SHA-256 of `<kind> NUL <key>` and, if that ID is in use, NUL and a salt. */
function hashId(name: string): string {
  let seed = name
  for (;;) {
    // In one call, and a character for each byte: a table of contents has thousands of entries, and this takes a quarter of the time.
    const bytes = hash('sha256', seed, 'binary')
    let id = ''
    for (let i = 0; i < bytes.length && id.length < 20; i++) {
      const byte = bytes.charCodeAt(i)
      // Those from 248 up are skipped, so that every letter is equally likely.
      if (byte < 248) id += ALPHABET[byte % 62]
    }
    if (id.length === 20) return id
    seed = `${seed}\0more`
  }
}

/** The ID of an entry that was never renamed and whose ID did not collide with another's. */
export const defaultId = (kind: EntryKind, key: string): string => hashId(overrideKey(kind, key))

/** Another ID for the same entry, if its default is in use; `salt` counts from 1. */
export const saltedId = (kind: EntryKind, key: string, salt: number): string =>
  hashId(`${overrideKey(kind, key)}\0${salt}`)

/** Whether the ID is the default of the entry that an override's key names. */
export function isDefaultId(name: string, id: string): boolean {
  const { kind, key } = entryOfOverride(name)
  return id === defaultId(kind, key)
}

/** Looks up IDs: the override, else the default. */
export const idOf =
  (overrides: IdOverrides): IdOf =>
  (kind, key) => {
    const name = overrideKey(kind, key)
    return overrides.get(name) ?? hashId(name)
  }

/** Overrides that are being changed: whoever gets an ID takes it from whoever had it. Each change costs the same, however many there are. */
export class OverrideDraft {
  readonly #ids: Map<string, string>
  readonly #names = new Map<string, string>()

  constructor(overrides: IdOverrides) {
    this.#ids = new Map(overrides)
    for (const [name, id] of overrides) this.#names.set(id, name)
  }

  get overrides(): IdOverrides {
    return this.#ids
  }

  give({ kind, key }: EntryKey, id: string): void {
    const name = overrideKey(kind, key)
    const before = this.#ids.get(name)
    if (before !== undefined) this.#names.delete(before)
    this.#ids.delete(this.#names.get(id) ?? name)
    this.#names.delete(id)
    if (id === defaultId(kind, key)) this.#ids.delete(name)
    else {
      this.#ids.set(name, id)
      this.#names.set(id, name)
    }
  }
}

/** The fixed order of entries: by kind, then by key, both by code unit. */
export function compareEntries(a: EntryKey, b: EntryKey): number {
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}

/** The entry that an override's key names. */
export function entryOfOverride(text: string): EntryKey {
  const at = text.indexOf('\0')
  return { kind: text.slice(0, at) as EntryKind, key: text.slice(at + 1) }
}
