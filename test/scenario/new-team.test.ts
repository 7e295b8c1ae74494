import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { Person } from './http.js'
import { foundTeam, type Team } from './team.js'

let team: Team
let org: string
const made: Record<string, string> = {}

const [test, here] = await suiteWith('a new team through HTTP alone', startService)
test.before(async () => {
  team = await foundTeam(here.url, new Person(here.url, here.admin.token))
  org = `/v1/orgs/${team.organization}`
})

const titles = (items: { title: string }[]): string[] => items.map(({ title }) => title)

test('a team creates nested collections with ordered spaces and separate access levels', async () => {
  const { founder, people, writers } = team
  made.products = (await founder.post(`${org}/collections`, { title: 'Products' })).id
  made.harbour = (await founder.post(`${org}/collections`, { title: 'Harbour', parent: made.products })).id
  await founder.patch(`/v1/collections/${made.harbour}`, { description: 'Everything about it', defaultLevel: null })
  for (const title of ['Guide', 'Reference', 'Internals'])
    made[title] = (await founder.post(`${org}/spaces`, { title, parent: made.harbour, template: 'sample' })).id
  await founder.post(
    `/v1/spaces/${made.Internals}/move`,
    { position: { before: { type: 'space', space: made.Guide } } },
    200,
  )
  assert.equal(titles((await founder.all(`/v1/collections/${made.harbour}/spaces`)).items), [
    'Internals',
    'Guide',
    'Reference',
  ])
  await founder.post(
    `/v1/spaces/${made.Internals}/move`,
    { position: { before: { type: 'space', space: made.Guide } } },
    409,
  )
  await founder.post(`/v1/collections/${made.products}/move`, { parent: made.harbour }, 409)

  await people.writer.get(`/v1/spaces/${made.Guide}`, 404)
  await founder.post(`/v1/collections/${made.harbour}/permissions`, { role: 'edit', teams: [writers] }, 204)
  await founder.post(`/v1/collections/${made.harbour}/permissions`, { role: 'review', users: [team.ids.reviewer] }, 204)
  await founder.post(`/v1/spaces/${made.Guide}/permissions`, { role: 'comment', users: [team.ids.reader] }, 204)
  assert.is((await people.guest.get(`/v1/spaces/${made.Guide}`)).permissions.edit, true)
  assert.is((await people.reader.get(`/v1/spaces/${made.Guide}`)).permissions.comment, true)
  await people.reader.get(`/v1/spaces/${made.Reference}`, 404)
  const { items } = await founder.all(`${org}/members/${team.ids.reader}/spaces`)
  assert.equal(
    items.map(({ permission, space }) => [permission, space.title]),
    [['comment', 'Guide']],
  )
  assert.is((await founder.get(`${org}/members/${team.ids.writer}`)).spaces, 3)
})

