/** Tests the editor for requests to the APIs that a page documents, in a browser. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { operation, put, spaceWith } from '../openapi/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openChromium } from './chromium.js'
import { publishSite } from './published.js'

const BODY = '{"html":"<img src=x onerror=alert(1)>","large":12345678901234567890,"none":[]}'

/** An API that other origins may call. It records its requests. */
async function startApi() {
  const requests: { line: string; headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const piece of req) body += String(piece)
    requests.push({ line: `${req.method} ${req.url}`, headers: req.headers, body })
    res.writeHead(req.method === 'OPTIONS' ? 204 : 201, {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Headers': '*',
      'Content-Type': 'application/json',
    })
    res.end(req.method === 'OPTIONS' ? '' : BODY)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { requests, origin, close: () => new Promise((done) => server.close(done)) }
}

const [test, { here, api, site, browser }] = await suiteWith('site/try', async () => {
  const [here, api] = [await startService(), await startApi()]
  const servers = [
    `${api.origin}/v2/`,
    'https://*.example.org',
    'https://user:word@example.org',
    'https://{tenant}.example.org',
    'https://a.example.org;script-src *',
  ]
  const create = operation('Create a flow', ['Flows'], {
    servers: servers.map((url) => ({ url })),
    security: [{ bearer: [] }],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'a b' },
      { name: 'dry', in: 'query', schema: { type: 'boolean' } },
      { name: 'X-Trace', in: 'header', required: true, schema: { type: 'string' }, example: 'on' },
    ],
    requestBody: { content: { 'application/json': { example: { name: 'Nightly' } } } },
  })
  await put(here, 'flows', {
    '/flows/{id}': { post: create },
    '/relative': { get: { ...operation('Relative'), servers: [{ url: '/v1' }] } },
  })
  const shown = (path: string, method: string): string =>
    `{% openapi-operation spec="flows" path="${path}" method="${method}" %}\n{% endopenapi-operation %}\n`
  const { space } = await spaceWith(here, '* [Call](call.md)\n* [Relative](relative.md)\n', {
    'call.md': `# Call\n\n${shown('/flows/{id}', 'post')}`,
    'relative.md': `# Relative\n\n${shown('/relative', 'get')}`,
  })
  const site = await publishSite(here, [space])
  const browser = await openChromium(here)
  const close = async (): Promise<void> => {
    await browser.close()
    await api.close()
    await here.close()
  }
  return { here, api, site, browser, close }
})

const policyOf = async (path: string): Promise<string> =>
  /connect-src ([^;]*);/.exec((await site.get(path)).headers.get('content-security-policy') ?? '')?.[1] ?? ''

async function onPage(work: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage()
  page.setDefaultTimeout(20_000)
  try {
    await page.setViewport({ width: 1440, height: 900 })
    await page.goto(`${here.service.sites}${site.base}/call`, { waitUntil: 'load' })
    await work(page)
  } finally {
    await page.close()
  }
}

test('only pages with an operation may send requests, to the exact origins of its servers', async () => {
  assert.is(await policyOf('/call'), `'self' ${api.origin}`)
  assert.match((await site.get('/call')).text, /~assets\/try-\w+\.js/)
  for (const path of ['', '/relative']) {
    assert.is(await policyOf(path), "'self'", path)
    assert.not.match((await site.get(path)).text, /~assets\/try-|data-try/)
  }
})

test('nothing is sent before the reader chooses Send, and the response is shown as text', () =>
  onPage(async (page) => {
    const asked: string[] = []
    page.on('request', (request) => request.url().startsWith(api.origin) && asked.push(request.url()))
    await page.click('[data-try]')
    await page.waitForSelector('.trier[open]')
    const curl = (): Promise<string> => page.$eval('.trier .code-block code', (code) => code.textContent ?? '')
    assert.match(await curl(), `'${api.origin}/v2/flows/a%20b'`)
    await page.type('.trier fieldset:nth-of-type(2) input', 'true')
    await page.keyboard.press('Enter')
    assert.match(await curl(), `/v2/flows/a%20b?dry=true'`)
    assert.match(await curl(), "-H 'Authorization: Bearer YOUR_TOKEN'")
    const value = '.trier .row:nth-of-type(1) input:nth-of-type(2)'
    await page.$eval(value, (input) => (input as HTMLInputElement).select())
    await page.type(value, 'Bearer secret-key')
    assert.match(await curl(), "-H 'Authorization: Bearer secret-key'")
    assert.equal([asked, api.requests.length], [[], 0])
    await page.click('.trier .send button')
    await page.waitForSelector('.answer .status')
    const [, sent] = api.requests.length === 2 ? api.requests : [null, api.requests[0]]
    assert.is(sent?.line, 'POST /v2/flows/a%20b?dry=true')
    assert.equal(
      [sent?.headers.authorization, sent?.headers['x-trace'], sent?.headers['content-type'], sent?.headers.referer],
      ['Bearer secret-key', 'on', 'application/json', undefined],
    )
    assert.equal(JSON.parse(sent?.body ?? ''), { name: 'Nightly' })
    assert.is(await page.$eval('.answer .status', (status) => status.textContent), '201')
    const text = await page.$eval('.answer > pre', (pre) => pre.textContent ?? '')
    assert.is(text, '{\n  "html": "<img src=x onerror=alert(1)>",\n  "large": 12345678901234567890,\n  "none": []\n}')
    assert.is(await page.$('.answer img'), null)
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))
    assert.not.match(kept, 'secret-key')
  }))

test('the policy of the page blocks requests to other origins', () =>
  onPage(async (page) => {
    const refused = await page.evaluate(async () => {
      const blocked = new Promise<string>((done) =>
        document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective)),
      )
      await fetch('http://127.0.0.1:9/').catch(() => {})
      return blocked
    })
    assert.is(refused, 'connect-src')
  }))

test('an API that does not respond is reported, and the editor keeps its values', () =>
  onPage(async (page) => {
    await page.setRequestInterception(true)
    page.on('request', (request) => (request.url().startsWith(api.origin) ? request.abort() : request.continue()))
    await page.click('[data-try]')
    await page.waitForSelector('.trier[open]')
    await page.type('.trier fieldset:nth-of-type(2) input', 'true')
    await page.click('.trier .send button')
    await page.waitForFunction(() => /no response/.test(document.querySelector('.answer')?.textContent ?? ''))
    await page.keyboard.press('Escape')
    await page.waitForSelector('.trier:not([open])')
    await page.click('[data-try]')
    assert.is(
      await page.$eval('.trier fieldset:nth-of-type(2) input', (one) => (one as HTMLInputElement).value),
      'true',
    )
  }))

test.run()
