import { existsSync, mkdtempSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { deleteLeastRecentlyUsed } from '../../src/search/open-files.js'
import { wholeScope } from '../../src/search/scope.js'
import { SpaceFile } from '../../src/search/space-file.js'
import type { IndexedPage, IndexedText } from '../../src/search/types.js'
import { addTexts, revisionOf, setPages } from '../../src/search/update.js'
import { random } from '../simulation/two-sided/random.js'
import { suite } from '../support/suite.js'

const test = suite('search: index file')
const PAGES = 120
const SECTIONS = 6

const dir = mkdtempSync(join(tmpdir(), 'bindery-index-'))
test.after(() => rm(dir, { recursive: true, force: true }))

const next = random(45)
/** Returns words with the frequencies of a language, some of them in Chinese. */
const words = (count: number): string =>
  Array.from({ length: count }, () => {
    const n = Math.floor(400 ** (next(1_000) / 1_000))
    return n % 40 === 0 ? `漢${String.fromCharCode(0x4e00 + n)}字` : `w${'aeiou'[n % 5]}rd${n.toString(36)}`
  }).join(' ')

const textOfBlob = (oid: string): IndexedText => ({
  oid,
  about: words(2),
  sections: Array.from({ length: SECTIONS }, (_, n) => ({ anchor: `part-${n}`, title: words(3), text: words(40) })),
})
const pageOf = (n: number, oid: string): IndexedPage => ({ id: `p${n}`, oid, title: words(1 + next(3)), path: `p${n}` })

/** Fills a file in several transactions, then changes and deletes pages. */
function filled(): SpaceFile {
  const file = new SpaceFile(join(dir, 'filled.db'))
  const pages = Array.from({ length: PAGES }, (_, n) => pageOf(n, `o${n}`))
  for (let from = 0; from < PAGES; from += 50)
    addTexts(
      file,
      pages.slice(from, from + 50).map(({ oid }) => textOfBlob(oid)),
    )
  setPages(file, 'first', pages)
  const changed = pages.slice(10).map((page, n) => (n % 5 === 0 ? pageOf(n + 10, `o${n + 10}-new`) : page))
  addTexts(
    file,
    changed.filter(({ oid }) => oid.endsWith('-new')).map(({ oid }) => textOfBlob(oid)),
  )
  setPages(file, 'second', [...changed, { ...pageOf(1_000, 'o10-new'), title: '' }])
  return file
}

const file = filled()
const scope = wholeScope(file)
const EXPRESSIONS = ['"worda"', '"ward5"', '"wa"*', '("wird" OR "wirda")', '"word2" AND "wird3"', '("漢一" + "一字")']
const rounded = (score: number): string => score.toPrecision(12)

test('a file that another writer has just deleted does not stop the deletion of old files', () => {
  const files = mkdtempSync(join(dir, 'old-'))
  const [old, recent, kept] = ['old', 'recent', 'kept'].map((name, n) => {
    const path = join(files, `${name}.db`)
    writeFileSync(path, Buffer.alloc(1_000))
    utimesSync(path, n, n)
    return path
  })
  // A link without a target is listed but has no size, like a file that was deleted after the folder was read.
  symlinkSync(join(files, 'deleted'), join(files, 'gone.db'))
  deleteLeastRecentlyUsed(files, 2_000, kept ?? '')
  assert.equal(
    [old, recent, kept].map((path) => existsSync(path ?? '')),
    [false, true, true],
  )
})

test('words have the frequencies that SQLite counts, also after changes', () => {
  for (const [table, column] of [
    ['section_words', 'sections'],
    ['page_words', 'titles'],
  ]) {
    file.run(`CREATE VIRTUAL TABLE temp.counted_${table} USING fts5vocab('main', '${table}', 'row')`)
    const counted = file.rows(`SELECT CAST(term AS BLOB), doc FROM temp.counted_${table} WHERE doc > 0 ORDER BY term`)
    const stored = file.rows(`SELECT CAST(word AS BLOB), ${column} FROM words WHERE ${column} > 0 ORDER BY word`)
    assert.ok(counted.length > 50)
    assert.equal(stored, counted)
  }
  assert.is(file.value('SELECT count(*) FROM words WHERE sections <= 0 AND titles <= 0'), 0)
  assert.is(file.value('SELECT count(*) FROM forms WHERE word NOT IN (SELECT word FROM words)'), 0)
})

test('pages and sections have the ranks that SQLite computes', () => {
  const sql = `SELECT n, max(score) AS best, json_group_array(section ORDER BY section) FROM
    (SELECT rowid AS section, -bm25(section_words, 2.0, 6.0, 1.0) AS score FROM section_words WHERE section_words MATCH ? LIMIT 4000)
    JOIN pages ON pages.blob = section >> 12 GROUP BY n ORDER BY best DESC, n`
  for (const expression of [...EXPRESSIONS, ...EXPRESSIONS.map((one) => `{title} : (${one})`)]) {
    const expected = file.rows<[number, number, string]>(sql, expression)
    const found = scope.sections(expression, [])
    assert.equal(
      found.map(({ n, best, sections }) => [n, rounded(best), sections.map(([section]) => section)]),
      expected.map(([n, best, sections]) => [n, rounded(best), JSON.parse(sections)]),
    )
  }
  assert.ok(scope.sections('"wa"*', []).length > 50)
})

test('titles are found with their words', () => {
  const [[n, title] = [0, '']] = file.rows<[number, string]>(
    "SELECT n, CAST(words AS BLOB) FROM pages WHERE words LIKE 'w%'",
  )
  const found = scope.titles(`"${title.split(' ')[0]}"`).find(([one]) => one === n)
  assert.is(found?.[2], title)
})

test('a file of another version is replaced', () => {
  const path = join(dir, 'older.db')
  const older = new SpaceFile(path)
  setPages(older, 'first', [])
  older.run('CREATE TABLE title_words (old TEXT)')
  older.run('PRAGMA user_version = 4')
  older.close()
  const opened = new SpaceFile(path)
  assert.is(revisionOf(opened), null)
  assert.is(opened.value("SELECT count(*) FROM sqlite_schema WHERE name = 'title_words'"), 0)
  opened.close()
})

test.run()
