/** Writers in Chromium, checked with plain Git: no word is lost, and no unedited byte changes. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ElementHandle } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { flat, openDesk } from '../commits/fixture.js'
import { openChromium } from '../site/chromium.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { button, inEditor, press, saved, stateIs, textOf, typeAfter } from './editor-page.js'

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

const as = inEditor(here, browser)

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

test('a line that is written from right to left has that direction, and others do not', async () => {
  const desk = await openDesk(here, { ...FILES, 'docker.md': '# Docker\n\nمرحبا بكم في **دليل** Docker.\n' })
  await as(here.admin, `/s/${desk.space}/p/${await desk.id('docker')}/edit`, async (page) => {
    await page.waitForSelector('.cm-line[dir="auto"]')
    const directions = await page.$$eval('.cm-line', (lines) => lines.map((line) => getComputedStyle(line).direction))
    assert.equal(directions, ['ltr', 'ltr', 'rtl', 'ltr'])
    await typeAfter(page, 'Docker.', ' نص')
    await saved(page)
  })
  assert.is(await desk.file('docker.md'), '# Docker\n\nمرحبا بكم في **دليل** Docker. نص\n')
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

test('a save whose response was lost is no other person, even after a reload', async () => {
  const desk = await openDesk(here, FILES)
  const id = await desk.id('docker')
  await as(here.admin, `/s/${desk.space}/p/${id}/edit`, async (page) => {
    await page.waitForSelector('.pvdoc .tx')
    await page.setRequestInterception(true)
    let isLost = true
    const cookie = (await page.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    page.on('request', (request) => {
      if (!isLost || request.method() !== 'PUT') return void request.continue()
      const { url, method, headers, body } = {
        url: request.url(),
        method: request.method(),
        headers: { ...request.headers(), cookie, origin: here.url },
        body: request.postData() ?? '',
      }
      void fetch(url, { method, headers, body }).then(
        () => request.abort('internetdisconnected'),
        () => request.abort('internetdisconnected'),
      )
    })
    await typeAfter(page, 'First', ' sent')
    await stateIs(page, 'Not saved')
    const first = FILES['docker.md'].replace('First', 'First sent')
    assert.is(await desk.file('docker.md'), first)
    await page.keyboard.type(' and more')
    await page.waitForFunction(() => document.querySelector('.cm-content')?.textContent?.includes('sent and more'))
    await page.reload({ waitUntil: 'load' })
    await button(page, 'Restore')
    isLost = false
    await saved(page)
    assert.not.match(await page.evaluate(() => document.body.innerText), /were merged with yours|Compare both/)
  })
  assert.is(await desk.file('docker.md'), FILES['docker.md'].replace('First', 'First sent and more'))
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
    await typeAfter(page, 'First', ' ke')
    await stateIs(page, 'signed out')
    await page.keyboard.type('pt')
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
    await page.waitForSelector('.pvdoc .tx')
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

test('an edit of a cell changes only that cell of an HTML table, even next to a list', async () => {
  const table =
    '<table><thead><tr><th>Name</th><th>Use</th></tr></thead><tbody><tr><td>A</td><td><ul><li>one</li></ul></td></tr></tbody></table>'
  const desk = await openDesk(here, { ...FILES, 'sub/other.md': `# Other\n\n${table}\n\nText.\n` })
  const id = flat(await desk.pages())[1]?.id ?? ''
  await as(here.admin, `/s/${desk.space}/p/${id}/edit`, async (page) => {
    await page.waitForSelector('.pvdoc .tx')
    await typeAfter(page, 'Name', '')
    await page.click('[aria-label="Table as grid"]')
    await page.waitForSelector('.grid-ed textarea[aria-label="Row 1, Use"]')
    const cell = await page.waitForSelector('.grid-ed input[aria-label="Row 1, Name"]')
    await cell?.click({ clickCount: 3 })
    await page.keyboard.type('A <b>new</b> name')
    await button(page, 'Source')
    await saved(page)
  })
  assert.is(
    await desk.file('sub/other.md'),
    `# Other\n\n${table.replace('<td>A</td>', '<td>A <b>new</b> name</td>')}\n\nText.\n`,
  )
})

test('a cover is written as its path, also if its name has a space', async () => {
  const desk = await openDesk(here, FILES)
  const id = flat(await desk.pages())[1]?.id ?? ''
  const picture = join(here.dir, 'my cover.png')
  await writeFile(
    picture,
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  )
  await as(here.admin, `/s/${desk.space}/p/${id}/edit`, async (page) => {
    await page.waitForSelector('.pvdoc .tx')
    await page.click('.meta > summary')
    const field = await page.waitForSelector('.form2 input[type=file]')
    await (field as ElementHandle<HTMLInputElement>).uploadFile(picture)
    await page.waitForFunction(() => document.querySelector('.cm-content')?.textContent?.includes('cover:'))
    await saved(page)
  })
  const cover = /^cover: (.*)$/m.exec((await desk.file('sub/other.md')) ?? '')?.[1] ?? ''
  assert.match(cover, /^\.\.\/.*my[ -]cover\.png$/)
  assert.ok(await desk.git('cat-file', '-s', `main:${join('sub', cover)}`))
})

test('the source and the preview scroll together, in both directions', async () => {
  const text = Array.from({ length: 120 }, (_, at) => `Paragraph ${at} of this page.`).join('\n\n')
  const desk = await openDesk(here, { ...FILES, 'docker.md': `# Docker\n\n${text}\n` })
  const id = await desk.id('docker')
  await as(here.admin, `/s/${desk.space}/p/${id}/edit`, async (page) => {
    await page.waitForFunction(() => document.querySelectorAll('.pvdoc .tx').length === 121)
    /** Scrolls one side until both show the same lines at the top, beyond a line. */
    const follows = async (side: '.pv' | '.src', by: number, isThere: string): Promise<void> => {
      const box = await page.$eval(side, (one) => {
        const { left, width } = one.getBoundingClientRect()
        return { left, width }
      })
      await page.mouse.move(box.left + box.width / 2, 500)
      await page.mouse.wheel({ deltaY: by })
      await page.waitForFunction(
        (condition) => {
          const covered = document.querySelector('.src > .bar')?.getBoundingClientRect().bottom ?? 0
          const line = [...document.querySelectorAll('.cm-lineNumbers .cm-gutterElement')].find((one) => {
            const { bottom, height } = one.getBoundingClientRect()
            return height > 0 && bottom > covered + 4
          })
          const pane = document.querySelector('.pv')
          const top = (pane?.getBoundingClientRect().top ?? 0) + 48
          const block = [...(pane?.querySelectorAll<HTMLElement>('.tx') ?? [])].find(
            (one) => one.getBoundingClientRect().bottom > top + 4,
          )
          const [source, preview] = [Number(line?.textContent), Number(block?.dataset.from)]
          return Math.abs(source - preview) <= 2 && (condition === 'far' ? source > 40 : source < 20)
        },
        {},
        isThere,
      )
    }
    await follows('.pv', 2_500, 'far')
    await follows('.src', -20_000, 'near')
    await follows('.src', 2_500, 'far')
    await follows('.pv', -20_000, 'near')
  })
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
