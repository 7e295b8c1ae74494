import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import type { FileDates } from '../../src/domain/context/content-cache.js'
import { DATES_KIND, DATES_VERSION, StoredDates } from '../../src/domain/context/stored-dates.js'
import { openFacts } from '../../src/facts/index.js'
import type { CommitId } from '../../src/kernel/ids.js'
import { flat, openDesk, type Desk } from '../commits/fixture.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('dates of files in long histories', () => startService())

interface Dates {
  created: number
  updated: number
}

const FIRST = 1_600_000_000
const NAMES = Array.from({ length: 24 }, (_, n) => `${['', 'guide/', 'Änderungen/', 'with space/'][n % 4]}page-${n}.md`)

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/**
 * Writes a history of edits, deletions, new files, renames and merges to `refs/heads/all` of a repository. Returns the
 * dates of its files on the first-parent line. A renamed file counts as a new one.
 */
async function writeHistory(repo: string, commits: number, seed: number, from?: string): Promise<Map<string, Dates>> {
  const next = numbers(seed)
  const files = new Map<string, Dates>()
  const parts: string[] = []
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
  for (let n = 0; n < commits; n++) {
    const when = FIRST + n * 60
    // Without a table of contents, all markdown files are pages.
    const lines: string[] = n === 0 && from ? ['D SUMMARY.md\n'] : []
    const touched = new Set<string>()
    for (let change = 0; change <= next(3); change++) {
      const name = NAMES[next(NAMES.length)] as string
      const other = NAMES[next(NAMES.length)] as string
      if (touched.has(name) || touched.has(other)) continue
      touched.add(name).add(other)
      if (files.has(name) && !files.has(other) && next(4) === 0) {
        lines.push(`R "${name}" "${other}"\n`)
        files.delete(name)
        files.set(other, { created: when, updated: when })
      } else if (files.has(name) && next(8) === 0) {
        lines.push(`D "${name}"\n`)
        files.delete(name)
      } else {
        const text = `# Page ${seed} ${name}\n\nA sentence that stays on this page ${name}.\n\nEdit ${n}.\n`
        lines.push(`M 100644 inline "${name}"\n`, data(text))
        files.set(name, { created: files.get(name)?.created ?? when, updated: when })
      }
    }
    const who = `Ada <ada@example.org> ${when} +0000`
    const side = n > 0 && n % 50 === 0
    if (side) parts.push(`commit refs/heads/side\nmark :${100_000 + n}\ncommitter ${who}\n${data('Side')}from :${n}\n`)
    const parents = `${n === 0 && from ? `from ${from}\n` : ''}${side ? `from :${n}\nmerge :${100_000 + n}\n` : ''}`
    parts.push(`commit refs/heads/all\nmark :${n + 1}\ncommitter ${who}\n`, data(`Edit ${n}`), parents, ...lines)
  }
  await git(repo, ['fast-import', '--quiet', '--force'], parts.join(''))
  return files
}

const seconds = (iso: string | undefined): number => Date.parse(iso ?? '') / 1000

/** The dates of all pages as the API shows them, by path of their file. */
async function shownDates(desk: Desk): Promise<Map<string, Dates>> {
  const pages = flat(await desk.pages()).filter((page) => page.git !== undefined)
  return new Map(
    pages.map((page) => [
      page.git?.path as string,
      { created: seconds(page.createdAt), updated: seconds(page.updatedAt) },
    ]),
  )
}

const sorted = (dates: ReadonlyMap<string, Dates>): [string, Dates][] => [...dates].sort(([a], [b]) => (a < b ? -1 : 1))

const timesOf = (dates: FileDates | undefined): Dates => ({
  created: dates?.created ?? 0,
  updated: dates?.updated ?? 0,
})

async function forgetDates(): Promise<void> {
  await here.service.close()
  for (const end of ['', '-wal', '-shm']) await rm(join(here.dir, 'data', `dates.db${end}`), { force: true })
  await here.restart()
}

