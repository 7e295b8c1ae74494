/** Updates the file of a space to another revision. Only texts of new blobs are indexed. */
import { required } from '../kernel/defined.js'
import { MAX_SECTIONS, type SpaceFile, sumOf, textOf, verifyChecksum } from './space-file.js'
import { indexedWords } from './tokens.js'
import { formsOf, isCorrectable } from './typos.js'
import type { IndexedPage, IndexedText } from './types.js'

type StoredPage = [id: string, n: number, blob: number, title: string, path: string, sum: number]

/** Returns the revision of the file; null if there is none. */
export const revisionOf = (file: SpaceFile): string | null =>
  (file.value(`SELECT ${textOf('revision')} FROM state`) as string | null | undefined) ?? null

/** Returns the blobs of `oids` whose texts are not in the file. */
export function missingOf(file: SpaceFile, oids: readonly string[]): string[] {
  const known = new Set(file.rows<[string]>(`SELECT ${textOf('oid')} FROM blobs`).map(([oid]) => oid))
  return [...new Set(oids)].filter((oid) => !known.has(oid))
}

/** Adds the texts of blobs. */
export function addTexts(file: SpaceFile, texts: readonly IndexedText[]): void {
  file.transact(() => {
    const words = new WordCounts('sections')
    for (const { oid, about, sections } of texts) {
      file.run('INSERT OR IGNORE INTO blobs (oid, about) VALUES (?, ?)', oid, about)
      const blob = file.value('SELECT id FROM blobs WHERE oid = ?', oid) as number
      const first = blob * MAX_SECTIONS
      if (file.value('SELECT 1 FROM sections WHERE id = ?', first) === 1) continue
      const shared = indexedWords(about)
      for (const [n, { anchor, title, text }] of sections.slice(0, MAX_SECTIONS).entries()) {
        const id = first + n
        const [inTitle, inText] = [indexedWords(title), indexedWords(text)]
        words.add([shared, inTitle, inText], 1)
        const sum = sumOf(id, anchor, title, text)
        file.run('INSERT INTO sections VALUES (?, ?, ?, ?, ?)', id, sum, anchor, title, text)
        file.run(
          'INSERT INTO section_words (rowid, text, title, about) VALUES (?, ?, ?, ?)',
          id,
          inText.join(' '),
          inTitle.join(' '),
          shared.join(' '),
        )
      }
    }
    words.store(file)
  })
}

/** Changes of the number of sections, or of page titles, that contain a word. */
class WordCounts {
  // Size limit: the words of one transaction
  readonly #changes = new Map<string, number>()
  constructor(private readonly column: 'sections' | 'titles') {}

  /** Counts each word of a section or title once. */
  add(lists: readonly (readonly string[])[], change: 1 | -1): void {
    const words = new Set<string>()
    for (const list of lists) for (const word of list) words.add(word)
    for (const word of words) this.#changes.set(word, (this.#changes.get(word) ?? 0) + change)
  }

