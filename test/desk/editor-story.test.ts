/** Writers in Chromium, checked with plain Git: no word is lost, and no unedited byte changes. */
import type { Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { flat, openDesk } from '../commits/fixture.js'
import { openChromium } from '../site/chromium.js'
import { type Caller, startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, context] = await suiteWith('desk/editor-story', async () => {
  const here = await startService()
  const browser = await openChromium(here)
  const close = async (): Promise<void> => {
    await browser.close()
    await here.close()
  }
  return { here, browser, close }
})
const { here, browser } = context

const FILES = {
  'SUMMARY.md': '# Table of contents\n\n* [Docker](docker.md)\n* [Other](sub/other.md)\n',
  'docker.md':
    '\ufeff---\r\ndescription: Why   # kept\r\n---\r\n\r\n# Docker\r\n\r\nFirst words.\t \r\n\r\nLast words.',
  'sub/other.md': '# Other\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\nText.\n',
}

/** Opens an address of the app as a user, in a new profile. Errors of scripts fail the story. */
async function as(caller: Caller, path: string, work: (page: Page) => Promise<void>): Promise<void> {
  const profile = await browser.createBrowserContext()
  const errors: string[] = []
  try {
    const page = await profile.newPage()
    page.setDefaultTimeout(60_000)
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) errors.push(message.text())
    })
    await page.setViewport({ width: 1440, height: 900 })
    await page.goto(`${here.url}/sign-in`, { waitUntil: 'load' })
    await signIn(page, caller)
    await page.goto(here.url + path, { waitUntil: 'load' })
    await page.waitForSelector('.cm-content')
    await work(page)
    assert.equal(errors, [])
  } finally {
    await profile.close()
  }
}

const signIn = (page: Page, { token }: Caller): Promise<number> =>
  page.evaluate(
    async (given) =>
      (
        await fetch('/v1/session', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Requested-By': 'test' },
          body: JSON.stringify({ token: given }),
        })
      ).status,
    token,
  )

const textOf = (page: Page): Promise<string> =>
  page.$eval('.cm-content', (element) => (element as HTMLElement).innerText)
const saved = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => /^Saved/.test(document.querySelector('.save')?.textContent ?? ''))
const stateIs = (page: Page, text: string): Promise<unknown> =>
  page.waitForFunction((wanted) => document.querySelector('.save')?.textContent?.includes(wanted), {}, text)
const button = async (page: Page, text: string): Promise<void> => {
  const found = await page.waitForSelector(`::-p-xpath(//button[contains(., "${text}")])`)
  await found?.click()
}
/** Types after a text in the source. */
async function typeAfter(page: Page, text: string, typed: string): Promise<void> {
  await page.evaluate((wanted) => {
    const walker = document.createTreeWalker(document.querySelector('.cm-content') as Element, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent?.indexOf(wanted) ?? -1
      if (at < 0) continue
      ;(document.querySelector('.cm-content') as HTMLElement).focus()
      document.getSelection()?.collapse(node, at + wanted.length)
      return
    }
    throw new Error(`No text ${wanted}`)
  }, text)
  await page.keyboard.type(typed)
}
const press = async (page: Page, modifier: 'Control' | 'Alt', key: string): Promise<void> => {
  await page.keyboard.down(modifier)
  await page.keyboard.press(key as 'KeyS')
  await page.keyboard.up(modifier)
}

test('a writer changes one word, and only its line changes', async () => {
  const desk = await openDesk(here, FILES)
  const id = await desk.id('docker')
  const head = (await desk.git('rev-parse', 'main')).trim()
  await as(here.admin, `/s/${desk.space}/p/${id}/edit`, async (page) => {
    await page.waitForSelector('.pvdoc .tx')
    await press(page, 'Control', 's')
    assert.is((await desk.git('rev-parse', 'main')).trim(), head, 'opening and closing writes nothing')
    await typeAfter(page, 'First', ' new')
    await saved(page)
    await page.waitForFunction(() => /First new words/.test(document.querySelector('.pvdoc')?.textContent ?? ''))
    await page.waitForSelector('.pvdoc .tx.chg')
    await page.waitForSelector('.cm-chg')
  })
  assert.is(await desk.file('docker.md'), FILES['docker.md'].replace('First', 'First new'))
  assert.match(await desk.git('diff', '--numstat', head, 'main'), /^1\t1\tdocker\.md\s*$/)
})

