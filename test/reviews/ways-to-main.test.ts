// Merge rules alone and combined, for every request that moves main: a rejection leaves main unchanged and names the
// rules.
import * as assert from 'uvu/assert'
import { Clone, newSpace } from '../git-door/fixture.js'
import { git } from '../support/hermetic-git.js'
import { type Caller, startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { join } from 'node:path'

const [test, here] = await suiteWith('merge rules: ways to main', startService)
const organization = `/v1/orgs/${here.organization}`
const [creator, reviewer] = [await here.caller('create'), await here.caller('review')]

type Rule = { rule: string; users?: string[]; expression?: string; message?: string }
const simple = [
  'require_at_least_one_review',
  'require_at_least_one_approved_review',
  'require_all_reviews_approved',
  'require_up_to_date_change_request',
  'require_change_request_subject',
  'require_change_request_description',
  'require_author_to_merge',
]
const rules: Rule[] = [
  ...simple.map((rule) => ({ rule })),
  { rule: 'require_specific_reviewers', users: [reviewer.user] },
  { rule: 'require_one_of_specific_reviewers', users: [reviewer.user, here.admin.user] },
  { rule: 'custom', expression: 'reviews.approvals > 0', message: 'It needs one.' },
]
const setRules = (path: string, ...set: Rule[]) =>
  here.admin
    .call('patch', path, { mergeRules: set.length > 0 ? { type: 'rules', rules: set } : { type: 'none' } })
    .expect(200)
const head = (space: string): Promise<string> =>
  git(join(here.dir, 'repos', `${space}.git`), ['rev-parse', 'refs/heads/main'])
const page = (title: string) => ({ changes: [{ operation: 'insert_page', title, document: { markdown: 'Text.\n' } }] })

const space = await newSpace(here)
const url = `/v1/spaces/${space}`
const first = (await here.admin.call('get', `${url}/revisions`).expect(200)).body.items.at(-1).id as string
const pageId = (await here.admin.call('get', `${url}/content/pages`).expect(200)).body.pages[0].id as string

/** Each request that changes main, as an editor who is not an admin. */
const ways: Record<string, (by: Caller) => Promise<{ status: number; body: { error?: { message: string } } }>> = {
  'a direct edit': (by) => by.call('post', `${url}/content`, page('Direct')),
  'a rollback': (by) => by.call('post', `${url}/rollback`, { revision: first }),
  'a template': (by) => by.call('post', `${url}/content/template`, { id: 'handbook' }),
  'an import of content': (by) => by.call('post', `${url}/content/import`, { url: `${here.url}/docs`, source: 'html' }),
  'an import into a page': (by) =>
    by.call('post', `${url}/content/page/${pageId}/import`, { url: `${here.url}/docs`, source: 'html' }),
}

test('every rule blocks every way to main for a caller who is not an admin', async () => {
  for (const rule of rules) {
    await setRules(organization, rule)
    const before = await head(space)
    for (const [name, way] of Object.entries(ways)) {
      const { status, body } = await way(creator)
      assert.is(status, 409, `${name} under ${rule.rule}: ${status} ${JSON.stringify(body)}`)
      assert.match(body.error?.message as string, rule.rule, name)
    }
    assert.is(await head(space), before, rule.rule)
  }
  await setRules(organization)
})

test('a push to main becomes a change request that does not meet the rules', async () => {
  await setRules(organization, ...rules)
  const before = await head(space)
  const clone = await Clone.of(here, space, creator, 'pusher')
  await clone.commit({ 'start.md': '# Start\n\nPushed.\n' })
  const seen = await clone.see('push', 'origin', 'HEAD:refs/heads/main')
  assert.is(await head(space), before, seen.text)
  for (const way of ['HEAD:refs/heads/main', '--force', '--delete']) {
    await clone.see(
      'push',
      ...(way === '--delete'
        ? ['origin', '--delete', 'main']
        : way === '--force'
          ? ['--force', 'origin', 'HEAD:main']
          : ['origin', way]),
    )
    assert.is(await head(space), before, way)
  }
  const { items } = (await here.admin.call('get', `${url}/change-requests`).expect(200)).body
  assert.ok(items.length > 0)
  for (const { number } of items) {
    const { body } = await creator.call('post', `${url}/change-requests/${number}/merge`).expect(409)
    assert.ok(body.error.details.length >= 5, JSON.stringify(body))
  }
  await setRules(organization)
})

/** Expressions that stress the language: each is rejected when it is set, or never met. */
const hostile = [
  'reviews.approvedBy.length.x.y == 1',
  'changeRequest.subject + changeRequest.subject',
  `${'!'.repeat(1000)}true`,
  `${'('.repeat(500)}true${')'.repeat(500)}`,
  'constructor',
  'actor.__proto__ == actor.__proto__',
  'actor.constructor != 1',
  'space.id["toString"]() == ""',
  'changeRequest.author = actor.id',
  'reviews["approvals"]++ > 0',
  'globalThis.process.exit(1)',
  'changeRequest.subject.repeat(1e9) == ""',
  'changeRequest.subject matches "(a+)+$"',
  'false ? true : 0',
  '""',
  'null',
]

test('a hostile expression is rejected or never met, and never fails the service', async () => {
  const own = await newSpace(here)
  await creator.call('post', `/v1/spaces/${own}/change-requests`, { subject: 'Change' }).expect(201)
  await creator.call('post', `/v1/spaces/${own}/change-requests/1/content`, page('Branch')).expect(200)
  let set = 0
  for (const expression of hostile) {
    const { status } = await here.admin.call('patch', `/v1/spaces/${own}`, {
      mergeRules: { type: 'rules', rules: [{ rule: 'custom', expression, message: 'No.' }] },
    })
    assert.ok(status === 200 || status === 400, `${expression}: ${status}`)
    if (status === 400) continue
    set++
    const merge = await creator.call('post', `/v1/spaces/${own}/change-requests/1/merge`)
    assert.is(merge.status, 409, `${expression}: ${merge.status} ${JSON.stringify(merge.body)}`)
    await creator.call('get', `/v1/spaces/${own}/change-requests/1`).expect(200)
  }
  assert.ok(set < hostile.length)
})

test('changed organization rules apply at once to spaces that inherit them', async () => {
  const own = await newSpace(here)
  const status = async (): Promise<number> =>
    (await creator.call('post', `/v1/spaces/${own}/content`, page(`Page ${Math.random()}`))).status
  assert.is(await status(), 200)
  await setRules(organization, { rule: 'require_change_request_subject' })
  assert.is(await status(), 409)
  await here.restart()
  assert.is(await status(), 409)
  await here.admin
    .call('patch', organization, {
      mergeRules: {
        type: 'rules',
        rules: [{ rule: 'require_change_request_subject' }, { rule: 'allow_bypass', users: [creator.user] }],
      },
    })
    .expect(200)
  assert.is(await status(), 200)
  await here.admin.call('delete', `${organization}/members/${creator.user}`).expect(204)
  assert.is(await status(), 404)
  await setRules(organization)
})

test.run()
