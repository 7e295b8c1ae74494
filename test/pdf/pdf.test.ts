// @costly: Chromium prints every book
/** Tests PDFs through HTTP, with a real Chromium. */
import { spawnSync } from 'node:child_process'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { type ReadPdf, readPdf } from './read-pdf.js'

const [test, here] = await suiteWith('pdf', startService)
const SLOW = { timeoutMs: 180_000 }
const LONG_PAGE = size(60_000, 1_000_000)
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const insert = (title: string, markdown: string, more: object = {}) => ({
  operation: 'insert_page',
  title,
  document: { markdown },
  ...more,
})

async function makeSpace(title: string, changes: object[]): Promise<string> {
  const { body } = await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title }).expect(201)
  await here.admin.call('post', `/v1/spaces/${body.id}/content`, { changes }).expect(200)
  return body.id
}

/** Fetches an address until the status is no longer 202. */
async function fetched(url: string): Promise<{ status: number; headers: Headers; bytes: Buffer; waited: boolean }> {
  for (let waited = false; ; waited = true) {
    const response = await fetch(url)
    const bytes = Buffer.from(await response.arrayBuffer())
    if (response.status !== 202) return { status: response.status, headers: response.headers, bytes, waited }
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
    await sleep(200)
  }
}

async function pdfOf(path: string): Promise<ReadPdf> {
  const { body } = await here.admin.call('get', path).expect(200)
  const { status, headers, bytes } = await fetched(body.url)
  assert.is(status, 200, bytes.toString().slice(0, 500))
  assert.is(headers.get('content-type'), 'application/pdf')
  return readPdf(bytes)
}

const pagesOf = async (space: string) =>
  (await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)).body.pages as {
    id: string
    title: string
  }[]

test(
  'the PDF of a space has a cover, numbered contents, text, links and an outline',
  async () => {
    const space = await makeSpace('The <Handbook>', [
      { operation: 'insert_files', files: [{ name: 'dot.png', base64: PICTURE, ref: 'f' }] },
      insert(
        'First',
        '# First\n\nSee [the part](second.md#the-part) and [nothing](gone.md). Own [place](#below).\n\n![dot](.gitbook/assets/dot.png)\n\n## Below\n\nText below.',
      ),
      insert(
        'Second',
        '# Second page\n\nIntro.\n\n{% tabs %}\n{% tab title="Left" %}\nIn the left tab\n{% endtab %}\n{% tab title="Right" %}\nIn the right tab\n{% endtab %}\n{% endtabs %}\n\n<details>\n<summary>More</summary>\n\nIn the expandable\n\n</details>\n\n{% if visitor.claims.x %}\nfor some only\n{% endif %}\n\n## The part\n\n```js\nconst a = 1\n```\n\n[back](first.md)',
      ),
      insert('Hidden', '# Hidden\n\nHidden text', { hidden: true }),
    ])
    const pdf = await pdfOf(`/v1/spaces/${space}/pdf`)
    const all = pdf.pages.join('\n')
    assert.is(pdf.title, 'The <Handbook>')
    assert.match(pdf.pages[0] as string, 'The <Handbook>')
    assert.match(pdf.pages[1] as string, /Contents.*First.*\d.*Second.*\d/)
    for (const text of [
      'Text below.',
      'In the left tab',
      'In the right tab',
      'In the expandable',
      'const a = 1',
      'Second page',
    ])
      assert.match(all, text)
    for (const text of ['Hidden text', 'for some only']) assert.not.match(all, text)
    const number = (title: string): number => pdf.outline.find((one) => one.title === title)?.page ?? 0
    // The numbers in the table of contents are those of the pages.
    assert.match(pdf.pages[1] as string, new RegExp(`Second\\W*${pdf.labels[number('Second') - 1]}\\b`))
    assert.ok(pdf.links.some((link) => link.from === number('First') && link.to === number('Second')))
    assert.ok(pdf.links.some((link) => link.from === number('Second') && link.to === number('First')))
    assert.ok(pdf.links.some((link) => link.from === 2 && link.to === number('Second')))
    assert.ok(pdf.tagged)
    assert.equal(
      (await readdir(join(here.dir, 'data', 'pdf'))).filter((name) => name.startsWith('.work')),
      [],
    )
  },
  SLOW,
)