test('a team writes, comments on, reviews and merges a change request', async () => {
  const { founder, people, ids } = team
  const space = `/v1/spaces/${made.Guide}`
  const page = (await people.writer.get(`${space}/content/pages`)).pages[0]
  const { id } = await people.writer.post(`${space}/change-requests`, { subject: 'Better words' })
  const request = `${space}/change-requests/${id}`
  await people.writer.patch(request, { status: 'open' })
  await people.writer.post(
    `${request}/content`,
    {
      changes: [
        { operation: 'update_page', page: page.id, document: { markdown: '# Welcome\n\nBetter words.\n' } },
        { operation: 'insert_page', title: 'Berths', document: { markdown: 'Where ships lie.\n' } },
      ],
    },
    200,
  )
  const { id: remark } = await people.reader.post(
    `${request}/comments`,
    { page: page.id, body: { markdown: 'Which *words*?' } },
    200,
  )
  await people.writer.post(`${request}/comments/${remark}/replies`, { body: { markdown: 'These.' } }, 200)
  await people.writer.put(`${request}/comments/${remark}`, { addedReactions: ['👍'] })
  assert.is((await founder.get(request)).comments, 1)
  await people.reader.put(`${request}/comments/${remark}`, { resolved: true })
  assert.is((await founder.get(request)).comments, 0)

  await people.writer.post(`${request}/requested-reviewers`, { users: [ids.reviewer] }, 200)
  await founder.patch(space, { requiredApprovals: 1 })
  await people.reviewer.post(`${request}/merge`, undefined, 409)
  await people.reviewer.post(`${request}/reviews`, { status: 'approved' })
  const { revision } = await people.reviewer.post(`${request}/merge`, undefined, 200)
  const after = await founder.get(space)
  assert.is(after.revision, revision)
  assert.equal([after.changeRequests, after.changeRequestsOpen, after.changeRequestsDraft], [1, 0, 0])
  assert.is((await people.reader.get(`${request}/comments/${remark}`)).status, 'resolved')
  const berths = (await people.writer.get(`${space}/content/path/berths`)).id
  made.page = berths
  made.note = (await people.reader.post(`${space}/comments`, { page: berths, body: { markdown: 'Good.' } }, 200)).id
  const moved = {
    operation: 'update_page',
    page: berths,
    slug: 'moorings',
    document: { markdown: 'Where ships are tied.\n' },
  }
  const refused = await people.writer.post(`${space}/content`, { changes: [moved] }, 409)
  assert.match(refused.error.message, /change request .* approved once by others, and merge it/)
  const { number } = await people.writer.post(`${space}/change-requests`, { subject: 'Another word for it' })
  await people.writer.post(`${space}/change-requests/${number}/content`, { changes: [moved] }, 200)
  await people.reviewer.post(`${space}/change-requests/${number}/reviews`, { status: 'approved' })
  await people.writer.post(`${space}/change-requests/${number}/merge`, undefined, 403)
  await people.reviewer.post(`${space}/change-requests/${number}/merge`, undefined, 200)
  const { target } = await people.reader.get(`${space}/comments/${made.note}`)
  assert.is(target.page.path, 'moorings')
  assert.is(target.page.id, berths)
  assert.is(target.page.outdated, true)
  assert.is((await founder.get(space)).comments, 1)
})

test('a team builds a site with sections and variants', async () => {
  const { founder, people } = team
  const { id } = await founder.post(`${org}/sites`, { title: 'Harbour', spaces: [made.Guide] })
  made.site = id
  const site = `${org}/sites/${id}`
  const { items } = await founder.all(`${site}/site-spaces`)
  assert.is(items.length, 1)
  const guide = await founder.post(`${site}/sections`, { spaceId: made.Reference, title: 'Reference' })
  await founder.post(`${site}/site-spaces`, { spaceId: made.Internals, sectionId: guide.id })
  const { items: sections } = await founder.all(`${site}/sections`)
  assert.is(sections.filter((section) => section.default).length, 1)
  const first = sections.find((section) => section.id !== guide.id) ?? sections[0]
  await founder.post(
    `${site}/sections/${guide.id}/move`,
    { position: { before: { type: 'site-section', siteSection: first.id } } },
    200,
  )
  assert.is((await founder.all(`${site}/sections`)).items[0].id, guide.id)
  const { id: group } = await founder.post(`${site}/section-groups`, { title: 'More', sections: [guide.id] })
  assert.is(
    (await founder.get(`${site}/sections`)).items.find((section: { id: string }) => section.id === guide.id)
      .sectionGroup,
    group,
  )
  await founder.patch(`${site}/sections/${guide.id}`, { condition: 'visitor.claims.unsigned.isBeta == ' }, 400)
  await founder.patch(`${site}/sections/${guide.id}`, { condition: 'visitor.claims.unsigned.isBeta == true' })
  await founder.get(`${site}/published`, 404)
  await founder.post(`${site}/publish`, undefined, 200)
  const published = await people.reader.get(`${site}/published`)
  assert.is(published.site.published, true)
  await founder.patch(site, { visibility: 'share-link' })
  const link = await founder.post(`${site}/share-links`, { name: 'For partners' })
  assert.ok(link.urls.published)
  assert.equal((await founder.get(site)).siteSpaces, 3)
})

