/** Tests the Content-Security-Policy of sites: it stops each vector by itself, although the page contains it as written. */
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { openChromium } from './chromium.js'
import { readVectors } from './hostile-pages.js'
import { publishSite } from './published.js'
import { faultsIn, watchPage } from './watch-page.js'

const [test, context] = await suiteWith('site/policy', async () => {
  const here = await startService()
  const script = 'alert("a file")'
  const desk = await openDesk(here, {
    'SUMMARY.md': '* [Start](README.md)\n* [Branch](branch/README.md)\n  * [Leaf](branch/leaf.md)\n',
    'README.md':
      '# Start\n\n[script](evil.js) [module](evil.mjs) [style](evil.css) [picture](evil.svg) [page](evil.html)\n',
    'branch/README.md': '# Branch\n',
    'branch/leaf.md': '# Leaf\n',
    'evil.js': script,
    'evil.mjs': script,
    'evil.css': 'body { background: url(https://evil.test/x) }',
    'evil.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>${script}</script></svg>`,
    'evil.html': `<!doctype html><script>${script}</script>`,
  })
  const site = await publishSite(here, [desk.space])
  const browser = await openChromium(here)
  const watched = await watchPage(await browser.newPage(), here.service.sites)
  const close = async (): Promise<void> => {
    await browser.close()
    await here.close()
  }
  return { here, site, watched, close }
})
const { here, site, watched } = context
const { page, events, serve } = watched

const origin = here.service.sites
const url = `${origin}${site.base}`
const { text: shell, headers } = await site.get('')
const policy = headers.get('content-security-policy') as string
const fileAt = (name: string): string => {
  const [, address = ''] = new RegExp(`href="([^"]*/${name.replace('.', '\\.')})"`).exec(shell) ?? []
  assert.is.not(address, '', name)
  return address
}
const all = readVectors({ script: fileAt('evil.js'), style: fileAt('evil.css') })
/** The vectors of the test run; a soak takes all. */
const vectors = all.filter((_, at) => at % size(2, 1) === 0)
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
/** A document with one frame for each vector, so that no vector hides the next ones. */
const framed = `<!doctype html><title>Frames</title>${vectors.map((one) => `<iframe srcdoc="${escaped(one)}"></iframe>`).join('')}`

/** Opens the frames under a policy, and performs the actions of a reader in each. Returns the effects. */
async function play(path: string, body: string, policy: string | null): Promise<string[]> {
  events.length = 0
  serve(`${url}${path}`, body, policy)
  await page.goto(`${url}${path}`, { waitUntil: 'load' })
  await page.evaluate(() => {
    const causes = (one: Element): void => {
      for (const name of Element.prototype.getAttributeNames.call(one))
        if (/^on/i.test(name)) one.dispatchEvent(new Event(name.slice(2), { bubbles: true, cancelable: true }))
      const isPlainLink =
        /^https?:/.test((one as HTMLAnchorElement).protocol ?? '') && !one.matches('.zoom,[data-frame]')
      if (/^(?:a|area|button|input|text|maction|mi|b)$/.test(one.localName) && !isPlainLink)
        one.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
    }
    const frames = Array.from(document.querySelectorAll('iframe'), (frame) => frame.contentDocument)
    for (const one of [document.querySelector('.prose'), ...frames])
      for (const element of Array.from(one?.querySelectorAll('*') ?? [])) causes(element)
  })
  // Handlers that Chromium calls later have run when two frames were drawn and a request was answered.
  await page.evaluate(async () => {
    await fetch('?later').catch(() => {})
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  })
  return [...events]
}

test('the policy blocks inline scripts, eval, scripts from other hosts, and base elements', () => {
  assert.not.match(policy, /unsafe|\*|strict-dynamic|nonce-|blob:/)
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
  ])
    assert.ok(policy.split('; ').includes(part), part)
})

test('without the policy, most vectors run or are in the markup', async () => {
  const happened = await play('/~open', framed, null)
  const ran = new Set(happened.filter((event) => event.startsWith('ran ')))
  assert.ok(ran.size >= vectors.length / 3, `${ran.size} vectors run`)
  const found = (await page.evaluate(`[...document.querySelectorAll('iframe')].filter((frame) => {
    const check = ${faultsIn}
    return frame.contentDocument === null || check(frame.contentDocument, location.href).length > 0
  }).length`)) as number
  assert.ok(found >= vectors.length * 0.65, `${found} vectors are found`)
})

test('the policy stops each vector by itself', async () => {
  assert.ok(all.length >= 300)
  const happened = await play('/~closed', framed, policy)
  assert.equal(
    happened.filter((event) => !event.startsWith('document ')),
    [],
  )
})

test('the script of the sites runs no code from the text of a page', async () => {
  const raw = vectors.slice(-24).join('\n')
  const happened = await play('/~script', shell.replace('<div class="prose">', `<div class="prose">${raw}`), policy)
  assert.equal(
    happened.filter((event) => !event.startsWith('document ')),
    [],
  )
})

test("an author's file runs neither as a script nor as a page", async () => {
  const names = ['evil.js', 'evil.mjs', 'evil.css', 'evil.svg', 'evil.html'].map(fileAt)
  const loads = names.map(
    (one) =>
      `<script src="${one}"></script><script type="module" src="${one}"></script><link rel="stylesheet" href="${one}">`,
  )
  assert.equal(await play('/~files-as-scripts', `<!doctype html>${loads.join('')}`, policy), [])
  for (const name of names) await page.goto(`${origin}${name}`, { waitUntil: 'load' }).catch(() => null)
  assert.equal(events, [])
})

test.run()
