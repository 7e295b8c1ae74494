import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { ADOPTED } from '../../src/domain/context/refs.js'
import type { StructureToStore } from '../../src/domain/context/stored-structures.js'
import { required } from '../../src/kernel/defined.js'
import type { CommitId } from '../../src/kernel/ids.js'
import { type Desk, openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const PAGES = 600
const numbers = Array.from({ length: PAGES }, (_, n) => n)
const textOf = (n: number): string => `# Page ${n}\n\n[Next](${n + 1}.md)\n`
const summaryOf = (titles: string): string =>
  `# Table of contents\n\n* [Home](README.md)\n\n## Pages\n\n${numbers.map((n) => `${n % 5 === 0 ? '' : '  '}* [${titles} ${n}](pages/${n}.md)\n`).join('')}* [Web](https://example.com)\n* [Lost](lost.md)\n`
const files = {
  'README.md': '# Home\n\n[First](pages/0.md)\n',
  'SUMMARY.md': summaryOf('Page'),
  'unlisted.md': '# Unlisted\n',
  '.gitbook/vars.yaml': 'product: Bindery\n',
  '.gitbook/includes/shared.md': '# Shared\n',
  ...Object.fromEntries(numbers.map((n) => [`pages/${n}.md`, textOf(n)])),
}

const [test, here] = await suiteWith('structures that one service stores for the next', () => startService())
const index = (): string => join(here.dir, 'data', 'structures.db')
let desk: Desk

/** All responses that depend on the structure, without the service's port. */
async function everything(): Promise<string> {
  const all = await Promise.all(
    ['content', 'links?limit=200', 'content/path/pages/page-7', 'content/path/pages/5/7?format=document'].map(
      async (path) => (await here.admin.call('get', `${desk.url}/${path}`)).body,
    ),
  )
  return JSON.stringify(all).replaceAll(here.url, '')
}

async function forget(): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(index() + end, { force: true })
}

/** Restarts the service after `change`, and returns its responses. */
async function afterRestart(change: () => Promise<unknown> = async () => {}): Promise<string> {
  await here.service.close()
  await change()
  await here.restart()
  return everything()
}

const stored = () => here.service.app.storedStructures
const mainHead = async (): Promise<string> => (await desk.git('rev-parse', 'main')).trim()

async function untilStored(commit: string): Promise<void> {
  while (stored().find(desk.space)?.commit !== commit) await setTimeout(20)
}

/** Stores a structure in which the first page has another title, so that its use can be seen. */
async function storeMarked(change: Partial<StructureToStore> = {}): Promise<void> {
  await untilStored(await mainHead())
  const head = required(stored().find(desk.space))
  const structure = required(await stored().read(desk.space, head))
  required(structure.pages[0]).title = 'Marked'
  stored().store(desk.space, { ...head, structure, isCurrent: () => true, ...change })
  const isMarked = async (): Promise<boolean> =>
    (await stored().read(desk.space, required(stored().find(desk.space))))?.pages[0]?.title === 'Marked'
  while (!(await isMarked())) await setTimeout(20)
}

test.before(async () => {
  desk = await openDesk(here, files)
})

test('a restarted service returns the same from a stored, damaged or lost structure', async () => {
  const fresh = await everything()
  await untilStored(await mainHead())
  assert.is(await afterRestart(), fresh)
  assert.is(await afterRestart(() => writeFile(index(), 'damaged '.repeat(10_000))), fresh)
  await untilStored(await mainHead())
  assert.is(await afterRestart(forget), fresh)
  await untilStored(await mainHead())
})

test('a stored structure is used for its commit and for later ones that change page text only', async () => {
  const fresh = await everything()
  await storeMarked()
  assert.match(await afterRestart(), '"Marked"')
  const changed = await afterRestart(() => desk.human({ 'pages/7.md': '# Page 7\n\nChanged.\n' }))
  assert.match(changed, '"Marked"')
  assert.match(changed, 'Changed.')
  const later = await afterRestart(forget)
  assert.not.match(later, '"Marked"')
  assert.is.not(later, fresh)
  await untilStored(await mainHead())
  assert.is(await afterRestart(), later)
})

test('a stored structure is not used after another history was adopted', async () => {
  const fresh = await everything()
  await storeMarked({ adopted: '0'.repeat(40) as CommitId })
  assert.is(await afterRestart(), fresh)
  assert.is((await desk.git('for-each-ref', ADOPTED)).trim(), '')
})

test('a stored structure is not used after a change of the table of contents, variables or files', async () => {
  const changes: Parameters<Desk['human']>[0][] = [
    { 'SUMMARY.md': summaryOf('Renamed') },
    { '.gitbook/vars.yaml': 'product: Other\n' },
    { 'pages/new.md': '# New\n' },
    { 'pages/3.md': null },
    { 'pages/old.md': textOf(5), 'pages/5.md': null },
  ]
  for (const change of changes) {
    await everything()
    await untilStored(await mainHead())
    const now = await afterRestart(() => desk.human(change))
    assert.is(await afterRestart(forget), now)
  }
})

test('a stored structure whose commit was removed is built again', async () => {
  const fresh = await everything()
  await storeMarked({ commit: '1'.repeat(40) as CommitId })
  assert.is(await afterRestart(), fresh)
})

test.run()
