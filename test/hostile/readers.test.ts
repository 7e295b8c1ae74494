/** Hostile readers: the past of pages whose paths are used again, forged provenance, and suggestions that go astray. */
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { CompactSign, decodeJwt, decodeProtectedHeader } from 'jose'
import * as assert from 'uvu/assert'
import { verify } from '../../src/commands/verify.js'
import { csvOf } from '../../src/domain/health/csv.js'
import { openDesk } from '../commits/fixture.js'
import { publishSite } from '../site/published.js'
import type { Files } from '../support/bare-repository.js'
import { suiteWith } from '../support/suite.js'
import { ask, type Block, blocksOf, draft, openSuggestedSite, type SuggestedSite } from '../suggestions/support.js'

const DAY = 24 * 60 * 60
const MAY = Date.UTC(2026, 4, 1, 10) / 1000
const [test, context] = await suiteWith('hostile/readers', () =>
  openSuggestedSite({ 'README.md': '# Start\n\nA typo heer.\n' }, 'everyone'),
)
const { here, smtp, desk, site } = context
const { admin } = here

/** Publishes a space with past versions. A commit is a day later than the one before. */
async function openPast() {
  const own = await openDesk(here, { 'README.md': '# Start\n' })
  const published = await publishSite(here, [own.space])
  await admin.call('patch', published.api, { pastVersions: true, changesSince: true }).expect(200)
  let day = 0
  const commit = (files: Files): Promise<string> => own.human(files, { seconds: MAY + day++ * DAY })
  return { own, site: published, commit, read: (path: string) => published.get(path) }
}

test('a page at the path of a deleted one does not show its text', async () => {
  const { commit, read } = await openPast()
  const include = '.gitbook/includes/part.md'
  const first = await commit({
    'guide.md': '# Guide\n\nCanary one.\n',
    'kept.md': '# Kept\n\n{% include ".gitbook/includes/part.md" %}\n\n[A](a.txt)\n',
    [include]: 'Canary two.\n',
    'a.txt': 'Canary three.\n',
  })
  const file = /href="([^"]*a\.txt)"/.exec((await read(`/~/at/${first}/kept`)).text)?.[1] ?? ''
  assert.ok(file.includes('/~files/'))
  const below = file.slice(file.indexOf('/~/at/'))
  assert.match((await read(below)).text, 'Canary three.')
  await commit({ 'guide.md': null, [include]: null, 'a.txt': null })
  await commit({ 'guide.md': '# Other\n\nAbout dogs.\n', [include]: 'New part.\n', 'a.txt': 'New file.\n' })
  const moved = await commit({ 'moved.md': '# Other\n\nAbout dogs.\n', 'guide.md': null })
  await commit({ 'moved.md': '# Other\n\nAbout cats.\n' })
  for (const path of ['guide', 'moved', 'guide.md', 'moved.md', 'kept', 'kept.md'])
    for (const at of [first, first.slice(0, 8), '2026-05-01', '2026-05-02']) {
      const { status, text } = await read(`/~/at/${at}/${path}`)
      assert.not.match(text, 'Canary', `${at} ${path}`)
      // The address of the moved page leads to its present one, which is missing in the past.
      assert.ok(path.startsWith('kept') ? status === 200 : status === 404 || status === 302, `${at} ${path}`)
    }
  assert.is((await read(below)).status, 404)
  // The new page has its own past.
  assert.match((await read(`/~/at/2026-05-03/moved`)).text, 'About dogs.')
  assert.match((await read(`/~/at/${moved}/moved`)).text, 'About dogs.')
  assert.match((await read(`/moved?since=${first}`)).text, 'This page is new.')
})

/** A page in the model. No other page has its word. */
interface Modelled {
  path: string
  isGated: boolean
  word: string
}

