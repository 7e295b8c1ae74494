// Merge rules alone and combined, for writes by the service: translations wait in a change request, revisions for new
// specifications do not wait.
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { entry, operation, put, spaceWith } from '../openapi/fixture.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { translationService } from '../translations/fixture.js'

const [test, here] = await suiteWith('merge rules: writes by the service', translationService)
const [creator, reviewer] = [await here.caller('create'), await here.caller('review')]

type Rule = { rule: string; users?: string[]; expression?: string; message?: string }
const rules: Rule[] = [
  ...[
    'require_at_least_one_review',
    'require_at_least_one_approved_review',
    'require_all_reviews_approved',
    'require_up_to_date_change_request',
    'require_change_request_subject',
    'require_change_request_description',
    'require_author_to_merge',
  ].map((rule) => ({ rule })),
  { rule: 'require_specific_reviewers', users: [reviewer.user] },
  { rule: 'require_one_of_specific_reviewers', users: [reviewer.user, here.admin.user] },
  { rule: 'custom', expression: 'reviews.approvals > 0', message: 'It needs one.' },
]
/** The rule sets of a space: each rule alone, all together, and approvals alone and with all rules. */
const cases: [name: string, settings: object][] = [
  ...rules.map((rule): [string, object] => [rule.rule, { mergeRules: { type: 'rules', rules: [rule] } }]),
  ['all rules', { mergeRules: { type: 'rules', rules } }],
  ['approvals', { requiredApprovals: 2 }],
  ['all rules and approvals', { requiredApprovals: 2, mergeRules: { type: 'rules', rules } }],
]
const none = { requiredApprovals: 0, mergeRules: { type: 'none' } }
const repositoryOf = (space: string): string => join(here.dir, 'repos', `${space}.git`)
const main = (space: string, what = ''): Promise<string> =>
  git(repositoryOf(space), ['rev-parse', `refs/heads/main${what}`])

test('a translation run leaves main unchanged, and its change request follows the merge rules', async () => {
  const source = await here.source({ one: '# One\n\nSome words.\n' })
  const made = await here.create(source)
  const { space } = made.result
  const id = (await here.pages(source)).one?.id as string
  for (const [at, [name, settings]] of cases.entries()) {
    await here.admin.call('patch', `/v1/spaces/${space}`, settings).expect(200)
    const before = await main(space)
    await here.edit(source, [
      { operation: 'update_page', page: id, document: { markdown: `# One\n\nChange ${at}.\n` } },
    ])
    const ran = await here.run(made.id)
    assert.is(ran.status, 'completed', `${name}: ${JSON.stringify(ran.error)}`)
    assert.is(await main(space), before, name)
    const request = `/v1/spaces/${space}/change-requests/${ran.result.changeRequest}`
    const { body } = await here.admin.call('get', `${request}/content/page/${id}`).expect(200)
    assert.match(body.markdown, `CHANGE ${at}.`, name)
    // It has a subject, builds on main, and has no review. It meets only these rules.
    const met = [
      'require_all_reviews_approved',
      'require_up_to_date_change_request',
      'require_change_request_subject',
    ].includes(name)
    const merge = await creator.call('post', `${request}/merge`)
    assert.is(merge.status, met ? 200 : 409, `${name}: ${JSON.stringify(merge.body)}`)
    if (!met) assert.is(await main(space), before, name)
    await here.admin.call('patch', `/v1/spaces/${space}`, none).expect(200)
    if (!met) await here.admin.call('post', `${request}/merge`).expect(200)
  }
})

test('a revision for a new specification version is created under every rule', async () => {
  await put(here, 'pets', { '/a': { get: operation('A') } })
  const spaces: [name: string, space: string, before: string][] = []
  for (const [name, settings] of cases) {
    const { space } = await spaceWith(here, entry('pets'))
    await here.admin.call('patch', `/v1/spaces/${space}`, settings).expect(200)
    spaces.push([name, space, await main(space)])
  }
  await put(here, 'pets', { '/b': { get: operation('B') } })
  for (const [name, space, before] of spaces) {
    assert.is(await main(space, '^'), before, name)
    assert.is(await main(space, '^{tree}'), await git(repositoryOf(space), ['rev-parse', `${before}^{tree}`]), name)
    const { body } = await here.admin.call('get', `/v1/spaces/${space}/revisions?limit=1`).expect(200)
    assert.is(body.items[0].type, 'computed', name)
  }
})

test.run()
