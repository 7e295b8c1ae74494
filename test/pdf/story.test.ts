// @costly: Chromium prints every book
/** Tests PDFs of hostile pages and requests without permission: content, access, and the end of a job. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import * as assert from 'uvu/assert'
import { createPrinter } from '../../src/printing/index.js'
import { serve } from '../imports/story-support.js'
import { type Caller, startService } from '../support/service.js'
import { size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('pdf stories', () => startService())

interface Read {
  text: string
  links: string[]
}
async function read(bytes: Buffer): Promise<Read> {
  const pdf = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise
  const found: Read = { text: '', links: [] }
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    found.text += items.map((item) => ('str' in item ? item.str : '')).join('')
    for (const link of await page.getAnnotations())
      if (link.url ?? link.unsafeUrl) found.links.push(link.url ?? link.unsafeUrl)
  }
  await pdf.destroy()
  return found
}

const newSpace = async (title = 'Printed'): Promise<string> =>
  `/v1/spaces/${(await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title }).expect(201)).body.id}`
async function addPages(at: string, pages: Record<string, string>): Promise<Record<string, string>> {
  const changes = Object.entries(pages).map(([title, markdown]) => ({
    operation: 'insert_page',
    title,
    document: { markdown },
  }))
  await here.admin.call('post', `${at}/content`, { changes }).expect(200)
  const { body } = await here.admin.call('get', `${at}/content/pages`).expect(200)
  return Object.fromEntries(body.pages.map(({ title, id }: { title: string; id: string }) => [title, id]))
}

const addressOf = async (at: string, query = '', by: Caller = here.admin): Promise<URL> =>
  new URL((await by.call('get', `${at}/pdf${query}`).expect(200)).body.url)
/** Requests the file without a token until it is created or has failed. */
async function fetched(address: URL): Promise<{ status: number; bytes: Buffer }> {
  for (;;) {
    const response = await fetch(new URL(address.pathname + address.search, here.url))
    const bytes = Buffer.from(await response.arrayBuffer())
    if (response.status !== 202) return { status: response.status, bytes }
    assert.ok(response.headers.get('retry-after'))
    await sleep(200)
  }
}
async function printed(at: string, query = ''): Promise<Read> {
  const { status, bytes } = await fetched(await addressOf(at, query))
  assert.is(status, 200, bytes.toString().slice(0, 500))
  return read(bytes)
}

const hostile = (canary: string): string => `before1z

<script>document.write('script2z')</script> <img src="file:///etc/passwd"> <iframe src="file:///etc/passwd"></iframe>
<link rel="stylesheet" href="${canary}/css"> <style>@import url(${canary}/import); * { display: none }</style> <base href="${canary}/base/">
<object data="${canary}/object"></object> <embed src="${canary}/embed"> <video src="${canary}/video" poster="${canary}/poster" autoplay></video>
<svg onload="fetch('${canary}/onload')"><image href="${canary}/svg"/><foreignObject><body><h1>foreign</h1></body></foreignObject></svg>
<div style="background: url(${canary}/style); position: fixed; content: '3'">styled3z</div> <img src=x onerror="fetch('${canary}/onerror')"> <meta http-equiv="refresh" content="0;url=${canary}/meta">
</main></body></html><h1>after4z</h1> <table><tr><td></table></div></section><p>after5z

![remote](${canary}/picture.png) <img src="${canary}/set.png" srcset="${canary}/set2.png 2x"> ![data](data:text/html;base64,PHNjcmlwdD4=) ![up](../../../../../../etc/passwd)

[file](file:///etc/passwd) [script](javascript:alert(1)) [data](data:text/html,x) [good](https://example.org/good) [canary](${canary}/link) <a href=" java&#10;script:alert(2)">odd</a>

$$\\def\\a{\\a\\a}\\a$$ $$\\href{javascript:alert(1)}{x}$$ $$\\includegraphics{${canary}/tex}$$ $$${'\\frac{1}{'.repeat(300)}x${'}'.repeat(300)}$$

{% embed url="${canary}/embedded" %}

{% include "../../../../../../etc/passwd" %}

{% hint style="info"><script>" %}
hint6z
{% endhint %}

\`\`\`"><script>alert(1)</script>
code7z </code></pre><script>document.write('script8z')</script>
\`\`\`

${'> '.repeat(200)}deep9z

${'* '.repeat(100)}list10z

|${' h |'.repeat(200)}
|${'---|'.repeat(200)}
|${' c |'.repeat(200)}

שלום עולם \u202Eabc\u202C مرحبا ${'\u0301'.repeat(3000)} ${'x'.repeat(20_000)}

last11z
` // prettier-ignore

