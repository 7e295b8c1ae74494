import * as assert from 'uvu/assert'
import { startGitHttp } from '../support/git-http.js'
import { type Caller, startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Case, openCase } from './fixture.js'

const [test, here] = await suiteWith('merge rules', startService)

type Rule = { rule: string; users?: string[]; expression?: string; message?: string }
interface Hands extends Case {
  first: Caller
  second: Caller
}

const rulesOf = (...rules: Rule[]) => ({ mergeRules: { type: 'rules', rules } })

/** A change request under rules, with two available reviewers. */
async function under(rules: (hands: Hands) => Rule[]): Promise<Hands> {
  const made = await openCase(here)
  const hands = { ...made, first: await here.caller('review'), second: await here.caller('review') }
  await here.admin.call('patch', `/v1/spaces/${made.space}`, rulesOf(...rules(hands))).expect(200)
  return hands
}

/** The names of the rules that block a caller's merge. The change request and the merge must agree. */
async function unmet({ base }: Case, by: Caller = here.admin): Promise<string[]> {
  const shown = (await by.call('get', base).expect(200)).body.unmetRules as { rule: string; message: string }[]
  const merge = await by.call('post', `${base}/merge`)
  if (shown.length === 0) {
    assert.is(merge.status, 200, JSON.stringify(merge.body))
    return []
  }
  assert.is(merge.status, 409)
  assert.equal(
    merge.body.error.details.map(({ path }: { path: string }) => path),
    shown.map(({ rule }) => `/mergeRules/${rule}`),
  )
  for (const { message } of shown) assert.is(merge.body.error.message.includes(message), true, message)
  return shown.map(({ rule }) => rule)
}

/** A rule, the setup that leaves it unmet, and the action that meets it. */
const cases: [
  name: string,
  rule: (hands: Hands) => Rule,
  still: (hands: Hands) => Promise<unknown>,
  met: (hands: Hands) => Promise<unknown>,
][] = [
  [
    'require_at_least_one_review',
    () => ({ rule: 'require_at_least_one_review' }),
    async () => {},
    ({ review, first }) => review(first, 'changes-requested'),
  ],
  [
    'require_at_least_one_approved_review',
    () => ({ rule: 'require_at_least_one_approved_review' }),
    ({ review, first }) => review(first, 'changes-requested'),
    ({ review, second }) => review(second, 'approved'),
  ],
  [
    'require_all_reviews_approved',
    () => ({ rule: 'require_all_reviews_approved' }),
    async ({ review, first, second, base }) => {
      await here.admin.call('post', `${base}/requested-reviewers`, { users: [second.user] })
      await review(first, 'approved')
    },
    ({ review, second }) => review(second, 'approved'),
  ],
  [
    'require_up_to_date_change_request',
    () => ({ rule: 'require_up_to_date_change_request' }),
    ({ space }) =>
      here.admin
        .call('post', `/v1/spaces/${space}/content`, {
          changes: [{ operation: 'insert_page', title: 'Beside', document: { markdown: 'Text.\n' } }],
        })
        .expect(200),
    ({ base }) => here.admin.call('post', `${base}/update`).expect(200),
  ],
  [
    'require_change_request_subject',
    () => ({ rule: 'require_change_request_subject' }),
    ({ base }) => here.admin.call('patch', base, { subject: '  ' }).expect(200),
    ({ base }) => here.admin.call('patch', base, { subject: 'Said' }).expect(200),
  ],
  [
    'require_change_request_description',
    () => ({ rule: 'require_change_request_description' }),
    async () => {},
    ({ base }) => here.admin.call('patch', base, { description: 'Because.' }).expect(200),
  ],
  [
    'require_specific_reviewers',
    ({ first, second }) => ({ rule: 'require_specific_reviewers', users: [first.user, second.user] }),
    ({ review, first }) => review(first, 'approved'),
    ({ review, second }) => review(second, 'approved'),
  ],
  [
    'require_one_of_specific_reviewers',
    ({ first, second }) => ({ rule: 'require_one_of_specific_reviewers', users: [first.user, second.user] }),
    async ({ review }) => review(await here.caller('review'), 'approved'),
    ({ review, second }) => review(second, 'approved'),
  ],
  [
    'custom',
    ({ first }) => ({
      rule: 'custom',
      expression: `"${first.user}" in reviews.approvedBy && reviews.objections == 0 && changeRequest.subject != "" && actor.role === "admin"`,
      message: 'Ask the first.',
    }),
    ({ review, second }) => review(second, 'approved'),
    ({ review, first }) => review(first, 'approved'),
  ],
]

