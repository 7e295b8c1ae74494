/** Resolves conflicts in Chromium by keyboard: those of a sync, and those of a change request after main has moved. */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { deskOf, openDesk } from '../commits/fixture.js'
import { openChromium } from '../site/chromium.js'
import type { Files } from '../support/bare-repository.js'
import { type GitHttp, startGitHttp } from '../support/git-http.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const [test, context] = await suiteWith('desk/conflicts', async () => {
  const served = await mkdtemp(join(tmpdir(), 'bindery-remotes-'))
  const remotes: GitHttp = await startGitHttp({ root: served })
  const here = await startService()
  const browser: Browser = await openChromium(here)
  return {
    here,
    remotes,
    browser,
    close: async () => {
      await browser.close()
      await here.close()
      await remotes.close()
      await rm(served, { recursive: true, force: true })
    },
  }
})

const LINES = Array.from({ length: 20 }, (_, n) => `Paragraph ${n} about the workflow.\n`)
const text = (changes: Record<number, string> = {}): string =>
  `# Guide\n\n${LINES.map((line, n) => changes[n] ?? line).join('\n')}`
const SUMMARY = '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n* [Old](old.md)\n'
const FILES: Files = { 'SUMMARY.md': SUMMARY, 'README.md': '# Home\n', 'guide.md': text(), 'old.md': text() }

/** Opens an address of the app in a new window with a new session. Fails on any error in the console. */
async function open(path: string, token = context.here.admin.token): Promise<Page> {
  const { browser, here } = context
  const own = await browser.createBrowserContext()
  const page = await own.newPage()
  await page.goto(`${here.url}/sign-in`)
  const status = await page.evaluate(
    async (secret) =>
      (
        await fetch('/v1/session', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ token: secret }),
        })
      ).status,
    token,
  )
  assert.is(status, 201)
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 409/.test(message.text())) problems.push(message.text())
  })
  await page.goto(here.url + path)
  return page
}

const problems: string[] = []

/** Waits until an element with this text is shown. */
const shown = (page: Page, selector: string, words: string): Promise<unknown> =>
  page.waitForFunction(
    (where, wanted) => [...document.querySelectorAll(where)].some((one) => one.textContent?.includes(wanted)),
    {},
    selector,
    words,
  )

test('the keyboard resolves the conflicts of a sync, and no change of either side is lost', async () => {
  const { here, remotes } = context
  const remote = await remotes.createRepository('docs.git', { files: FILES })
  const made = await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201)
  const space = made.body.id as string
  const base = `/v1/spaces/${space}`
  const sync = { url: remote.url, ref: 'refs/heads/main' }
  const run = async (): Promise<string> => {
    await here.admin.call('post', `${base}/git/import`, sync).expect(204)
    for (;;) {
      const { body } = await here.admin.call('get', `${base}/git/info`).expect(200)
      if (body.state !== 'queued' && body.state !== 'running') return body.state
    }
  }
  assert.is(await run(), 'success')
  const desk = await deskOf(here, space)
  const mine = { 3: 'Three, in Bindery.\n', 9: 'Nine, in Bindery.\n', 15: 'Fifteen, in Bindery.\n' }
  await desk.human({ 'guide.md': text(mine), 'old.md': null, 'SUMMARY.md': SUMMARY.replace('* [Old](old.md)\n', '') })
  const theirs = { 3: 'Three, on the host.\n', 9: 'Nine, on the host.\n', 12: 'Twelve, on the host.\n' }
  const head = await remote.commit({ 'guide.md': text(theirs), 'old.md': text({ 1: 'One, on the host.\n' }) })
  assert.is(await run(), 'conflict')
  const before = await desk.git('rev-parse', 'main')

  const page = await open(`/s/${space}/c/1/conflicts/1`)
  await shown(page, '.chip', '3 left')
  await shown(page, '.sides .rendered', 'Three, in Bindery.')
  await page.keyboard.press('2')
  await shown(page, '.chip', '2 left')
  await page.keyboard.press('e')
  await page.waitForSelector('.merge-editor .cm-content:focus')
  await page.keyboard.type('Nine, by hand.')
  await page.keyboard.press('Escape')
  await shown(page, '.chip', '1 left')
  await shown(page, '.result', 'Nine, by hand.')
  await page.keyboard.press('j')
  await page.waitForFunction(() => document.querySelector('.cf.at')?.textContent?.startsWith('Old'))
  await page.keyboard.press('1')
  await shown(page, '.chip', 'All decided')
  await page.keyboard.press('u')
  await shown(page, '.chip', '1 left')
  await page.keyboard.press('2')
  await shown(page, '.chip', 'All decided')
  assert.is(await desk.git('rev-parse', 'main'), before, 'nothing changes before the end')
  const branch = await desk.git('rev-parse', 'change-requests/1')
  await page.keyboard.down('Control')
  await page.keyboard.press('Enter')
  await page.keyboard.up('Control')
  await page.waitForFunction((path) => location.pathname === path, {}, `/s/${space}/c/1`)

  const [main, update] = (await desk.git('log', '-1', '--format=%P', 'main')).split(' ')
  assert.is(main, before)
  assert.is(await desk.git('log', '-1', '--format=%P', update as string), `${branch} ${before}`)
  await desk.git('merge-base', '--is-ancestor', head, 'main')
  assert.is(
    await desk.file('guide.md'),
    text({ ...mine, ...theirs, 9: 'Nine, in Bindery.\nNine, on the host.\nNine, by hand.\n' }),
  )
  assert.is(await desk.file('old.md'), text({ 1: 'One, on the host.\n' }))
  assert.is(await run(), 'success')
  assert.equal(problems, [])
})