test('the first key creates a draft if main rejects edits, and a reload continues it', async () => {
  const desk = await openDesk(here, FILES)
  await here.admin.call('patch', desk.url, { requiredApprovals: 1 }).expect(200)
  const writer = await here.caller('edit')
  const id = await desk.id('docker')
  const requests = async () =>
    (await here.admin.call('get', `${desk.url}/change-requests?status=draft`).expect(200)).body.items
  await as(writer, `/s/${desk.space}/p/${id}/edit`, async (page) => {
    assert.equal(await requests(), [])
    await typeAfter(page, 'Last', ' good')
    await saved(page)
    assert.match(page.url(), /\/c\/1\/p\//)
    await page.reload({ waitUntil: 'load' })
    await page.waitForFunction(() => document.querySelector('.cm-content')?.textContent?.includes('Last good words'))
    await typeAfter(page, 'good', ' old')
    await saved(page)
  })
  const [request] = await requests()
  assert.is(request.subject, 'Edit Docker')
  assert.is(
    (await desk.file('docker.md', `refs/heads/change-requests/1`).catch(() => null)) ??
      (await desk.git(
        'show',
        `${(await here.admin.call('get', `${desk.url}/change-requests/1`)).body.revision}:docker.md`,
      )),
    FILES['docker.md'].replace('Last', 'Last good old'),
  )
  assert.is(await desk.file('docker.md'), FILES['docker.md'])
})

test('no word is lost without a connection, even after a reload', async () => {
  const desk = await openDesk(here, FILES)
  const id = await desk.id('docker')
  await as(here.admin, `/s/${desk.space}/p/${id}/edit`, async (page) => {
    await page.waitForSelector('.pvdoc .tx')
    await page.setRequestInterception(true)
    let isLost = true
    page.on('request', (request) => {
      if (isLost && request.method() === 'PUT') void request.abort('internetdisconnected')
      else void request.continue()
    })
    await typeAfter(page, 'First', ' offline')
    await stateIs(page, 'Not saved')
    await page.waitForSelector('.note.bad[role=alert]')
    await page.keyboard.type(' more')
    assert.is(await desk.file('docker.md'), FILES['docker.md'])
    await page.reload({ waitUntil: 'load' })
    await button(page, 'Restore')
    await page.waitForFunction(() => document.querySelector('.cm-content')?.textContent?.includes('First offline more'))
    isLost = false
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await saved(page)
  })
  assert.is(await desk.file('docker.md'), FILES['docker.md'].replace('First', 'First offline more'))
})

test('after its session is revoked, the editor asks for a sign-in and then saves', async () => {
  const desk = await openDesk(here, FILES)
  const writer = await here.caller('edit')
  const id = await desk.id('docker')
  await as(writer, `/s/${desk.space}/p/${id}/edit`, async (page) => {
    await page.waitForSelector('.pvdoc .tx')
    const { items } = (await writer.call('get', '/v1/user/tokens').expect(200)).body
    const session = items.find((one: { session?: unknown }) => one.session !== undefined)
    await writer.call('delete', `/v1/user/tokens/${session.id}`).expect(204)
    await typeAfter(page, 'First', ' kept')
    await page.waitForSelector('dialog[open]')
    assert.match(await textOf(page), /First kept words/)
    assert.is(await desk.file('docker.md'), FILES['docker.md'])
    await button(page, 'Paste an access token')
    await page.type('dialog[open] input[type=password]', writer.token)
    await page.keyboard.press('Enter')
    await saved(page)
  })
  assert.is(await desk.file('docker.md'), FILES['docker.md'].replace('First', 'First kept'))
})

test('a writer who lost the role can only read and copy the text', async () => {
  const desk = await openDesk(here, FILES)
  const writer = await here.caller('edit')
  const id = await desk.id('docker')
  await as(writer, `/s/${desk.space}/p/${id}/edit`, async (page) => {
    await page.waitForSelector('.pvdoc .tx')
    await here.admin.call('patch', `/v1/orgs/${here.organization}/members/${writer.user}`, { role: 'read' }).expect(200)
    await typeAfter(page, 'First', ' mine')
    await stateIs(page, 'may not edit')
    await page.waitForSelector('.cm-content[contenteditable=false]')
    assert.match(await textOf(page), /First mine words/)
    await page.waitForSelector('::-p-xpath(//button[contains(., "Copy my text")])')
  })
  assert.is(await desk.file('docker.md'), FILES['docker.md'])
})

test('two concurrent writers of one page lose no words', async () => {
  const desk = await openDesk(here, FILES)
  const other = await here.caller('edit')
  const id = await desk.id('docker')
  const path = `/s/${desk.space}/p/${id}/edit`
  await as(here.admin, path, (mine) =>
    as(other, path, async (theirs) => {
      await mine.waitForSelector('.pvdoc .tx')
      await typeAfter(theirs, 'Last', ' their')
      await saved(theirs)
      // Another block: merged automatically.
      await typeAfter(mine, 'First', ' my')
      await saved(mine)
      await mine.waitForFunction(() => document.querySelector('.cm-content')?.textContent?.includes('Last their words'))
      const both = FILES['docker.md'].replace('First', 'First my').replace('Last', 'Last their')
      assert.is(await desk.file('docker.md'), both)
      // The same block: the writer resolves the conflict.
      await typeAfter(theirs, 'First', ' their')
      await button(theirs, 'Keep mine').catch(() => {})
      await typeAfter(mine, 'First', ' own')
      await mine.waitForSelector('.note.wait[role=alert]')
      await button(mine, 'Compare both')
      await mine.waitForSelector('dialog[open] .sides')
      await mine.click('dialog[open] label:nth-of-type(3) input')
      await button(mine, 'Save the result')
      await saved(mine)
    }),
  )
  const text = await desk.file('docker.md')
  for (const word of ['First own', 'First their', 'Last their']) assert.ok(text?.includes(word), `${word} in ${text}`)
})

test('the table grid, the form and the block palette change only their part of the text', async () => {
  const desk = await openDesk(here, FILES)
  const id = await desk.id('sub/other').catch(async () => flat(await desk.pages())[1]?.id ?? '')
  await as(here.admin, `/s/${desk.space}/p/${id}/edit`, async (page) => {
    await typeAfter(page, ' 1', '')
    await page.click('[aria-label="Table as grid"]')
    const cell = await page.waitForSelector('.grid-ed input[aria-label="Row 1, B"]')
    await cell?.click({ clickCount: 3 })
    await page.keyboard.type('two | three')
    await button(page, 'Add row')
    await button(page, 'Source')
    await saved(page)
    assert.match((await desk.file('sub/other.md')) ?? '', /\| 1 \| two \\\| three \|\n\| {2}\| {2}\|\n\nText\.\n$/)
    await page.click('.meta > summary')
    await page.waitForSelector('.form2 textarea')
    await page.type('.form2 textarea', 'About others')
    await page.click('.meta > summary')
    await saved(page)
    await page.waitForFunction(() => document.querySelector('.cm-content')?.textContent?.startsWith('---'))
    await typeAfter(page, 'Text.', '\n\n/hin')
    await page.waitForSelector('.cm-tooltip-autocomplete')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Mind [it](dock')
    await page.waitForSelector('.cm-tooltip-autocomplete')
    await page.keyboard.press('Enter')
    await press(page, 'Control', 's')
    await saved(page)
  })
  const text = (await desk.file('sub/other.md')) ?? ''
  assert.match(text, /^---\ndescription: About others\n---\n\n# Other\n/)
  assert.match(text, /Text\.\n\n\{% hint style="info" %\}\nMind \[it\]\(\.\.\/docker\.md\)\n\{% endhint %\}\n/)
})

test('entries move with the keyboard, and the move can be undone', async () => {
  const desk = await openDesk(here, FILES)
  const id = await desk.id('docker')
  await as(here.admin, `/s/${desk.space}/p/${id}/edit`, async (page) => {
    await page.waitForSelector('.tree a[aria-current=page]')
    await page.focus('.tree a[aria-current=page]')
    await press(page, 'Alt', 'ArrowDown')
    await page.waitForSelector('.toast')
    assert.is(await desk.file('SUMMARY.md'), '# Table of contents\n\n* [Other](sub/other.md)\n* [Docker](docker.md)\n')
    await button(page, 'Undo')
    await page.waitForFunction(() => document.querySelector('.tree a')?.textContent?.includes('Docker'))
  })
  assert.is(await desk.file('SUMMARY.md'), FILES['SUMMARY.md'])
})

test.run()
