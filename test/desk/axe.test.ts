/** axe on the screens on which people write, review, resolve and find, with their parts opened, in two widths and schemes. */
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openApp } from './browser.js'

const FILES = {
  'SUMMARY.md': '# Table of contents\n\n* [Docker](docker.md)\n* [Ports](ports.md)\n',
  'docker.md': '# Docker\n\nPull the image latest.\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\nThe port is 13000.\n',
  'ports.md': '# Ports\n\nOpen the port 13000.\n',
}

const [test, context] = await suiteWith('desk/axe', async () => {
  const here = await startService()
  const desk = await openDesk(here, FILES)
  const [docker, ports] = [await desk.id('docker'), await desk.id('ports')]
  const request = await desk.changeRequest('Pin the version')
  const write = (page: string, markdown: string) => ({ operation: 'update_page', page, document: { markdown } })
  await request.write([
    write(docker, FILES['docker.md'].replace('latest', '3.8.0')),
    write(ports, FILES['ports.md'].replace('13000', '14000')),
  ])
  await desk.write([write(ports, FILES['ports.md'].replace('13000', '15000'))])
  const { call } = here.admin
  await call('patch', request.url, { status: 'open' }).expect(200)
  const comment = { body: { markdown: 'Which **one**?' }, page: docker, node: 'n1' }
  await call('post', `${request.url}/comments`, comment).expect(200)
  const suggestion = { ...comment, suggestion: { markdown: 'Pull the image 3.8.1.' } }
  await call('post', `${request.url}/comments`, suggestion).expect(200)
  const app = await openApp(here, here.admin.token)
  const close = async (): Promise<void> => {
    await app.browser.close()
    await here.close()
  }
  return { here, desk, docker, app, close }
})
const { desk, docker, app } = context
const { page } = app
const request = `/s/${desk.space}/c/1`

/** Opens a screen in each width and scheme, and checks it as it is and with each of its parts opened. */
async function check(path: string, shows: string, parts: Readonly<Record<string, () => Promise<unknown>>> = {}) {
  for (const [width, scheme] of [
    [1440, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewport({ width, height: 900 })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    const name = `${path} at ${width}, ${scheme}`
    await app.open(path)
    await app.sees(shows)
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
    await app.checkAxe(name)
    assert.not.ok(
      await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
      `${name} scrolls sideways`,
    )
    if (width < 1_000) continue
    for (const [part, open] of Object.entries(parts)) {
      await open()
      await app.checkAxe(`${name}, ${part}`)
    }
  }
}
const press = (selector: string) => async () => void (await (await page.waitForSelector(selector))?.click())

test('axe reports nothing in the editor, its grid and its settings', async () => {
  await check(`${request}/p/${docker}`, 'Pull the image', {
    'with a grid': async () => {
      await page.waitForSelector('.pvdoc .tx')
      await page.evaluate(() => {
        const cell = [...document.querySelectorAll('.cm-line')].find((line) => line.textContent?.startsWith('| 1 |'))
        ;(document.querySelector('.cm-content') as HTMLElement).focus()
        document.getSelection()?.collapse(cell?.firstChild ?? null, 1)
      })
      await press('[aria-label="Table as grid"]')()
      await page.waitForSelector('.grid-ed input')
    },
    'with its settings': press('.meta > summary'),
    'with the dialog that asks for a review': async () => {
      await app.click('Ask for review')
      await page.waitForSelector('dialog[open] fieldset input[type="checkbox"], dialog[open] fieldset .help')
    },
  })
})

test('axe reports nothing in a review, its source, its discussion and its lists', async () => {
  await check(request, '3.8.0', {
    'with the review': async () => {
      await press('.a-review')()
      await page.waitForSelector('#m-review:popover-open')
    },
    'with a suggestion that is being written': async () => {
      await page.keyboard.press('Escape')
      await page.waitForFunction(() => document.querySelector('#m-review:popover-open') === null)
      await page.keyboard.press('c')
      await page.waitForSelector('.thread textarea')
      await page.keyboard.type('Name the registry.')
      await app.click('Suggest a text')
      await page.waitForSelector('textarea.mono')
      // A button that is half below the header counts as a small target.
      await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
    },
  })
  await check(`${request}/source`, '3.8.0')
  await check(`${request}/discussion`, 'Which one?')
  await check(`${request}/activity`, 'Pin the version')
  await check(`/s/${desk.space}/c`, 'Pin the version')
  await check(`/s/${desk.space}/p/${docker}/history`, 'Docker')
  await check(`/s/${desk.space}/history`, 'Begin')
})

test('axe reports nothing among conflicts, also while a person writes the result', async () => {
  await check(`${request}/conflicts/1`, '15000', {
    'with a result by hand': async () => {
      await page.keyboard.press('e')
      await page.waitForSelector('.merge-editor .cm-content')
    },
  })
})

test('axe reports nothing in the palette, the list of shortcuts and the sign-in', async () => {
  const palette = async (): Promise<void> => {
    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    await page.waitForSelector('#palette[open] input')
    await page.keyboard.type('port')
    await page.waitForSelector('#palette [role="option"]')
  }
  await check('/', 'Waiting for you', { 'with the palette': palette })
  await app.open('/')
  await app.sees('Waiting for you')
  await page.keyboard.press('?')
  await page.waitForSelector('dialog[open]')
  await app.checkAxe('shortcuts')
  await check('/sign-in', 'Sign in')
  await check('/nothing/here', 'There is nothing at this address')
})

test.run()