for (const [name, rule, still, met] of cases)
  test(`the rule ${name} blocks a merge until it is met`, async () => {
    const hands = await under((all) => [rule(all)])
    await still(hands)
    assert.equal(await unmet(hands), [name])
    await met(hands)
    assert.equal(await unmet(hands), [])
  })

test('require_author_to_merge allows only the author to merge', async () => {
  const author = await here.caller('review')
  const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Own' }).expect(201))
    .body.id
  await author.call('post', `/v1/spaces/${space}/change-requests`, { subject: 'Mine', description: 'Said' }).expect(201)
  const made = { base: `/v1/spaces/${space}/change-requests/1` } as Case
  await here.admin.call('patch', `/v1/spaces/${space}`, rulesOf({ rule: 'require_author_to_merge' })).expect(200)
  assert.equal(await unmet(made), ['require_author_to_merge'])
  assert.equal(await unmet(made, author), [])
})

test('several unmet rules are all named, with the number of approvals', async () => {
  const hands = await under((all) => cases.map(([, rule]) => rule(all)))
  await here.admin.call('patch', `/v1/spaces/${hands.space}`, { requiredApprovals: 2 }).expect(200)
  const { review, first, second, base } = hands
  assert.equal(await unmet(hands), [
    'required_approvals',
    'require_at_least_one_review',
    'require_at_least_one_approved_review',
    'require_change_request_description',
    'require_specific_reviewers',
    'require_one_of_specific_reviewers',
    'custom',
  ])
  await here.admin.call('patch', base, { description: 'Because.' }).expect(200)
  await review(first, 'approved')
  assert.equal(await unmet(hands), ['required_approvals', 'require_specific_reviewers'])
  await review(second, 'approved')
  assert.equal(await unmet(hands), [])
})

test('an approval of an earlier revision meets no rule', async () => {
  const hands = await under(({ first }) => [{ rule: 'require_specific_reviewers', users: [first.user] }])
  await hands.review(hands.first, 'approved')
  await hands.edit()
  assert.equal(await unmet(hands), ['require_specific_reviewers'])
})

test('a merge by the author does not count as an approval for a rule', async () => {
  const hands = await under(() => [{ rule: 'require_at_least_one_approved_review' }])
  await hands.edit(hands.first)
  await hands.review(hands.first, 'approved')
  assert.equal(await unmet(hands, hands.first), ['require_at_least_one_approved_review'])
  assert.equal(await unmet(hands, hands.second), [])
})

test('a space inherits the rules of its organization until it has none or its own', async () => {
  const organization = `/v1/orgs/${here.organization}`
  const made = await openCase(here)
  const space = `/v1/spaces/${made.space}`
  assert.equal((await here.admin.call('get', space).expect(200)).body.mergeRules, { type: 'inherit' })
  assert.equal((await here.admin.call('get', organization).expect(200)).body.mergeRules, { type: 'none' })
  const rules = rulesOf({ rule: 'require_change_request_description' })
  assert.equal((await here.admin.call('patch', organization, rules).expect(200)).body.mergeRules, rules.mergeRules)
  try {
    assert.equal(await unmet(made), ['require_change_request_description'])
    await here.admin.call('patch', space, rulesOf({ rule: 'require_at_least_one_review' })).expect(200)
    assert.equal(await unmet(made), ['require_at_least_one_review'])
    await here.admin.call('patch', space, { mergeRules: { type: 'none' } }).expect(200)
    assert.equal(await unmet(made), [])
  } finally {
    await here.admin.call('patch', organization, { mergeRules: { type: 'none' } }).expect(200)
  }
})