test('decisions survive a reload and a move of main, and make one merge commit', async () => {
  const { here } = context
  const desk = await openDesk(here, FILES)
  const change = await desk.changeRequest('Reword')
  await desk.human(
    { 'guide.md': text({ 3: 'Three, in the request.\n' }), 'README.md': '# Start\n' },
    { ref: change.ref },
  )
  await desk.human({ 'guide.md': text({ 3: 'Three, on main.\n' }), 'README.md': '# Welcome\n' })
  const page = await open(`/s/${desk.space}/c/1/conflicts/1?view=source`)
  await shown(page, '.chip', '2 left')
  await shown(page, '.sides', 'Welcome')
  await shown(page, '.sides', 'request')
  await page.keyboard.press('1')
  await shown(page, '.chip', '1 left')
  // A key that is typed before the text of its conflict is loaded has no effect.
  const isDecided = () => page.evaluate(() => document.querySelector('.chip')?.textContent?.includes('All decided'))
  while (!(await isDecided())) {
    await page.keyboard.press('3')
    await page.evaluate(() => new Promise((done) => setTimeout(done, 200)))
  }
  await page.reload()
  await shown(page, '.chip', 'All decided')
  await desk.human({ 'README.md': '# Welcome back\n' })
  const main = await desk.git('rev-parse', 'main')
  const branch = await desk.git('rev-parse', change.ref)
  await page.keyboard.down('Control')
  await page.keyboard.press('Enter')
  await page.keyboard.up('Control')
  await shown(page, '.toast', 'The content changed while you decided.')
  await shown(page, '.chip', '1 left')
  assert.is(await desk.git('rev-parse', change.ref), branch)
  await page.waitForFunction(() => document.querySelector('.sides')?.textContent?.includes('Welcome back'))
  await page.evaluate(() => document.querySelectorAll<HTMLElement>('.cf')[0]?.focus())
  await page.keyboard.press('2')
  await shown(page, '.chip', 'All decided')
  await page.keyboard.down('Control')
  await page.keyboard.press('Enter')
  await page.keyboard.up('Control')
  await page.waitForFunction((path) => location.pathname === path, {}, `/s/${desk.space}/c/1`)
  assert.is(await desk.git('log', '-1', '--format=%P', change.ref), `${branch} ${main}`)
  assert.is(await desk.git('rev-parse', 'main'), main, 'a change request is merged by its reviewers')
  assert.is(await desk.file('README.md', change.ref), '# Start\n')
  assert.is(await desk.file('guide.md', change.ref), text({ 3: 'Three, on main.\nThree, in the request.\n' }))
  assert.equal(problems, [])
})

/** Gives the file another name in the form of the current conflict. */
async function keepAs(page: Page, name: string, button: string): Promise<void> {
  const field = await page.waitForSelector('form.result input')
  await field?.evaluate((one) => (one as HTMLInputElement).select())
  await field?.type(name)
  await shown(page, 'form.result button', button)
  await page.keyboard.press('Enter')
}

