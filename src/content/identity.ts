/** The IDs of pages, files and other entries. An ID is an override, or by default a hash of kind and path. */
import { hash } from 'node:crypto'
import { kindOfPath } from './known-files.js'
import { keyBelow } from './paths.js'
import type { EntryKind, IdOf } from './types.js'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const KINDS: ReadonlySet<string> = new Set<EntryKind>(['page', 'file', 'group', 'link', 'computed', 'reusable-content'])
export const isEntryKind = (text: string): text is EntryKind => KINDS.has(text)

/**
 * The input of an entry's default ID. For pages, files and reusable content, the key is the path below the effective
 * root. For a group, it is the chain of its group slugs. For a link, it is its parent's key, NUL, and its target. For a
 * computed page, it is its parent's key, NUL, and its operation.
 */
export interface EntryKey {
  kind: EntryKind
  key: string
}

/** Returns the entry of a file at a path of the repository. `root` is the effective root. */
export function entryOfFile(root: string, path: string): EntryKey {
  const key = keyBelow(root, path)
  return { kind: kindOfPath(key), key }
}

/** The IDs that differ from the default, by `<kind> NUL <key>`. All of them are different. */
export type IdOverrides = ReadonlyMap<string, string>

export const overrideKey = (kind: EntryKind, key: string): string => `${kind}\0${key}`

/**
 * Returns 20 letters and digits (119 bits) of the SHA-256 of `<kind> NUL <key>` and, if that ID is in use, NUL and a
 * salt.
 */
function hashId(name: string): string {
  let seed = name
  for (;;) {
    // One call that returns a character for each byte. A table of contents has thousands of entries, and this takes a
    // quarter of the time.
    const bytes = hash('sha256', seed, 'binary')
    let id = ''
    for (let i = 0; i < bytes.length && id.length < 20; i++) {
      const byte = bytes.charCodeAt(i)
      // Skip bytes from 248 up, so that every letter is equally likely.
      if (byte < 248) id += ALPHABET[byte % 62]
    }
    if (id.length === 20) return id
    seed = `${seed}\0more`
  }
}

/** Returns the ID of an entry that was never renamed and whose ID did not collide with another. */
export const defaultId = (kind: EntryKind, key: string): string => hashId(overrideKey(kind, key))

/** Returns another ID for the same entry, if its default is in use. `salt` counts from 1. */
export const saltedId = (kind: EntryKind, key: string, salt: number): string =>
  hashId(`${overrideKey(kind, key)}\0${salt}`)

/** Whether the ID is the default of the entry that an override key names. */
export function isDefaultId(name: string, id: string): boolean {
  const { kind, key } = entryOfOverride(name)
  return id === defaultId(kind, key)
}

/** Returns a function that looks up IDs: the override, else the default. */
export const idOf =
  (overrides: IdOverrides): IdOf =>
  (kind, key) => {
    const name = overrideKey(kind, key)
    return overrides.get(name) ?? hashId(name)
  }

/**
 * Overrides during a change. An entry that gets an ID takes it from its former entry. The cost of a change does not
 * depend on the number of overrides.
 */
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

/** Compares entries in their fixed order: by kind, then by key, both by code unit. */
export function compareEntries(a: EntryKey, b: EntryKey): number {
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}

/** Returns the entry that an override key names. */
export function entryOfOverride(text: string): EntryKey {
  const at = text.indexOf('\0')
  return { kind: text.slice(0, at) as EntryKind, key: text.slice(at + 1) }
}