test(
  'a hostile page is printed as text and fetches nothing',
  async () => {
    const canary = await serve((_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('x'))
    try {
      const at = await newSpace()
      await addPages(at, { Hostile: hostile(canary.origin), Sound: 'sound12z' })
      const { text, links } = await printed(at)
      for (const word of ['before1z', 'hint6z', 'code7z', 'last11z', 'sound12z'])
        assert.ok(text.includes(word), `${word} is printed`)
      for (const word of ['root:', 'daemon:']) assert.not.ok(text.includes(word), word)
      assert.equal(canary.requests, [], 'nothing is fetched')
      for (const link of links) assert.match(link, /^(https?:|mailto:)/, link)
      assert.ok(links.some((link) => link.startsWith('https://example.org/good')))
      for (const word of ['script2z', 'script8z'])
        assert.is(text.split(word).length <= 2, true, `${word} is not made by a script`)
    } finally {
      await canary.close()
    }
  },
  { timeoutMs: 300_000 },
)

test(
  'a PDF does not contain content that its readers may not see',
  async () => {
    const at = await newSpace()
    const secret = await newSpace('Secretspacetitle')
    const { Secret } = await addPages(secret, { Secret: 'secretword1z' })
    const ids = await addPages(at, {
      Open: `openword2z [to secret](${here.url}${secret.replace('/v1', '')}/${Secret}) {% include "/${secret.split('/').at(-1)}/secret.md" %} {% content-ref url="${secret}" %}x{% endcontent-ref %}\n\n{% if visitor.claims.admin %}\nconditionword3z\n{% endif %}\n`,
      Hidden: 'hiddenword4z',
      Conditional: '---\nif: visitor.claims.admin\n---\n\nconditionalword5z',
    })
    await here.admin
      .call('post', `${at}/content`, {
        changes: [
          { operation: 'update_page', page: ids.Hidden, hidden: true },
          { operation: 'insert_page', title: 'Below', into: ids.Hidden, document: { markdown: 'belowword6z' } },
        ],
      })
      .expect(200)
    const { body } = await here.admin.call('post', `${at}/change-requests`, { subject: 'Draft' }).expect(201)
    await here.admin
      .call('post', `${at}/change-requests/${body.id}/content`, {
        changes: [{ operation: 'insert_page', title: 'New', document: { markdown: 'draftword7z' } }],
      })
      .expect(200)
    const { text } = await printed(at)
    assert.ok(text.includes('openword2z'))
    for (const word of [
      'secretword1z',
      'Secretspacetitle',
      'conditionword3z',
      'hiddenword4z',
      'conditionalword5z',
      'belowword6z',
      'draftword7z',
    ])
      assert.not.ok(text.includes(word), word)
    const draft = await printed(`${at}/change-requests/${body.id}`)
    assert.ok(draft.text.includes('draftword7z'))
    const alone = await printed(at, `?page=${ids.Open}&only=true`)
    assert.ok(alone.text.includes('openword2z'))
    await here.admin.call('get', `${at}/pdf?page=${Secret}`).expect(404)
    await here.admin.call('get', `${at}/pdf?only=true`).expect(400)
  },
  { timeoutMs: 300_000 },
)

test('only readers of the space get an address, which is valid for its content only', async () => {
  const at = await newSpace()
  const { One } = await addPages(at, { One: 'oneword', Two: 'twoword' })
  const other = await newSpace()
  for (const person of [await here.caller(), await here.caller(null)]) await person.call('get', `${at}/pdf`).expect(404)
  const address = await addressOf(at, `?page=${One}&only=true`)
  const asked = async (change: (url: URL) => void): Promise<number> => {
    const url = new URL(address.pathname + address.search, here.url)
    change(url)
    return (await fetch(url)).status
  }
  const changes: ((url: URL) => void)[] = [
    (url) => url.searchParams.delete('page'),
    (url) => url.searchParams.delete('only'),
    (url) => url.searchParams.set('only', 'false'),
    (url) => url.searchParams.set('page', 'other'),
    (url) => url.searchParams.set('expires', String(Number(url.searchParams.get('expires')) + 1)),
    (url) => url.searchParams.set('signature', 'x'),
    (url) => url.searchParams.delete('signature'),
    (url) => url.searchParams.append('signature', 'x'),
    (url) => url.searchParams.set('changeRequest', '1'),
    (url) => (url.pathname = url.pathname.replace(at.split('/').at(-1) as string, other.split('/').at(-1) as string)),
    (url) => (url.pathname = url.pathname.replace(/[0-9a-f]{40}/, '0'.repeat(40))),
  ]
  for (const change of changes) assert.ok([400, 404].includes(await asked(change)), `${change}: ${await asked(change)}`)
  await here.admin.call('delete', at).expect((response) => assert.ok(response.status < 300))
  assert.is(await asked(() => {}), 404)
})

test(
  'concurrent requests create each PDF once, and excess requests are asked to retry',
  async () => {
    const at = await newSpace()
    const ids = await addPages(
      at,
      Object.fromEntries(Array.from({ length: size(6, 8) }, (_, i) => [`Page ${i}`, `word${i}z`])),
    )
    const asked = await Promise.all(
      Object.entries(ids).map(
        async ([title, id]) => [title, await here.admin.call('get', `${at}/pdf?page=${id}&only=true`)] as const,
      ),
    )
    const good = asked.filter(([, { status }]) => status === 200)
    for (const [, { status, headers }] of asked)
      if (status !== 200)
        assert.ok([409, 429, 503].includes(status) && (status === 409 || headers['retry-after']), `${status}`)
    assert.ok(good.length >= 4)
    for (const [title, { body }] of good) {
      const { status, bytes } = await fetched(new URL(body.url))
      if (status === 503) continue
      assert.is(status, 200, bytes.toString().slice(0, 300))
      if (title.startsWith('Page ')) assert.ok((await read(bytes)).text.includes(`word${title.slice(5)}z`), title)
    }
  },
  { timeoutMs: 300_000 },
)

/** Chromium processes that a process of this test has started. */
function chromiums(): number {
  const parents = new Map<string, string>()
  const found: string[] = []
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const [, command = '', rest = ''] = /\((.*)\) . (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? []
      parents.set(pid, rest.split(' ')[0] as string)
      if (/chrom/.test(command)) found.push(pid)
    } catch {
      // It has just ended.
    }
  const isOurs = (pid: string): boolean =>
    pid === String(process.pid) || (parents.has(pid) && isOurs(parents.get(pid) as string))
  return found.filter(isOurs).length
}

for (const [limit, reason] of [
  [{ maxBytes: 30 * 1024 ** 2 }, /more than 30 MB of memory/],
  [{ deadlineMs: 200 }, /longer than 0.2 seconds/],
] as const)
  test(
    `a PDF beyond its limit of ${Object.keys(limit)} reports that, and the next one is created`,
    async () => {
      const { app } = here.service
      const at = await newSpace()
      await addPages(at, { Long: `longword\n\n${'A paragraph with **bold** text.\n\n'.repeat(size(2_500, 4_000))}` })
      const usual = app.printer
      const tight = createPrinter({ chromium: null, folder: join(here.dir, 'data', 'pdf'), notice: () => {}, ...limit })
      await tight.ready()
      Object.assign(app, { printer: tight })
      try {
        const { status, bytes } = await fetched(await addressOf(at))
        assert.is(status, 409)
        assert.match(bytes.toString(), reason)
      } finally {
        Object.assign(app, { printer: usual })
        await tight.close()
      }
      for (let i = 0; i < 100 && chromiums() > 0; i++) await sleep(50)
      assert.is(chromiums(), 0, 'no Chromium is left')
      const other = await newSpace()
      await addPages(other, { Short: 'shortword' })
      assert.ok((await printed(other)).text.includes('shortword'))
    },
    { timeoutMs: 300_000 },
  )

test.run()
