import * as assert from 'uvu/assert'
import { startService, type TestService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Desk, openDesk } from '../commits/fixture.js'

const PAGES = 16
const [test, here] = await suiteWith('concurrent edits in batches', startService)

const summary = `# Table of contents\n\n${Array.from({ length: PAGES }, (_, i) => `* [P${i}](p${i}.md)\n`).join('')}`
const FILES = {
  'SUMMARY.md': summary,
  ...Object.fromEntries(Array.from({ length: PAGES }, (_, i) => [`p${i}.md`, `# P${i}\n\nFirst.\n`])),
}

/** An editor service whose repository counts the moves of its refs. */
async function counted(here: TestService): Promise<{ desk: Desk; ids: string[]; moves(ref: string): Promise<number> }> {
  const desk = await openDesk(here, FILES)
  await desk.git('config', 'core.logAllRefUpdates', 'always')
  const pages = await desk.byPath()
  const ids = Array.from({ length: PAGES }, (_, i) => pages.get(`p${i}`)?.id as string)
  return {
    desk,
    ids,
    moves: async (ref) => (await desk.git('reflog', 'show', '--format=%H', ref)).split('\n').filter(Boolean).length,
  }
}

const update = (page: string, markdown: string) => ({
  changes: [{ operation: 'update_page', page, document: { markdown } }],
})
const post = (desk: Desk, path: string, body: object, headers: Record<string, string> = {}) =>
  desk.admin
    .call('post', desk.url + path, body)
    .set(headers)
    .then((response: any) => response)

test('concurrent edits of main get a commit each, share moves and fail separately', async () => {
  const { desk, ids, moves } = await counted(here)
  const before = await desk.git('rev-parse', 'main')
  const good = ids.map((id, i) => post(desk, '/content', update(id, `# P${i}\n\nSecond.\n`)))
  const bad = [
    post(desk, '/content', update('nobody', 'x\n')),
    post(desk, '/content', {
      changes: [{ operation: 'insert_page', title: 'Twice', slug: 'p1', document: { markdown: 'x\n' } }],
    }),
    post(desk, '/content', update(ids[0] as string, 'x\n'), { 'If-Match': `"${'f'.repeat(40)}"` }),
  ]
  const responses = await Promise.all(good)
  assert.equal(
    (await Promise.all(bad)).map(({ status }) => status),
    [400, 400, 409],
  )
  for (const [i, { status, body }] of responses.entries()) {
    assert.is(status, 200, JSON.stringify(body))
    assert.is(await desk.git('diff-tree', '--no-commit-id', '--name-only', '-r', body.revision), `p${i}.md`)
  }
  const line = (await desk.git('rev-list', '--first-parent', `${before}..main`)).split('\n')
  assert.equal([...line].sort(), responses.map(({ body }) => body.revision).sort())
  assert.ok((await moves('refs/heads/main')) < PAGES, `${await moves('refs/heads/main')} moves`)
  for (const [i] of ids.entries()) assert.is(await desk.file(`p${i}.md`), `# P${i}\n\nSecond.\n`)
  await desk.git('fsck', '--strict', '--no-dangling')
})

test('each batched edit is based on the result of the previous one', async () => {
  const { desk, ids } = await counted(here)
  const responses = await Promise.all(
    ids.map((into, i) =>
      post(desk, '/content', {
        changes: [
          {
            operation: 'insert_page',
            title: `New ${i}`,
            slug: 'same',
            into: ids[0],
            document: { markdown: `# New ${i}\n` },
          },
          { operation: 'update_page', page: into, title: `Retitled ${i}` },
        ],
      }),
    ),
  )
  // The slug is free only for the first one.
  assert.equal(responses.map(({ status }) => status).sort(), [200, ...ids.slice(1).map(() => 400)])
  const kept = await Promise.all(
    ids.map((into, i) =>
      post(desk, '/content', {
        changes: [{ operation: 'insert_page', title: `Child ${i}`, into, document: { markdown: `# Child ${i}\n` } }],
      }),
    ),
  )
  for (const { status, body } of kept) assert.is(status, 200, JSON.stringify(body))
  const pages = [...(await desk.byPath()).values()]
  assert.is(pages.filter((page) => page.title.startsWith('Child')).length, PAGES)
  assert.is(new Set(pages.map((page) => page.id)).size, pages.length)
})

test('batched edits of one revision are merged, or rejected if they conflict', async () => {
  const { desk, ids } = await counted(here)
  const at = { 'If-Match': `"${await desk.git('rev-parse', 'main')}"` }
  const own = ids.map((id, i) => post(desk, '/content', update(id, `# P${i}\n\nOn the first.\n`), at))
  const collide = Array.from({ length: 4 }, (_, i) =>
    post(desk, '/content', update(ids[0] as string, `# P0\n\nAgain ${i}.\n`), at),
  )
  const move = post(desk, '/content', { changes: [{ operation: 'update_page', page: ids[5], slug: 'moved' }] }, at)
  const statuses = (await Promise.all([own[0], ...collide])).map((one) => one?.status)
  assert.equal(statuses.sort(), [200, 409, 409, 409, 409])
  for (const response of await Promise.all([...own.slice(1), move])) assert.is(response.status, 200, response.text)
  assert.is(await desk.file('moved.md'), '# P5\n\nOn the first.\n')
  assert.is((await desk.byPath()).get('moved')?.id, ids[5])
})