test('a space moves to another organization and back with all its content', async () => {
  const { founder, people } = team
  const { id: other } = await founder.post('/v1/orgs', { title: 'The other one' })
  await founder.post(`/v1/collections/${made.products}/transfer`, { organization: other }, 412)
  await founder.delete(`${org}/sites/${made.site}`)
  const before = await founder.get(`/v1/spaces/${made.Guide}`)
  const away = await founder.post(`/v1/collections/${made.products}/transfer`, { organization: other }, 200)
  assert.is(away.organization, other)
  assert.is((await founder.all(`${org}/spaces`)).count, 0)
  assert.is((await founder.all(`/v1/orgs/${other}/spaces`)).count, 3)
  await people.writer.get(`/v1/spaces/${made.Guide}`, 404)
  await founder.post(`/v1/collections/${made.products}/transfer`, { organization: team.organization }, 200)
  const after = await founder.get(`/v1/spaces/${made.Guide}`)
  assert.is((await people.guest.get(`/v1/spaces/${made.Guide}`)).permissions.edit, true)
  assert.is((await people.reader.get(`/v1/spaces/${made.Guide}`)).permissions.comment, true)
  const { updatedAt: _was, ...rest } = before
  const { updatedAt: _is, ...same } = after
  assert.equal({ ...same, urls: rest.urls }, rest)
  assert.equal(titles((await founder.all(`/v1/collections/${made.harbour}/spaces`)).items), [
    'Internals',
    'Guide',
    'Reference',
  ])
  assert.is((await founder.get(`/v1/spaces/${made.Guide}/comments/${made.note}`)).target.page.id, made.page)
  assert.is((await founder.all(`/v1/spaces/${made.Guide}/commenters`)).count, 1)
})

test('counters, permissions and addresses match the documents', async () => {
  const { founder, people, ids } = team
  for (const { id, comments, changeRequests, changeRequestsOpen, changeRequestsDraft } of (
    await founder.all(`${org}/spaces`)
  ).items) {
    const count = async (path: string): Promise<number> => (await founder.get(`/v1/spaces/${id}/${path}limit=0`)).count
    assert.is(await count('comments?status=open&'), comments)
    assert.is(await count('change-requests?status=open&'), changeRequestsOpen)
    assert.is(await count('change-requests?status=draft&'), changeRequestsDraft)
    const all = await Promise.all(
      ['draft', 'open', 'archived', 'merged'].map((status) => count(`change-requests?status=${status}&`)),
    )
    assert.is(
      all.reduce((sum, one) => sum + one, 0),
      changeRequests,
    )
  }
  for (const [name, id] of Object.entries(ids)) {
    const member = await founder.get(`${org}/members/${id}`)
    assert.is((await founder.all(`${org}/members/${id}/spaces`)).count, member.spaces, `spaces of ${name}`)
    assert.is((await founder.all(`${org}/members/${id}/teams`)).count, member.teams, `teams of ${name}`)
  }
  const aggregate = (await founder.all(`/v1/spaces/${made.Guide}/permissions/aggregate`)).items
  assert.ok(aggregate.length > 0)
  for (const person of [founder, ...Object.values(people)]) {
    // The site was deleted to allow the deletion of the collection, and accepted invitations are gone. Every other
    // address still works.
    const over = [made.site as string, '/invites/']
    for (const address of person.shown)
      if (!over.some((part) => address.includes(part))) await person.get(address.replace(here.url, ''))
  }
  assert.ok(founder.shown.size >= 15, [...founder.shown].join('\n'))
  const audit = await founder.all(`${org}/audit-log`)
  assert.ok(audit.items.some((entry) => entry.operation === 'transferCollectionById'))
  const { items: events } = await founder.all(`${org}/events`)
  assert.ok(events.some((event) => event.type === 'change_request.merged'))
})

test.run()
