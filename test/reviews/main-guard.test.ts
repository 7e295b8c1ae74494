import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { spaces } from '../../src/model/index.js'
import { type Caller, startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { startGitHttp } from '../support/git-http.js'

const [test, here] = await suiteWith(
  'the rule "a merge needs approvals" applies to everything that moves main',
  startService,
)

const insert = (title: string) => ({
  changes: [{ operation: 'insert_page', title, document: { markdown: `${title}.\n` } }],
})
const WAY =
  /create a change request \(POST \/v1\/spaces\/\w+\/change-requests\), have it approved 2 times by others, and merge it/

/** A space with two revisions of main, under the rule. */
async function ruled(requiredApprovals = 2) {
  const { admin, organization } = here
  const id = (await admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Ruled' }).expect(201)).body
    .id as string
  const path = `/v1/spaces/${id}`
  const first = (await admin.call('get', path).expect(200)).body.revision as string
  await admin.call('post', `${path}/content`, insert('Before')).expect(200)
  await admin.call('patch', path, { requiredApprovals }).expect(200)
  const main = async () => (await admin.call('get', path).expect(200)).body.revision as string
  return { id, path, first, main }
}

const entries = async (operation: string) =>
  (await here.admin.call('get', `/v1/orgs/${here.organization}/audit-log?operation=${operation}`).expect(200)).body
    .items

for (const role of ['edit', 'review', 'create'] as const)
  test(`a role of ${role} cannot write to main directly, with or without If-Match, or roll back`, async () => {
    const { path, first, main } = await ruled()
    const who = await here.caller(role)
    const before = await main()
    assert.match((await who.call('post', `${path}/content`, insert('Beside')).expect(409)).body.error.message, WAY)
    await who.call('post', `${path}/content`, insert('Beside')).set('If-Match', `"${before}"`).expect(409)
    const rollback = await who.call('post', `${path}/rollback`, { revision: first })
    if (role === 'edit') assert.is(rollback.status, 403)
    else assert.match(rollback.body.error.message, WAY)
    assert.is(await main(), before)
    const { number } = (await who.call('post', `${path}/change-requests`).expect(201)).body
    await who.call('post', `${path}/change-requests/${number}/content`, insert('Proposed')).expect(200)
    assert.is(
      (await who.call('get', path).expect(200)).body.permissions.edit,
      true,
      'permissions say what the role allows',
    )
  })

test('an admin writes and rolls back, and the audit log records the override', async () => {
  const { id, path, first } = await ruled()
  const boss = await here.caller('read')
  await here.admin.call('post', `${path}/permissions`, { role: 'admin', users: [boss.user] }).expect(204)
  await boss.call('post', `${path}/content`, insert('By hand')).expect(200)
  await boss.call('post', `${path}/rollback`, { revision: first }).expect(200)
  const of = async (operation: string) =>
    (await entries(operation)).find((one: { resources: { space: string } }) => one.resources.space === id)
  for (const operation of ['updateSpaceContent', 'rollBackSpace']) {
    const entry = await of(operation)
    assert.equal([entry.actor.user, entry.overruled], [boss.user, ['requiredApprovals']])
  }
  const { path: free } = await ruled(0)
  await here.admin.call('post', `${free}/content`, insert('Plain')).expect(200)
  assert.is((await entries('updateSpaceContent'))[0].overruled, undefined)
})

test("an admin's merge needs approvals like any other", async () => {
  const { path } = await ruled(1)
  await here.admin.call('post', `${path}/change-requests`).expect(201)
  await here.admin.call('post', `${path}/change-requests/1/content`, insert('Mine')).expect(200)
  await here.admin.call('post', `${path}/change-requests/1/merge`).expect(409)
  const reviewer = await here.caller('review')
  await reviewer.call('post', `${path}/change-requests/1/reviews`, { status: 'approved' }).expect(201)
  await here.admin.call('post', `${path}/change-requests/1/merge`).expect(200)
})

/** Holds the space's lock while `meanwhile` runs, so that an earlier request waits for it. */
async function whileWaiting<T>(space: string, ask: () => Promise<T>, meanwhile: () => Promise<unknown>): Promise<T> {
  const { app } = here.service
  let open = (): void => {}
  const held = app.locks.run(space, () => new Promise<void>((resolve) => (open = resolve)))
  const asked = ask()
  await new Promise((resolve) => setTimeout(resolve, 200))
  await meanwhile()
  open()
  await held
  return asked
}

test('a waiting write follows the rule, lock and role at the time of its move', async () => {
  const editor = await here.caller('edit')
  const cases: [rule: object | null, status: number][] = [
    [{ requiredApprovals: 1 }, 409],
    [{ editMode: 'locked' }, 423],
    [{ defaultLevel: 'comment' }, 403],
    [{ defaultLevel: null }, 404],
    [null, 404],
  ]
  for (const [change, status] of cases) {
    const { id, path, main } = await ruled(0)
    const before = await main()
    const meanwhile = () =>
      change ? here.admin.call('patch', path, change).expect(200) : here.admin.call('delete', path).expect(204)
    const response = await whileWaiting(
      id,
      async () => editor.call('post', `${path}/content`, insert('Late')),
      meanwhile,
    )
    assert.is(response.status, status, JSON.stringify(change))
    if (change) assert.is(await main(), before)
  }
})

test('a waiting merge follows the rule at the time of its move', async () => {
  const { id, path, main } = await ruled(0)
  const reviewer = await here.caller('review')
  await reviewer.call('post', `${path}/change-requests`).expect(201)
  await reviewer.call('post', `${path}/change-requests/1/content`, insert('Waiting')).expect(200)
  const before = await main()
  const merge = async () => reviewer.call('post', `${path}/change-requests/1/merge`)
  assert.is(
    (await whileWaiting(id, merge, () => here.admin.call('patch', path, { requiredApprovals: 1 }).expect(200))).status,
    409,
  )
  assert.is(await main(), before)
})

test('a waiting edit that is rejected late does not fail the others', async () => {
  const { id, path } = await ruled(0)
  const [gone, stays] = [await here.caller('edit'), await here.caller('edit')]
  const ask = () =>
    Promise.all([gone, stays].map(async (who, n) => who.call('post', `${path}/content`, insert(`Edit ${n}`))))
  const demote = () =>
    here.admin.call('patch', `/v1/orgs/${here.organization}/members/${gone.user}`, { role: 'comment' }).expect(200)
  const responses = await whileWaiting(id, ask, demote)
  assert.equal(
    responses.map(({ status }) => status),
    [403, 200],
  )
  const titles = (await here.admin.call('get', `${path}/content/pages`).expect(200)).body.pages.map(
    (page: { title: string }) => page.title,
  )
  assert.ok(titles.includes('Edit 1') && !titles.includes('Edit 0'))
})

test('imports accept only the last synced remote, and an export imports nothing else first', async () => {
  const remotes = await startGitHttp({ root: join(here.dir, 'remotes') })
  try {
    const docs = { 'README.md': '# Docs\n', 'SUMMARY.md': '# Table of contents\n\n* [Docs](README.md)\n' }
    const [known, other] = [
      await remotes.createRepository('known.git', { files: docs }),
      await remotes.createRepository('other.git', { files: docs }),
    ]
    const { admin, organization } = here
    const id = (await admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Synced' }).expect(201)).body
      .id as string
    const path = `/v1/spaces/${id}`
    const run = (direction: 'import' | 'export', url: string, who: Caller = admin) =>
      who.call('post', `${path}/git/${direction}`, {
        url,
        ref: 'refs/heads/main',
        ...(direction === 'export' ? { commitMessage: 'Export' } : {}),
      })
    const ended = async () => {
      for (;;) {
        const { body } = await admin.call('get', `${path}/git/history?limit=1`).expect(200)
        if (!['queued', 'running'].includes(body.items[0].state)) return body.items[0]
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    await run('import', known.url).expect(204)
    assert.is((await ended()).state, 'success')
    await admin.call('patch', path, { requiredApprovals: 1 }).expect(200)
    await known.commit({ 'news.md': '# News\n' })
    const reviewer = await here.caller('review')
    await run('import', known.url, reviewer).expect(204)
    assert.equal([(await ended()).state, (await ended()).result], ['success', 'merged'])
    const { message } = (await run('import', other.url).expect(409)).body.error
    assert.match(message, /last synced with.*requiredApprovals to 0 and mergeRules to none/)
    const main = (await admin.call('get', path).expect(200)).body.revision
    await other.commit({ 'unseen.md': '# Unseen\n' })
    await run('export', other.url).expect(204)
    const failed = await ended()
    assert.is(failed.state, 'failure')
    assert.match(failed.error, /last synced with/)
    assert.is((await admin.call('get', path).expect(200)).body.revision, main)
    const stored = await here.service.app.store.get(spaces, id)
    assert.is(stored?.requiredApprovals, 1)
  } finally {
    await remotes.close()
  }
})

test.run()