test('members who may bypass rules merge and edit, and the audit log records it', async () => {
  const hands = await under(({ first }) => [
    { rule: 'require_change_request_description' },
    { rule: 'allow_bypass', users: [first.user] },
  ])
  const { space, base, first, second } = hands
  const write = (by: Caller) =>
    by.call('post', `/v1/spaces/${space}/content`, {
      changes: [{ operation: 'insert_page', title: 'Now', document: { markdown: 'x' } }],
    })
  assert.match(
    (await write(second).expect(409)).body.error.message,
    /merge rules \(require_change_request_description\)/,
  )
  await write(first).expect(200)
  await second.call('post', `${base}/merge`).expect(409)
  await here.admin.call('post', `${base}/merge`).expect(409)
  await first.call('post', `${base}/merge`).expect(200)
  const log = (await here.admin.call('get', `/v1/orgs/${here.organization}/audit-log?limit=50`).expect(200)).body.items
  for (const operation of ['updateSpaceContent', 'mergeChangeRequestById']) {
    const entry = log.find(
      (one: { operation: string; status: number; resources: { space: string } }) =>
        one.operation === operation && one.status === 200 && one.resources.space === space,
    )
    assert.equal([entry.actor.user, entry.overruled], [first.user, ['mergeRules']], operation)
  }
})

test('a bypass setting without a rule protects nothing', async () => {
  const { space, second } = await under(({ first }) => [{ rule: 'allow_bypass', users: [first.user] }])
  await second
    .call('post', `/v1/spaces/${space}/content`, {
      changes: [{ operation: 'insert_page', title: 'Now', document: { markdown: 'x' } }],
    })
    .expect(200)
})

test('imports, rollbacks and direct edits do not bypass the rules', async () => {
  const remotes = await startGitHttp({ root: here.dir })
  try {
    const { space, first } = await under(() => [{ rule: 'require_change_request_subject' }])
    const { revision } = (await here.admin.call('get', `/v1/spaces/${space}`).expect(200)).body
    await first.call('post', `/v1/spaces/${space}/rollback`, { revision }).expect(409)
    const boss = await here.caller('admin')
    await boss
      .call('post', `/v1/spaces/${space}/git/import`, { url: `${remotes.url}/none.git`, ref: 'refs/heads/main' })
      .expect(409)
  } finally {
    await remotes.close()
  }
})

test('a transferred space keeps the rules of its former organization', async () => {
  const { admin, organization } = here
  const rules = rulesOf({ rule: 'require_change_request_description' })
  const other = (await admin.call('post', '/v1/orgs', { title: 'Elsewhere' }).expect(201)).body.id
  const space = (await admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Moving' }).expect(201)).body.id
  await admin.call('patch', `/v1/orgs/${organization}`, rules).expect(200)
  try {
    const moved = await admin.call('post', `/v1/spaces/${space}/transfer`, { organization: other })
    assert.is(moved.status, 200, JSON.stringify(moved.body))
    assert.equal(moved.body.mergeRules, rules.mergeRules)
  } finally {
    await admin.call('patch', `/v1/orgs/${organization}`, { mergeRules: { type: 'none' } }).expect(200)
  }
})

test('the error for an invalid rule contains its location', async () => {
  const { space } = await openCase(here)
  const refused = async (rule: object): Promise<string[]> =>
    (
      await here.admin
        .call('patch', `/v1/spaces/${space}`, { mergeRules: { type: 'rules', rules: [rule] } })
        .expect(400)
    ).body.error.details.map(({ path, message }: { path: string; message: string }) => `${path}: ${message}`)
  assert.equal(await refused({ rule: 'require_specific_reviewers', users: ['nobody'] }), [
    '/mergeRules/rules/0/users/0: must be the ID of a member of the organization',
  ])
  assert.match(
    (await refused({ rule: 'custom', expression: 'changeRequest.subjet != ""', message: 'x' }))[0] as string,
    /expression: line 1, column 1: is not known here/,
  )
  assert.match(
    (await refused({ rule: 'custom', expression: 'fetch("x")', message: 'x' }))[0] as string,
    /functions cannot be called/,
  )
  await refused({ rule: 'require_nothing' })
  await refused({ rule: 'require_specific_reviewers' })
  await here.admin.call('patch', `/v1/orgs/${here.organization}`, { mergeRules: { type: 'inherit' } }).expect(400)
  await (await here.caller('create')).call('patch', `/v1/spaces/${space}`, { mergeRules: { type: 'none' } }).expect(403)
})
test.run()