test('a page of an imported history has the dates of its commits', async () => {
  const repo = join(here.dir, 'history.git')
  await git(here.dir, ['init', '--quiet', '--bare', repo])
  const expected = await writeHistory(repo, 400, 7)
  const desk = await openDesk(here)
  await here.admin.call('post', `${desk.url}/git/import`, { url: `file://${repo}`, ref: 'refs/heads/all' }).expect(204)
  while ((await desk.git('rev-parse', 'main')) !== (await git(repo, ['rev-parse', 'all']))) await setTimeout(20)
  assert.equal(sorted(await shownDates(desk)), sorted(expected))
})

test('a long history without a cache gives the same dates as single steps', async () => {
  const desk = await openDesk(here)
  const start = await desk.git('rev-parse', 'main')
  await writeHistory(desk.repo, 330, 11, start)
  const line = (await desk.git('rev-list', '--first-parent', '--reverse', `${start}..all`)).split('\n').filter(Boolean)
  for (let n = 0; n < line.length; n += 30) {
    await desk.git('update-ref', 'refs/heads/main', line[Math.min(n + 29, line.length - 1)] as string)
    await desk.pages()
  }
  const stepwise = sorted(await shownDates(desk))
  await forgetDates()
  assert.equal(sorted(await shownDates(desk)), stepwise)
  assert.ok(
    stepwise.some(([, { created, updated }]) => created < updated),
    'some pages were changed after they were created',
  )
  await here.restart()
  assert.equal(sorted(await shownDates(desk)), stepwise)
})

test('after a restart, stored dates are used and the history is not read again', async () => {
  const desk = await openDesk(here)
  await writeHistory(desk.repo, 300, 13, await desk.git('rev-parse', 'main'))
  await desk.git('update-ref', 'refs/heads/main', 'all')
  const before = await shownDates(desk)
  const head = (await desk.git('rev-parse', 'main')).trim() as CommitId
  await here.service.close()
  const index = openFacts({
    file: join(here.dir, 'data', 'dates.db'),
    kinds: [DATES_KIND],
    version: DATES_VERSION,
    maxBytes: 1e9,
    notice: (message) => assert.unreachable(message),
  })
  const kept = new StoredDates(index)
  const found = await kept.find(desk.space, [head])
  assert.equal(sorted(new Map([...before].map(([path]) => [path, timesOf(found?.dates.get(path))]))), sorted(before))
  for (const [path, { commit }] of found?.dates ?? [])
    assert.is(await desk.git('log', '-1', '--first-parent', '-m', '--format=%H', 'main', '--', path), commit, path)
  const marked = new Map([...before].map(([path, { updated }]) => [path, { created: FIRST - 1, updated }]))
  await kept.store(desk.space, head, new Map([...marked].map(([path, times]) => [path, { ...times, commit: head }])))
  index.close()
  await here.restart()
  assert.equal(sorted(await shownDates(desk)), sorted(marked))
  await forgetDates()
  assert.equal(sorted(await shownDates(desk)), sorted(before))
})

test('dates of more files than fit a row are stored completely or not at all', async () => {
  const file = join(here.dir, 'rows.db')
  const options = {
    file,
    kinds: [DATES_KIND],
    version: DATES_VERSION,
    maxBytes: 1e9,
    notice: (message: string) => assert.unreachable(message),
  }
  const commits = ['1', '2', '3'].map((digit) => digit.repeat(40) as CommitId)
  const dates = new Map(
    Array.from({ length: 5_000 }, (_, n) => [
      `folder/page-${n}.md`,
      { created: n, updated: n + 1, commit: commits[n % 3] as CommitId },
    ]),
  )
  const index = openFacts(options)
  await new StoredDates(index).store('space', commits[1] as CommitId, dates)
  assert.equal(await new StoredDates(index).find('space', commits), { commit: commits[1], dates })
  assert.is(await new StoredDates(index).find('other', commits), null)
  index.put([{ oid: `space:${commits[1]}:2`, values: ['{"damaged'] }])
  assert.is(await new StoredDates(index).find('space', commits), null)
  index.close()
})

test.run()