test('both pages stay whose names differ only in case', async () => {
  const desk = await openDesk(context.here, FILES)
  const change = await desk.changeRequest('Notes')
  const listed = (path: string): string => SUMMARY.replace('* [Guide]', `* [Notes](${path})\n* [Guide]`)
  await desk.human(
    { 'Notes.md': '# Notes\n\nMine.\n', 'SUMMARY.md': `${SUMMARY}* [Notes](Notes.md)\n` },
    { ref: change.ref },
  )
  await desk.human({ 'notes.md': '# Notes\n\nTheirs.\n', 'SUMMARY.md': listed('notes.md') })
  const page = await open(`/s/${desk.space}/c/1/conflicts/1`)
  await shown(page, '.cf', 'names that differ only in case')
  await shown(page, '.sides', 'Mine.')
  await shown(page, '.sides', 'Theirs.')
  await keepAs(page, 'my-notes', 'Rename')
  await shown(page, 'main', 'No conflicts')
  await change.update(200)
  await context.here.admin.call('post', `${change.url}/merge`).expect(200)
  assert.equal(
    (await desk.paths()).filter((path) => /notes/i.test(path)),
    ['my-notes.md', 'notes.md'],
  )
  assert.match((await desk.file('my-notes.md')) ?? '', 'Mine.')
  assert.match((await desk.file('SUMMARY.md')) ?? '', /\(notes\.md\)[\s\S]*\(my-notes\.md\)/)
  assert.equal(problems, [])
})

test('a page or file and the folder of the other side both stay', async () => {
  for (const [side, path] of [
    ['main', 'x.md'],
    ['main', 'x'],
    ['change-request', 'x.md'],
    ['change-request', 'x.txt'],
  ] as const) {
    const desk = await openDesk(context.here, FILES)
    const change = await desk.changeRequest('Folder')
    const isPage = path.endsWith('.md')
    const file: Files = {
      [path]: '# X\n\nThe file.\n',
      ...(isPage ? { 'SUMMARY.md': `${SUMMARY}* [X](${path})\n` } : {}),
    }
    const folder: Files = {
      [`${path}/y.md`]: '# Y\n\nIn a folder.\n',
      'README.md': `# Home\n\n[y](${path}/y.md)\n`,
    }
    await desk.human(side === 'main' ? folder : file, { ref: change.ref })
    await desk.human(side === 'main' ? file : folder)
    const page = await open(`/s/${desk.space}/c/1/conflicts/1`)
    await shown(page, '.sides', 'The file.')
    await keepAs(page, 'mine', 'Rename')
    await shown(page, 'main', 'No conflicts')
    await change.update(200)
    const [kept, moved] = side === 'main' ? [path, 'mine/y.md'] : [`${path}/y.md`, path.replace('x', 'mine')]
    assert.equal(
      (await desk.paths(change.ref)).filter((one) => /^(?:x|mine)/.test(one)),
      [kept, moved].sort(),
    )
    assert.match((await desk.file('README.md', change.ref)) ?? '', side === 'main' ? '(mine/y.md)' : `(${path}/y.md)`)
    if (isPage)
      assert.match((await desk.file('SUMMARY.md', change.ref)) ?? '', side === 'main' ? '(x.md)' : '(mine.md)')
    assert.is((await context.here.admin.call('post', `${change.url}/merge`)).status, 200)
  }
  assert.equal(problems, [])
})

test('folders whose names differ only in case become one, or both stay', async () => {
  for (const name of ['Tutorials', 'lessons']) {
    const desk = await openDesk(context.here, FILES)
    const change = await desk.changeRequest('Tutorials')
    const section = (folder: string, page: string): Files => ({
      [`${folder}/${page}.md`]: `# ${page}\n\n[Home](../README.md)\n`,
      [`${folder}/${page}.png`]: 'png',
    })
    await desk.human(
      { ...section('tutorials', 'mine'), 'SUMMARY.md': `${SUMMARY}* [Mine](tutorials/mine.md)\n` },
      { ref: change.ref },
    )
    await desk.human({
      ...section('Tutorials', 'theirs'),
      'SUMMARY.md': SUMMARY.replace('* [Guide]', '* [Theirs](Tutorials/theirs.md)\n* [Guide]'),
    })
    const mine = await desk.id('mine', `/change-requests/${change.number}`)
    const page = await open(`/s/${desk.space}/c/1/conflicts/1`)
    await shown(page, '.cf', 'names that differ only in case')
    await shown(page, '.sides', 'tutorials')
    await shown(page, '.sides', 'A folder with this name')
    assert.is(await page.$eval('form.result input', (field) => (field as HTMLInputElement).value), 'Tutorials')
    await keepAs(page, name, 'Rename')
    await shown(page, 'main', 'No conflicts')
    await change.update(200)
    await context.here.admin.call('post', `${change.url}/merge`).expect(200)
    assert.equal(
      (await desk.paths()).filter((path) => /tutorials|lessons/i.test(path)),
      ['Tutorials/theirs.md', 'Tutorials/theirs.png', `${name}/mine.md`, `${name}/mine.png`].sort(),
    )
    const summary = (await desk.file('SUMMARY.md')) ?? ''
    assert.ok(summary.includes('(Tutorials/theirs.md)') && summary.includes(`(${name}/mine.md)`), summary)
    assert.is(await desk.id('mine'), mine)
  }
  assert.equal(problems, [])
})

