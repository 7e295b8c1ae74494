/**
 * What the editor writes to a file: nothing if nothing was typed, and one line if one word was typed. The test run plays
 * small repositories. `REPOSITORIES="docs.bundle folder" scripts/soak desk/bytes` plays every page of these bundles and
 * folders by the operations of the editor, and then every page in Chromium, or `BROWSER_PAGES` of each of them.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { TransactionSpec } from '@codemirror/state'
import type { Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { readTable, setCell } from '../../src/desk/editor/table.js'
import { type Desk, deskOf, flat, openDesk, type PageJson } from '../commits/fixture.js'
import { REPOSITORIES as SMALL } from '../commits/story-repositories.js'
import { createBareRepository } from '../support/bare-repository.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { isSoak, size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { type DeskPage, openApp } from './browser.js'
import { type HeadlessPage, headlessPage } from './headless-page.js'

const [test, here] = await suiteWith('desk/bytes', startService)

/** Files that editors like to repair. */
const FRAGILE = {
  'README.md': '# Home\n',
  'crlf.md': '\ufeff---\r\ndescription: Why   # kept\r\n---\r\n\r\n# CRLF\r\n\r\nSome words.\t \r\n\r\nLast words.',
  'mixed.md': '# Mixed\r\n\nSome words.\rOther words.\n\n| a | b |\r\n|---|:-:|\n|one|  two|\r\n',
  'escapes.md':
    '# A\\_b\n\n\\*no\\* &#x20; &amp; <br>\nwords  \n\n\n\n{% hint style="info" %}\nwords\n{% endhint %}\n   \n',
  'latin.md': Buffer.from('# Caf\xe9\r\n\r\nSome words about M\xfcller.\r\n', 'latin1'),
}

/** Imports a bundle or a folder into a new space. */
async function imported(path: string, folder: string): Promise<Desk> {
  const remote = join(folder, `${basename(path)}.git`)
  await createBareRepository(remote, { fromBundle: path })
  const [ref] = (await git(remote, ['for-each-ref', '--format=%(refname)', 'refs/heads'])).trim().split('\n')
  const { call } = here.admin
  const { body } = await call('post', `/v1/orgs/${here.organization}/spaces`, { title: basename(path) }).expect(201)
  const at = `/v1/spaces/${body.id}/git`
  await call('post', `${at}/import`, { url: `file://${remote}`, ref }).expect(204)
  let state = 'queued'
  while (state === 'queued' || state === 'running') ({ state } = (await call('get', `${at}/info`).expect(200)).body)
  assert.is(state, 'success')
  return deskOf(here, body.id)
}

const folder = await mkdtemp(join(tmpdir(), 'bindery-bytes-'))
test.after(() => rm(folder, { recursive: true, force: true }))
const given = isSoak ? (process.env.REPOSITORIES ?? '').split(' ').filter((path) => path !== '') : []
const desks = new Map<string, Desk>()
for (const path of given) desks.set(basename(path), await imported(path, folder))
if (given.length === 0)
  for (const [name, files] of Object.entries({ ...SMALL, fragile: FRAGILE }))
    desks.set(name, await openDesk(here, files))

const documents = async (desk: Desk): Promise<PageJson[]> =>
  flat(await desk.pages()).filter(({ type }) => type === 'document')
const headOf = (desk: Desk): Promise<string> => desk.git('rev-parse', 'main')
const count = (text: Buffer, mark: string): number => text.toString('latin1').split(mark).length

/** A page that is open in the editor, without a browser. */
class OpenPage {
  private constructor(
    readonly desk: Desk,
    readonly id: string,
    readonly path: string,
    readonly page: HeadlessPage,
  ) {}

  static async open(desk: Desk, id: string): Promise<OpenPage> {
    const { body } = await here.admin.call('get', `${desk.url}/content/page/${id}/source`).expect(200)
    return new OpenPage(desk, id, body.git.path, headlessPage(body.markdown, body.git.oid))
  }

  get text(): string {
    return this.page.state.doc.toString()
  }

  edit(spec: TransactionSpec): void {
    this.page.edit(spec)
  }