test('no point in time shows a word of a page that is deleted or gated today', async () => {
  const { commit, read } = await openPast()
  const commits: string[] = []
  let pages: Modelled[] = []
  let words = 0
  let shown = 0
  const textOf = ({ isGated, word }: Modelled): string =>
    `${isGated ? '---\nif: visitor.claims.never\n---\n\n' : ''}# Page ${word}\n\nCanary${word} is the text.\n`
  const step = fc.record({
    kind: fc.constantFrom('create', 'create', 'delete', 'move', 'gate', 'open'),
    page: fc.nat(2),
    at: fc.nat(1_000),
  })
  const paths = ['a.md', 'b.md', 'c.md']
  for (const { kind, page, at } of fc.sample(step, { seed: 4601, numRuns: 30 })) {
    const path = paths[page] ?? ''
    const found = pages.find((one) => one.path === path)
    const free = paths.find((one) => !pages.some((other) => other.path === one))
    const files: Files = {}
    if (kind === 'create' && !found) pages.push({ path, isGated: false, word: `w${++words}x` })
    else if (!found) continue
    else if (kind === 'delete') pages = pages.filter((one) => one !== found)
    else if (kind === 'move' && free) found.path = free
    else if (kind === 'gate' || kind === 'open') found.isGated = kind === 'gate'
    else continue
    for (const one of paths) files[one] = null
    for (const one of pages) files[one.path] = textOf(one)
    const now = await commit(files)
    commits.push(now)
    const open = new Set(pages.filter((one) => !one.isGated).map(({ word }) => `Canary${word}`))
    const then = commits[at % commits.length] ?? now
    for (const name of ['a', 'b', 'c'])
      for (const address of [`/~/at/${then}/${name}`, `/~/at/${then}/${name}.md`, `/${name}?since=${then}`]) {
        const said = (await read(address)).text.match(/Canaryw\d+x/g) ?? []
        for (const word of said) assert.ok(open.has(word), `${word} at ${address}, after ${kind} ${path}`)
        shown += said.length
      }
  }
  assert.ok(shown > 30 && words > 4, `${shown} words of ${words} pages were shown`)
})

test('a statement that others signed is not verified with the keys that it names', async () => {
  await admin.call('patch', site.api, { provenance: { enabled: true } }).expect(200)
  const href = /href="([^"]*\/~\/provenance\/[^"]*)"/.exec((await site.get('')).text)?.[1] ?? ''
  const address = new URL(href, here.service.sites)
  const found = JSON.parse(await (await fetch(address)).text())
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const kid = 'eve'
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' }
  let body = JSON.stringify({ keys: [{ ...jwk, alg: decodeProtectedHeader(found.jws).alg }] })
  const server = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const keys = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys.json`
  const stored = async (statement: object): Promise<string> => {
    const header = { ...decodeProtectedHeader(found.jws), alg: 'EdDSA', kid }
    const alg = decodeProtectedHeader(found.jws).alg ?? ''
    const jws = await new CompactSign(Buffer.from(JSON.stringify(statement)))
      .setProtectedHeader({ ...header, alg })
      .sign(privateKey)
    const file = join(here.dir, 'forged.json')
    await writeFile(file, JSON.stringify({ statement, jws }))
    return file
  }
  const run = (file: string, given?: string) =>
    verify(file, { clone: desk.repo, keys: given }).catch((error: Error) => ({ text: error.message, problems: true }))
  try {
    const name = 'Eve\u001b[2J\nVerified: all\u202e'
    const { commit } = decodeJwt(found.jws) as { commit: { author: object } }
    const statement = { ...found.statement, keys, commit: { ...commit, author: { ...commit.author, name } } }
    const forged = await run(await stored(statement))
    assert.ok(forged.problems)
    assert.match(forged.text, `names keys at ${keys}`)
    // With `--keys`, the caller decides which keys to trust. The name of a person adds no line and no control character.
    const trusted = await run(await stored(statement), keys)
    assert.not(trusted.problems, trusted.text)
    assert.is(trusted.text.split('\n').length, 4)
    assert.not.match(trusted.text, /[^\P{C}\n]/u)
    const set = join(here.dir, 'keys.json')
    await writeFile(set, body)
    for (const own of [set, 'keys.json', '', `file://${set}`, 'https://', 7])
      assert.match((await run(await stored({ ...statement, keys: own }))).text, 'does not name the address of its keys')
    body = 'x'.repeat(300_000)
    assert.match((await run(await stored(statement), keys)).text, 'more than 262144 bytes')
  } finally {
    server.close()
  }
})

test('a cell that starts with a sign of a formula in any width is text', () => {
  for (const text of ['=1', '+1', '-1', '@A1', '\t=1', '＝1', '＋1', '－1', '＠A1'])
    assert.is(csvOf(['a'], [[text]]), `\uFEFFa\r\n'${text}\r\n`)
})

const send = (token: string) => admin.call('post', '/v1/suggestions/send', { token })
const tokenOf = async (on: Pick<SuggestedSite, 'here' | 'site'>, page: string, block: Block, text: string) => {
  const response = await ask(on, {}, { form: { page, block: block.id, text, as: 'member' } })
  return new URL(((await response.json()) as { to: string }).to).hash.slice(1)
}

