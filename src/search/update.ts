/** Updates the file of a space to another revision. Only texts of new blobs are indexed. */
import { required } from '../kernel/defined.js'
import { MAX_SECTIONS, type SpaceFile, sumOf, textOf } from './space-file.js'
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
    const words = new Set<string>()
    for (const { oid, about, sections } of texts) {
      file.run('INSERT OR IGNORE INTO blobs (oid) VALUES (?)', oid)
      const blob = file.value('SELECT id FROM blobs WHERE oid = ?', oid) as number
      const first = blob * MAX_SECTIONS
      if (file.value('SELECT 1 FROM sections WHERE id = ?', first) === 1) continue
      const shared = indexedWords(about).join(' ')
      for (const [n, { anchor, title, text }] of sections.slice(0, MAX_SECTIONS).entries()) {
        const [inTitle, inText] = [indexedWords(title), indexedWords(text)]
        for (const word of [...inTitle, ...inText]) words.add(word)
        file.run(
          'INSERT INTO sections VALUES (?, ?, ?, ?, ?)',
          first + n,
          sumOf(first + n, anchor, title, text),
          anchor,
          title,
          text,
        )
        file.run(
          'INSERT INTO section_words (rowid, about, title, text) VALUES (?, ?, ?, ?)',
          first + n,
          shared,
          inTitle.join(' '),
          inText.join(' '),
        )
      }
    }
    addWords(file, words)
  })
}

/** Number of collected forms that triggers a write. */
const FORMS_AT_ONCE = 5_000

/** Adds words to the dictionary of deletions. */
function addWords(file: SpaceFile, words: ReadonlySet<string>): void {
  const candidates = [...words].filter(isCorrectable)
  const known = new Set(
    file
      .rows<[string]>(
        `SELECT DISTINCT ${textOf('word')} FROM json_each(?) AS asked JOIN forms ON hash = asked.value ->> 0 AND word = asked.value ->> 1`,
        JSON.stringify(candidates.map((word) => [formsOf(word)[0], word])),
      )
      .map(([word]) => word),
  )
  let forms: [number, string][] = []
  const flush = (): void => {
    file.run('INSERT OR IGNORE INTO forms SELECT value ->> 0, value ->> 1 FROM json_each(?)', JSON.stringify(forms))
    forms = []
  }
  for (const word of candidates) {
    if (known.has(word)) continue
    for (const hash of formsOf(word)) forms.push([hash, word])
    if (forms.length > FORMS_AT_ONCE) flush()
  }
  if (forms.length > 0) flush()
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
    const words = new Set<string>()
    for (const { id, oid, title, path } of pages) {
      const blob = required(blobs.get(oid))
      const [, n, oldBlob, oldTitle, oldPath, oldSum] = before.get(id) ?? []
      const sum = sumOf(id, blob, title, path)
      before.delete(id)
      if (oldBlob === blob && oldTitle === title && oldPath === path && oldSum === sum) continue
      if (n !== undefined) remove(file, n)
      file.run('INSERT INTO pages (id, blob, title, path, sum) VALUES (?, ?, ?, ?, ?)', id, blob, title, path, sum)
      const inTitle = indexedWords(title)
      for (const word of inTitle) words.add(word)
      file.run('INSERT INTO page_words (rowid, title) VALUES (last_insert_rowid(), ?)', inTitle.join(' '))
    }
    for (const [, n] of before.values()) remove(file, n)
    addWords(file, words)
    for (const [blob] of file.rows<[number]>('SELECT id FROM blobs WHERE id NOT IN (SELECT blob FROM pages)'))
      removeTexts(file, blob)
    file.run('UPDATE state SET revision = ?', revision)
  })
  return true
}

function remove(file: SpaceFile, n: number): void {
  file.run('DELETE FROM pages WHERE n = ?', n)
  file.run('DELETE FROM page_words WHERE rowid = ?', n)
}

function removeTexts(file: SpaceFile, blob: number): void {
  const first = blob * MAX_SECTIONS
  for (const [id] of file.rows<[number]>(
    'SELECT id FROM sections WHERE id >= ? AND id < ?',
    first,
    first + MAX_SECTIONS,
  )) {
    file.run('DELETE FROM section_words WHERE rowid = ?', id)
    file.run('DELETE FROM sections WHERE id = ?', id)
  }
  file.run('DELETE FROM blobs WHERE id = ?', blob)
}