  /** Saves as the editor does, and keeps the page open. */
  async save(): Promise<void> {
    const { raw, oid } = this.page.text.send()
    const { body } = await here.admin
      .call('put', `${this.desk.url}/content/page/${this.id}/source`, { markdown: raw })
      .set('If-Match', `"${oid}"`)
      .expect(200)
    this.page.text.confirm(body.git.oid)
  }

  bytes = (): Promise<Buffer> => this.desk.bytes(this.path)
}

/** Asserts that the commits since one insert `inserted` into one line of one file, and nothing else. */
async function isOneWord(desk: Desk, head: string, path: string, before: Buffer, inserted: string): Promise<void> {
  const after = await desk.bytes(path)
  assert.is(after.length, before.length + inserted.length, `${path} grows by the word`)
  let at = 0
  while (at < before.length && before[at] === after[at]) at++
  // The word may begin like the text behind it.
  for (; at >= 0; at--)
    if (Buffer.concat([before.subarray(0, at), Buffer.from(inserted), before.subarray(at)]).equals(after)) break
  assert.ok(at >= 0, `${path} is the old file with the word`)
  assert.is(count(after, '\n'), count(before, '\n'))
  assert.match(
    await desk.git('-c', 'core.quotePath=false', 'diff', '--numstat', '--no-renames', head, 'main'),
    /^1\t1\t[^\n]+\n?$/,
  )
}

/** The place behind one of the words of a text. */
function wordIn(text: string, turn: number): number | null {
  const words = [...text.matchAll(/[\p{L}\p{N}]{2,}/gu)]
  const word = words[turn % Math.max(1, words.length)]
  return word ? word.index + word[0].length : null
}

for (const [name, desk] of desks)
  test(`every page of ${name} keeps its bytes, and a changed word changes one line`, async () => {
    let [words, cells] = [0, 0]
    const pages = await documents(desk)
    for (const [turn, { id }] of pages.entries()) {
      const page = await OpenPage.open(desk, id)
      const [head, before] = [await headOf(desk), await page.bytes()]
      await page.save()
      assert.is(await headOf(desk), head, `${page.path} is not written`)
      const at = wordIn(page.text, turn * 7)
      if (at !== null) {
        page.edit({ changes: { from: at, insert: 'ly' } })
        await page.save()
        await isOneWord(desk, head, page.path, before, 'ly')
        page.edit({ changes: { from: at, to: at + 2 } })
        await page.save()
        assert.ok(before.equals(await page.bytes()), `${page.path} is as it was`)
        words++
      }
      cells += await editCells(page, before)
    }
    assert.ok(pages.length > 0 && words > 0)
    if (isSoak) console.info(`${name}: ${pages.length} pages, ${words} words, ${cells} cells of tables`)
  })

/** The tables of a text: lines with pipes around a line of dashes. */
const tablesIn = (text: string): { from: number; table: string }[] =>
  [...text.matchAll(/^(?=.*\|).+\n\|?[ \t:|-]*-[ \t:|-]*\n(?:.*\|.*(?:\n|$))*/gm)].map((match) => ({
    from: match.index,
    table: match[0].replace(/\n$/, ''),
  }))

/** Changes a cell of each table, checks that its line changed alone, and takes it back. Returns the number of cells. */
async function editCells(page: OpenPage, before: Buffer): Promise<number> {
  let edited = 0
  const whole = page.text
  for (const { from, table: text } of tablesIn(page.text)) {
    const table = readTable(text)
    const cell = table?.rows.at(-1)?.cells[0]
    if (!table || !cell) continue
    const edits = setCell(table, table.rows.length - 1, 0, `${cell.text} more`)
    page.edit({ changes: edits.map((one) => ({ ...one, from: from + one.from, to: from + one.to })) })
    await page.save()
    const lines = (bytes: Buffer): string[] => bytes.toString('latin1').split(/\r\n|\n|\r/)
    const [old, now] = [lines(before), lines(await page.bytes())]
    assert.is(now.length, old.length, page.path)
    assert.is(now.filter((line, at) => line !== old[at]).length, 1, page.path)
    page.edit({ changes: { from: 0, to: page.text.length, insert: whole } })
    await page.save()
    assert.ok(before.equals(await page.bytes()), `${page.path} is as it was after its table`)
    edited++
  }
  return edited
}