test('a block that is on the page twice changes only where it still is', async () => {
  const { own, site: there, commit } = await openPast()
  await admin.call('patch', there.api, { suggestions: 'members' }).expect(200)
  const on = { here, site: there }
  const page = (blocks: string[]): string => ['\uFEFF# Twice', ...blocks, 'No line end.'].join('\r\n\r\n')
  for (const [next, changed] of [
    [
      ['Same.', 'Between.', 'Same.'],
      ['Same.', 'Between.', 'Sane.'],
    ],
    [['Between.', 'Same.'], null],
    [['<!--\r\nSame.\r\n-->', 'Same.'], null],
    [['Same.', '{% if visitor.claims.never %}\r\nSame.\r\n{% endif %}'], null],
    [['Same.', '```\r\nSame.\r\n```'], null],
  ] as const) {
    await commit({ 'twice.md': page(['Same.', 'Between.', 'Same.']) })
    const block = (await blocksOf(on, '/twice')).filter(({ source }) => source === 'Same.')[1]
    assert.ok(block)
    const token = await tokenOf(on, '/twice', block, 'Sane.')
    await commit({ 'twice.md': page([...next]) })
    const { body } = await send(token).expect(changed ? 200 : 409)
    const ref = changed && `refs/heads/change-requests/${body.changeRequest.number}`
    if (ref) assert.is((await own.bytes('twice.md', ref)).toString(), page([...changed]))
  }
})

test('a link of a mail counts once, on its own site, and one of several reviewers accepts', async () => {
  const two = await publishSite(here, [desk.space])
  await admin.call('patch', two.api, { suggestions: 'everyone' }).expect(200)
  const [block] = (await blocksOf(context, '/')).filter(({ source }) => source.startsWith('A typo'))
  const name = '\u202eAda\u0000\u2066 <x@y.z>\r\nBcc: eve@example.org'
  const form = {
    page: '/',
    block: block?.id ?? '',
    text: 'A typo here.',
    as: 'guest',
    name,
    email: 'ada@guest.example',
  }
  assert.is((await ask(context, {}, { form })).status, 200)
  const { raw, text } = await smtp.mailTo('ada@guest.example')
  assert.not.match(raw, /eve@example\.org/)
  const secret = /confirm=(\S+)/.exec(text)?.[1] ?? ''
  const confirm = (on: typeof site, headers = {}) =>
    ask({ here, site: on }, { confirm: secret }, { form: { confirm: secret }, json: false, headers })
  assert.is((await confirm(two)).status, 404)
  for (const from of ['cross-site', 'same-site', 'none'])
    assert.is((await confirm(site, { 'Sec-Fetch-Site': from })).status, 403, from)
  const all = await Promise.all([1, 2, 3, 4].map(() => confirm(site)))
  assert.equal(all.map(({ status }) => status).sort(), [200, 404, 404, 404])
  const { items } = (await admin.call('get', `${site.api}/suggestions`).expect(200)).body
  assert.equal(items.length, 1)
  await admin.call('post', `${two.api}/suggestions/${items[0].id}/accept`).expect(404)
  await admin.call('delete', `${two.api}/suggestions/${items[0].id}`).expect(204)
  const accept = () => admin.call('post', `${site.api}/suggestions/${items[0].id}/accept`)
  const accepted = await Promise.all([accept(), accept(), accept()])
  assert.equal(accepted.filter(({ status }) => status === 200).length, 1)
  assert.is((await desk.git('for-each-ref', 'refs/heads/change-requests')).trim().split('\n').length, 1)
  assert.is((await desk.git('fsck', '--strict')).trim(), '')
})

test('a draft of a deleted site is not sent, and other organizations do not see it', async () => {
  const three = await publishSite(here, [desk.space])
  await admin.call('patch', three.api, { suggestions: 'members' }).expect(200)
  const secret = await draft({ here, site: three }, '/', { before: 'A typo heer.', after: 'A typo.' })
  const other = (await admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)).body.id
  const astray = three.api.replace(here.organization, other)
  for (const path of ['suggestions', 'health', 'health/pages', 'health/csv', 'feedback'])
    await admin.call('get', `${astray}/${path}`).expect(404)
  await admin.call('delete', three.api).expect(204)
  await send(secret).expect(404)
})

test.run()