test(
  'a PDF can contain a page with its subpages, the page alone, or a hidden page',
  async () => {
    const space = await makeSpace('Parts', [
      insert('Top', '# Top\n\nTop text'),
      insert('Other', '# Other\n\nOther text'),
      insert('Secret', '# Secret\n\nSecret text', { hidden: true }),
    ])
    const pages = await pagesOf(space)
    const idOf = (title: string): string => pages.find((page) => page.title === title)?.id as string
    await here.admin
      .call('post', `/v1/spaces/${space}/content`, {
        changes: [insert('Below', '# Below\n\nBelow text', { into: { page: idOf('Top') } })],
      })
      .then((response) => response)
    const withBelow = await pdfOf(`/v1/spaces/${space}/pdf?page=${idOf('Top')}`)
    assert.match(withBelow.pages.join(), 'Top text')
    assert.not.match(withBelow.pages.join(), 'Other text')
    const alone = await pdfOf(`/v1/spaces/${space}/pdf?page=${idOf('Top')}&only=true`)
    assert.is(alone.pages.length, 1)
    assert.match(alone.pages[0] as string, 'Top text')
    const hidden = await pdfOf(`/v1/spaces/${space}/pdf?page=${idOf('Secret')}&only=true`)
    assert.match(hidden.pages.join(), 'Secret text')
    await here.admin.call('get', `/v1/spaces/${space}/pdf?only=true`).expect(400)
    await here.admin.call('get', `/v1/spaces/${space}/pdf?page=nosuchpage`).expect(404)
  },
  SLOW,
)

test(
  'a PDF can be created from a change request',
  async () => {
    const space = await makeSpace('Changing', [insert('Page', '# Page\n\nOld text')])
    const { body: request } = await here.admin
      .call('post', `/v1/spaces/${space}/change-requests`, { subject: 'My change' })
      .expect(201)
    await here.admin
      .call('post', `/v1/spaces/${space}/change-requests/${request.id}/content`, {
        changes: [insert('Added', '# Added\n\nNew text')],
      })
      .expect(200)
    const pdf = await pdfOf(`/v1/spaces/${space}/change-requests/${request.id}/pdf`)
    assert.match(pdf.pages[0] as string, 'My change')
    assert.match(pdf.pages.join(), 'New text')
    assert.not.match((await pdfOf(`/v1/spaces/${space}/pdf`)).pages.join(), 'New text')
  },
  SLOW,
)

test(
  'a PDF address is signed, expires, and creates a lost file again',
  async () => {
    const space = await makeSpace('Signed', [insert('Page', '# Page\n\nText')])
    const { body } = await here.admin.call('get', `/v1/spaces/${space}/pdf`).expect(200)
    const first = await fetched(body.url)
    assert.is(first.status, 200, first.bytes.toString().slice(0, 500))
    assert.match(first.headers.get('content-disposition') ?? '', 'Signed.pdf')
    const again = await fetched(body.url)
    assert.is(again.waited, false)
    assert.ok(again.bytes.equals(first.bytes))
    assert.is((await here.admin.call('get', `/v1/spaces/${space}/pdf`)).body.url, body.url)
    await rm(join(here.dir, 'data', 'pdf'), { recursive: true })
    const anew = await fetched(body.url)
    assert.is(anew.status, 200, anew.bytes.toString().slice(0, 500))
    assert.ok(anew.waited)
    const url = new URL(body.url)
    for (const [name, value] of [
      ['page', 'x'],
      ['only', 'true'],
      ['expires', '99999999999'],
      ['expires', '1'],
      ['signature', 'AAAA'],
      ['changeRequest', 'x'],
    ] as const) {
      const other = new URL(url)
      other.searchParams.set(name, value)
      assert.is((await fetch(other)).status, 404, `${name}=${value}`)
    }
    assert.is((await fetch(body.url.replace('Signed.pdf', 'Other.pdf'))).status, 404)
    assert.is((await fetch(body.url.replace(`/${space}/`, '/another/'))).status, 404)
    const range = await fetch(body.url, { headers: { Range: 'bytes=0-4' } })
    assert.is(range.status, 206)
    assert.is(await range.text(), '%PDF-')
  },
  SLOW,
)