/** Types into a line that the editor shows. Returns false if it shows no word. */
const typeIn = (page: Page, turn: number): Promise<boolean> =>
  page.evaluate((nth) => {
    const walker = document.createTreeWalker(document.querySelector('.cm-content') as Element, NodeFilter.SHOW_TEXT)
    const places: [Node, number][] = []
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      for (const match of (node.textContent ?? '').matchAll(/[\p{L}\p{N}]{2,}/gu))
        places.push([node, match.index + match[0].length])
    const place = places[nth % Math.max(1, places.length)]
    if (!place) return false
    ;(document.querySelector('.cm-content') as HTMLElement).focus()
    document.getSelection()?.collapse(...place)
    return true
  }, turn)

/** Waits until the server has everything that was typed. */
const isSaved = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => /^Saved/.test(document.querySelector('.save[data-phase=clean]')?.textContent ?? ''))

/** Follows a link to the editor of a page, without a reload of the app. */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate((href) => {
    document.querySelector('.cm-content')?.classList.add('former')
    const link = document.body.appendChild(Object.assign(document.createElement('a'), { href }))
    link.click()
    link.remove()
  }, path)
  await page.waitForSelector('.cm-content:not(.former) .cm-line')
}

/** Opens a page in the editor, saves it, types a word, and undoes it. Returns whether a word was typed. */
async function typeOnce({ page }: DeskPage, desk: Desk, id: string, turn: number): Promise<boolean> {
  const { git: file } = (await here.admin.call('get', `${desk.url}/content/page/${id}/source`).expect(200)).body
  const [head, before] = [await headOf(desk), await desk.bytes(file.path)]
  await follow(page, `/s/${desk.space}/p/${id}/edit`)
  await page.focus('.cm-content')
  await page.keyboard.down('Control')
  await page.keyboard.press('KeyS')
  if (turn % 2 === 1) await page.keyboard.press('End')
  await page.keyboard.up('Control')
  if (!(await typeIn(page, turn))) return false
  assert.is(await headOf(desk), head, `${file.path} is not written`)
  // One input, so that it is one save and one step of Undo on a busy machine, too.
  await page.keyboard.sendCharacter('ly')
  await isSaved(page)
  await isOneWord(desk, head, file.path, before, 'ly')
  await page.focus('.cm-content')
  await page.keyboard.down('Control')
  await page.keyboard.press('KeyZ')
  await page.keyboard.press('KeyS')
  await page.keyboard.up('Control')
  await isSaved(page)
  assert.ok(before.equals(await desk.bytes(file.path)), `${file.path} is as it was`)
  return true
}

/** The pages that Chromium opens: all of them, or `BROWSER_PAGES` of each repository, spread over it. */
function sampleOf(pages: readonly PageJson[]): readonly PageJson[] {
  const most = size(5, Number(process.env.BROWSER_PAGES ?? pages.length))
  const step = Math.max(1, pages.length / most)
  return pages.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
}

test('typing in Chromium changes one line', async () => {
  const app = await openApp(here, here.admin.token)
  try {
    const own = given.length === 0 ? [...desks].filter(([name]) => name === 'fragile') : desks
    for (const [name, desk] of own) {
      const failed: string[] = []
      const typed: string[] = []
      await app.open(`/s/${desk.space}`)
      const pages = sampleOf(await documents(desk))
      for (const [turn, { id, path }] of pages.entries())
        try {
          if (await typeOnce(app, desk, id, turn)) typed.push(path)
        } catch (error) {
          // The other pages are still of interest.
          failed.push(`${path}: ${error}`)
          await app.open(`/s/${desk.space}`)
        }
      assert.equal(failed, [], name)
      assert.ok(typed.length > 0)
      if (isSoak) console.info(`${name}: typed in ${typed.length} of ${pages.length} pages: ${typed.join(', ')}`)
    }
  } finally {
    await app.browser.close()
  }
})

test.run()