test('a reader sees the conflicts but cannot resolve them, and axe reports no violation', async () => {
  const { here } = context
  const desk = await openDesk(here, FILES)
  const change = await desk.changeRequest('Reword')
  const picture = (n: number): Buffer => Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, n])
  const changed = (word: string, n: number): Files => ({
    'guide.md': text({ 3: `Three, ${word}.\n` }),
    'SUMMARY.md': SUMMARY.replace('Guide', `Guide ${word}`),
    'logo.png': picture(n),
  })
  await desk.human({ ...changed('there', 1), 'old.md': null }, { ref: change.ref })
  await desk.human({ ...changed('here', 2), 'old.md': text({ 3: 'Edited.\n' }) })
  const reader = await here.caller('read')
  const page = await open(`/s/${desk.space}/c/1/conflicts/1`, reader.token)
  await shown(page, '.note', 'You may look at the conflicts.')
  await shown(page, '.sides .rendered', 'Three, here.')
  await shown(page, '.sides', 'Edited.')
  await page.keyboard.press('1')
  await page.click('.sides button[aria-disabled="true"]')
  await shown(page, '.chip', '4 left')
  // axe adds a style element, which the policy of the page blocks.
  await page.evaluate(axe)
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    const found = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: { run(context: object): Promise<{ violations: Violation[] }> } }
      return (await axe.run({ include: ['.ribbon', '.side', '#main', '.keys'] })).violations.map(
        ({ id, nodes }) => `${id} ${nodes[0]?.html}`,
      )
    })
    assert.equal(found, [])
  }
})

interface Violation {
  id: string
  nodes: { html: string }[]
}

test('a key that is pressed before the text is there waits for it, and says so', async () => {
  const { here } = context
  const desk = await openDesk(here, {
    'SUMMARY.md': SUMMARY,
    'README.md': '# Home\n',
    'guide.md': text(),
    'old.md': text(),
  })
  await here.admin.call('post', `${desk.url}/change-requests`, { subject: 'Late' }).expect(201)
  await here.admin
    .call('post', `${desk.url}/change-requests/1/content`, {
      changes: [
        {
          operation: 'update_page',
          page: await desk.id('guide'),
          document: { markdown: text({ 3: 'Three, here.\n' }) },
        },
        { operation: 'update_page', page: await desk.id('old'), document: { markdown: text({ 5: 'Five, here.\n' }) } },
      ],
    })
    .expect(200)
  await desk.human({ 'guide.md': text({ 3: 'Three, there.\n' }), 'old.md': text({ 5: 'Five, there.\n' }) })
  const page = await open(`/s/${desk.space}/c/1/conflicts/1`)
  let letGo = (): void => {}
  const held = new Promise<void>((done) => {
    letGo = done
  })
  await page.setRequestInterception(true)
  page.on('request', (request) => {
    if (!request.url().includes('/conflict-state/file')) void request.continue()
    else void held.then(() => request.continue())
  })
  await page.reload({ waitUntil: 'domcontentloaded' })
  await shown(page, '.keys', 'The text is loading')
  await page.keyboard.press('j')
  await page.waitForSelector('#conflict-1.at')
  await page.keyboard.press('2')
  await shown(page, '[role=status]', 'The key counts when it is there')
  letGo()
  await shown(page, '#conflict-1 .chip', 'This change request')
  await shown(page, '.chip', '1 left')
  assert.is(await page.$eval('#conflict-0 .chip', (chip) => chip.textContent), 'To decide')
  await page.close()
})

test.run()