test(
  'every reader of the content may get its PDF',
  async () => {
    const space = await makeSpace('Roles', [insert('Page', '# Page')])
    for (const role of ['admin', 'create', 'edit', 'review', 'comment', 'read'] as const)
      await (await here.caller(role)).call('get', `/v1/spaces/${space}/pdf`).expect(200)
    for (const caller of [await here.caller(null), await here.caller()])
      await caller.call('get', `/v1/spaces/${space}/pdf`).expect(404)
    await here.admin.call('get', `/v1/spaces/${space}/change-requests/99/pdf`).expect(404)
    await here.service.app.printer.ready()
  },
  SLOW,
)

test(
  'a deleted space has no PDF, and its files are removed',
  async () => {
    const space = await makeSpace('Gone', [insert('Page', '# Page')])
    const { body } = await here.admin.call('get', `/v1/spaces/${space}/pdf`).expect(200)
    assert.is((await fetched(body.url)).status, 200)
    await here.admin.call('delete', `/v1/spaces/${space}`).expect(204)
    assert.is((await fetch(body.url)).status, 404)
    await here.service.app.pdfs.remove(space)
    assert.not.ok((await readdir(join(here.dir, 'data', 'pdf'))).includes(space))
  },
  SLOW,
)

test(
  `other requests are served while a page of ${LONG_PAGE} bytes is printed`,
  async () => {
    const long =
      '# Long\n\n' +
      'A paragraph with **bold** text and `code` in it, and [a link](https://example.org).\n\n'.repeat(12_000)
    const space = await makeSpace('Long', [insert('Long', long.slice(0, LONG_PAGE))])
    const { body } = await here.admin.call('get', `/v1/spaces/${space}/pdf`).expect(200)
    const { status, bytes } = await fetched(body.url)
    assert.is(status, 200, bytes.toString().slice(0, 300))
    assert.ok((await readPdf(bytes)).pages.length > LONG_PAGE / 10_000)
  },
  { timeoutMs: 300_000 },
)

test(
  'without Chromium, a PDF request returns 503 with instructions',
  async () => {
    const without = await startService({ env: { BINDERY_CHROMIUM: '/bin/false' } })
    try {
      const { body: space } = await without.admin
        .call('post', `/v1/orgs/${without.organization}/spaces`, { title: 'S', template: 'sample' })
        .expect(201)
      const first = await without.admin.call('get', `/v1/spaces/${space.id}/pdf`).expect(200)
      let last = await fetch(first.body.url)
      while (last.status === 202) {
        await sleep(200)
        last = await fetch(first.body.url)
      }
      assert.is(last.status, 503)
      assert.match(await last.text(), 'chromium-headless-shell')
      const second = await without.admin.call('get', `/v1/spaces/${space.id}/pdf`).expect(503)
      assert.match(second.body.error.message, 'chromium-headless-shell')
    } finally {
      await without.close()
    }
  },
  SLOW,
)

test('PDF jobs leave no process running', () => {
  const { stdout } = spawnSync('ps', ['-eo', 'ppid,args'])
  const own = stdout
    .toString()
    .split('\n')
    .filter((line) => line.includes('print-process') && line.trim().startsWith(`${process.pid} `))
  assert.equal(own, [])
})

test.run()