  /** Adds new words, and deletes words that are on no page anymore. */
  store(file: SpaceFile): void {
    const changes = [...this.#changes].filter(([, change]) => change !== 0)
    if (changes.length === 0) return
    // A word has only letters, marks and digits. They need no escaping in JSON.
    const json = `{${changes.map(([word, change]) => `"${word}":${change}`).join()}}`
    const other = this.column === 'sections' ? 'titles' : 'sections'
    file.run(
      `INSERT INTO words (word, ${this.column}, ${other}) SELECT key, value, 0 FROM json_each(?) WHERE true
        ON CONFLICT (word) DO UPDATE SET ${this.column} = ${this.column} + excluded.${this.column}`,
      json,
    )
    const wordsOf = (condition: string): string[] =>
      file
        .rows<[string]>(`SELECT ${textOf('word')} FROM json_each(?) JOIN words ON word = key WHERE ${condition}`, json)
        .map(([word]) => word)
    if (changes.some(([, change]) => change > 0)) addForms(file, wordsOf(`${this.column} = value AND ${other} = 0`))
    if (changes.some(([, change]) => change < 0)) deleteUnused(file, wordsOf('sections <= 0 AND titles <= 0'))
  }
}

/** Number of forms that are written at once. */
const FORMS_AT_ONCE = 5_000

/** Adds words to the dictionary of deletions. */
function addForms(file: SpaceFile, words: readonly string[]): void {
  const forms = words
    .filter(isCorrectable)
    .flatMap((word) => formsOf(word).map((hash): [number, string] => [hash, word]))
    // In the order of the table, so that each of its pages is changed once
    .sort((a, b) => a[0] - b[0])
  for (let from = 0; from < forms.length; from += FORMS_AT_ONCE)
    file.run(
      'INSERT OR IGNORE INTO forms SELECT value ->> 0, value ->> 1 FROM json_each(?)',
      JSON.stringify(forms.slice(from, from + FORMS_AT_ONCE)),
    )
}

/** Deletes words that no section and no title contains. */
function deleteUnused(file: SpaceFile, words: readonly string[]): void {
  for (const word of words) {
    file.run('DELETE FROM words WHERE word = ?', word)
    if (isCorrectable(word))
      file.run(
        'DELETE FROM forms WHERE hash IN (SELECT value FROM json_each(?)) AND word = ?',
        JSON.stringify(formsOf(word)),
        word,
      )
  }
}

/**
 * Sets the pages of a revision. Deletes the texts of blobs that no page uses anymore. If the text of a page is missing
 * (the file may have been rebuilt in the meantime), changes nothing and returns false.
 */
export function setPages(file: SpaceFile, revision: string, pages: readonly IndexedPage[]): boolean {
  const blobs = new Map(file.rows<[string, number]>(`SELECT ${textOf('oid')}, id FROM blobs`))
  if (!pages.every(({ oid }) => blobs.has(oid))) return false
  file.transact(() => {
    const stored = file.rows<StoredPage>(
      `SELECT ${textOf('id')}, n, blob, ${textOf('title')}, ${textOf('path')}, sum FROM pages`,
    )
    const before = new Map(stored.map((row) => [row[0], row]))
    const words = new WordCounts('titles')
    for (const { id, oid, title, path } of pages) {
      const blob = required(blobs.get(oid))
      const [, n, oldBlob, oldTitle, oldPath, oldSum] = before.get(id) ?? []
      const sum = sumOf(id, blob, title, path)
      before.delete(id)
      if (oldBlob === blob && oldTitle === title && oldPath === path && oldSum === sum) continue
      if (n !== undefined) removePage(file, n, words)
      const inTitle = indexedWords(title)
      words.add([inTitle], 1)
      file.run(
        'INSERT INTO pages (id, blob, title, path, sum, words) VALUES (?, ?, ?, ?, ?, ?)',
        id,
        blob,
        title,
        path,
        sum,
        inTitle.join(' '),
      )
      file.run('INSERT INTO page_words (rowid, title) VALUES (last_insert_rowid(), ?)', inTitle.join(' '))
    }
    for (const [, n] of before.values()) removePage(file, n, words)
    words.store(file)
    removeUnusedTexts(file)
    file.run('UPDATE state SET revision = ?', revision)
  })
  return true
}

function removePage(file: SpaceFile, n: number, counts: WordCounts): void {
  const [[words] = ['']] = file.rows<[string]>(`SELECT ${textOf('words')} FROM pages WHERE n = ?`, n)
  if (words !== '') counts.add([words.split(' ')], -1)
  file.run('DELETE FROM pages WHERE n = ?', n)
  file.run('DELETE FROM page_words WHERE rowid = ?', n)
}

/** Deletes the texts of blobs that no page uses. */
function removeUnusedTexts(file: SpaceFile): void {
  const words = new WordCounts('sections')
  const unused = file.rows<[number, string]>(
    `SELECT id, ${textOf('about')} FROM blobs WHERE id NOT IN (SELECT blob FROM pages)`,
  )
  for (const [blob, about] of unused) {
    const first = blob * MAX_SECTIONS
    const sections = file.rows<[number, number, string | null, string, string]>(
      `SELECT id, sum, ${textOf('anchor')}, ${textOf('title')}, ${textOf('text')} FROM sections WHERE id >= ? AND id < ?`,
      first,
      first + MAX_SECTIONS,
    )
    for (const [id, sum, anchor, title, text] of sections) {
      verifyChecksum(sum, id, anchor, title, text)
      words.add([indexedWords(about), indexedWords(title), indexedWords(text)], -1)
      file.run('DELETE FROM section_words WHERE rowid = ?', id)
      file.run('DELETE FROM sections WHERE id = ?', id)
    }
    file.run('DELETE FROM blobs WHERE id = ?', blob)
  }
  words.store(file)
}
