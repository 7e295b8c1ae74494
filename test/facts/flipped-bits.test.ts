// @own-process: the SQLite library ends its process if it reads a damaged text as a text
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'libsql'
import * as assert from 'uvu/assert'
import { openFacts } from '../../src/facts/index.js'
import { tasks } from '../../src/search/tasks.js'
import { openMemory } from '../../src/translation/memory.js'
import { flip, positionsIn } from '../support/flipped-bits.js'
import { firstSeed, runs } from '../support/soak.js'
import { suite } from '../support/suite.js'

const test = suite('flipped bits in SQLite files')
const dir = mkdtempSync(join(tmpdir(), 'bindery-flips-'))
test.after(() => rmSync(dir, { recursive: true, force: true }))

const FLIPS = runs(100, 400)
const SEED = firstSeed(7)

/** Calls `read` with the file after each of many bit flips. */
function afterEachFlip(file: string, read: (position: string) => void): void {
  const whole = readFileSync(file)
  for (const { byte, bit } of positionsIn(file, FLIPS, SEED)) {
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
    // Another file, since a thread of the search keeps the file that it has opened.
    writeFileSync(`${file}.new`, whole)
    flip(`${file}.new`, { byte, bit })
    renameSync(`${file}.new`, file)
    read(`byte ${byte}, bit ${bit}`)
  }
}

test('facts are correct or missing after a bit flip, and the index works again', () => {
  const file = join(dir, 'facts.db')
  const notices: string[] = []
  const open = () =>
    openFacts({
      file,
      kinds: ['page', 'references'],
      version: 1,
      maxBytes: 1e9,
      notice: (message) => notices.push(message),
    })
  const written = new Map(
    Array.from({ length: 60 }, (_, n) => [
      `${n}`.padStart(40, 'a'),
      `{"title":"Größe ${n}","links":["guide/page-${n}.md"]}`,
    ]),
  )
  const facts = open()
  facts.put([...written].map(([oid, value]) => ({ oid, values: [value, value] })))
  facts.close()
  let missing = 0
  afterEachFlip(file, (position) => {
    const damaged = open()
    for (const kind of ['page', 'references']) {
      const found = damaged.get(kind, [...written.keys()])
      if (found.size < written.size) missing++
      for (const [oid, value] of found) assert.is(value, written.get(oid), position)
    }
    damaged.put([{ oid: 'new', values: ['"new"', null] }])
    assert.is(damaged.get('page', ['new']).get('new'), '"new"', position)
    damaged.close()
  })
  assert.ok(missing > FLIPS / 4, `${missing} reads found that something is missing`)
  assert.ok(notices.every((notice) => notice.includes(file) && notice.includes('rebuilds it')))
})

test('search shows texts as written or nothing after a bit flip', () => {
  const folder = join(dir, 'search')
  const file = join(folder, 'space.db')
  const words = ['orchard', 'bergamot', 'Straße', '部署指南', 'kumquat', 'persimmon']
  // Enough texts for pages of the file that are full, so that flips hit something.
  const texts = Array.from({ length: 48 }, (_, n) => {
    const word = words[n % words.length] as string
    const text = `Some words about ${word} number ${n}.`
    return { oid: `${n}`.padStart(40, 'b'), about: word, sections: [{ anchor: `on-${n}`, title: `On ${word}`, text }] }
  })
  const pages = texts.map(({ oid }, n) => ({ id: `page-${n}`, oid, title: `Title ${n}`, path: `path-${n}` }))
  const call = <T>(task: string, ...args: string[]): T => JSON.parse(tasks[task]?.(folder, ...args) as string) as T
  call('add', 'space', JSON.stringify(texts))
  call('set', 'space', 'revision', JSON.stringify(pages), '1e9')
  type Found = {
    damage?: string
    revision: string | null
    pages: { id: string; title: string; path: string; sections: { title: string; body: string }[] }[]
  }
  const find = (query: string, allowed?: [string, string][]): Found =>
    call<Found[]>(
      'findInSpaces',
      JSON.stringify([['space', { query, offset: 0, limit: 50, ...(allowed ? { allowed } : {}) }]]),
      '60000',
    )[0] as Found
  assert.is(find('words').pages.length, texts.length)
  // The file is still open: its log is merged into it, so that there is one file to damage.
  const sqlite = new Sqlite(file)
  sqlite.pragma('wal_checkpoint(TRUNCATE)')
  sqlite.close()
  function readAll(position = ''): number {
    let damages = 0
    const queries = ['words', 'on', ...words, 'bergamto', 'k']
    for (const query of queries) {
      for (const { damage, pages: hits } of [
        find(query),
        find(
          query,
          pages.map(({ id, oid }) => [id, oid]),
        ),
      ]) {
        if (damage !== undefined) damages++
        for (const { id, title, path, sections } of hits) {
          const n = pages.findIndex((page) => page.id === id)
          assert.equal([title, path], [pages[n]?.title, pages[n]?.path], position)
          for (const section of sections) {
            assert.is(section.title, texts[n]?.sections[0]?.title, position)
            assert.is(section.body.replaceAll('**', ''), texts[n]?.sections[0]?.text, position)
          }
        }
      }
    }
    call('missing', 'space', JSON.stringify(texts.map(({ oid }) => oid)))
    return damages
  }
  let damages = 0
  afterEachFlip(file, (position) => (damages += readAll(position)))
  assert.ok(damages > FLIPS / 40, `${damages} damages were found`)
})

test('responses of engines are correct or requested again after a bit flip', () => {
  const file = join(dir, 'translations.db')
  const notices: string[] = []
  const open = () => openMemory({ file, maxBytes: 1e9, notice: (message) => notices.push(message) })
  const given = new Map(
    Array.from({ length: 60 }, (_, n) => [`Text ${n}`, `Übersetzung Nummer ${n} mit einigen Wörtern`]),
  )
  const memory = open()
  memory.put('context', given)
  memory.close()
  let missing = 0
  afterEachFlip(file, (position) => {
    const damaged = open()
    const found = damaged.get('context', [...given.keys()])
    if (found.size < given.size) missing++
    for (const [text, answer] of found) assert.is(answer, given.get(text), position)
    damaged.put('context', new Map([['new', 'neu']]))
    assert.is(damaged.get('context', ['new']).get('new'), 'neu', position)
    damaged.close()
  })
  assert.ok(missing > FLIPS / 4, `${missing} reads found that something is missing`)
  assert.ok(notices.length > 0 && notices.every((notice) => notice.includes(file)))
})

test.run()