test('batched edits of several change requests move their branches together', async () => {
  const { desk, ids } = await counted(here)
  const requests = await Promise.all(Array.from({ length: 4 }, () => desk.changeRequest()))
  const responses = await Promise.all(
    ids.map((id, i) =>
      post(desk, `/change-requests/${requests[i % 4]?.id}/content`, update(id, `# P${i}\n\nIn ${i % 4}.\n`)),
    ),
  )
  for (const { status, body } of responses) assert.is(status, 200, JSON.stringify(body))
  for (const [n, request] of requests.entries()) {
    const files = (await desk.git('diff', '--name-only', `main..${request.ref}`)).split('\n')
    assert.equal(files.sort(), ids.flatMap((_, i) => (i % 4 === n ? [`p${i}.md`] : [])).sort())
    assert.is(Number(await desk.git('rev-list', '--count', `main..${request.ref}`)), PAGES / 4)
  }
  const merged = await Promise.all(requests.map((request) => request.merge()))
  assert.is(new Set(merged.map(({ revision }) => revision)).size, 4)
})

test(
  'a Git lock on one branch stops only the edits of that branch',
  async () => {
    const { desk, ids } = await counted(here)
    const [free, stuck] = [await desk.changeRequest(), await desk.changeRequest()]
    const { writeFile, rm } = await import('node:fs/promises')
    const lock = `${desk.repo}/${stuck.ref}.lock`
    await writeFile(lock, '')
    const edits = [free, stuck].flatMap((request) =>
      ids.slice(0, 4).map((id) => post(desk, `/change-requests/${request.id}/content`, update(id, 'Locked?\n'))),
    )
    const responses = await Promise.all(edits)
    await rm(lock)
    assert.equal(
      responses.map(({ status }) => status),
      [200, 200, 200, 200, 409, 409, 409, 409],
    )
    for (const { body } of responses.slice(4))
      assert.ok(
        body.error.message.includes(`${stuck.ref}.lock`) && /Try again.*delete/.test(body.error.message),
        JSON.stringify(body),
      )
    assert.is(
      (await post(desk, `/change-requests/${stuck.id}/content`, update(ids[0] as string, 'Free.\n'))).status,
      200,
    )
  },
  { embeddedOnly: 'plain-git' },
)

test(
  'edits and merges report a Git lock on main, and work once it is gone',
  async () => {
    const { desk, ids } = await counted(here)
    const request = await desk.changeRequest()
    await request.write([update(ids[1] as string, 'Merged.\n').changes[0] as object])
    const { writeFile, rm } = await import('node:fs/promises')
    const lock = `${desk.repo}/refs/heads/main.lock`
    const head = await desk.git('rev-parse', 'main')
    const both = () =>
      Promise.all([
        post(desk, '/content', update(ids[0] as string, 'Edited.\n')),
        post(desk, `/change-requests/${request.id}/merge`, {}),
      ])
    await writeFile(lock, '')
    for (const { status, body } of await both()) {
      assert.is(status, 409, JSON.stringify(body))
      assert.match(body.error.message, /refs\/heads\/main\.lock .*Try again later\. .*delete the lock file/)
    }
    assert.is(await desk.git('rev-parse', 'main'), head)
    await rm(lock)
    for (const { status, body } of await both()) assert.is(status, 200, JSON.stringify(body))
  },
  { embeddedOnly: 'plain-git' },
)

test(
  'fifty change requests that each add a page are all merged at the same time',
  async () => {
    const { desk } = await counted(here)
    const requests = await Promise.all(Array.from({ length: 50 }, (_, i) => desk.changeRequest(`Change ${i}`)))
    await Promise.all(
      requests.map((request, i) =>
        request.write([{ operation: 'insert_page', title: `Added ${i}`, document: { markdown: `# Added ${i}\n` } }]),
      ),
    )
    const merged = await Promise.all(requests.map((request) => request.merge()))
    assert.is(new Set(merged.map(({ revision }) => revision)).size, 50)
    const titles = [...(await desk.byPath()).values()].map((page) => page.title)
    for (const [i] of requests.entries()) assert.is(titles.filter((title) => title === `Added ${i}`).length, 1)
    const { body } = await desk.admin.call('get', `${desk.url}/change-requests?status=merged&limit=100`).expect(200)
    assert.is(body.count, 50)
    await desk.git('fsck', '--strict', '--no-dangling')
  },
  { timeoutMs: 120_000 },
)

test.run()
