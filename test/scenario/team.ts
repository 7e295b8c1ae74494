import * as assert from 'uvu/assert'
import { Person } from './http.js'

/** A new organization and its members, created through HTTP alone. */
export interface Team {
  organization: string
  founder: Person
  people: Record<'writer' | 'reviewer' | 'reader' | 'guest', Person>
  ids: Record<'founder' | 'writer' | 'reviewer' | 'reader' | 'guest', string>
  writers: string
}

/** The part of an invitation's link after the #. */
const secretOf = (link: string): string => new URL(link).hash.slice(1)

/** Creates an organization, invites people by address and by link, and adds some to a team. */
export async function foundTeam(url: string, operator: Person): Promise<Team> {
  const founder = operator
  const { id: founderId } = await founder.get('/v1/user')
  const { id: organization } = await founder.post('/v1/orgs', {
    title: 'Harbour docs',
    emailDomains: ['harbour.example'],
  })
  const org = `/v1/orgs/${organization}`

  const join = async (email: string, role: string | null): Promise<[Person, string]> => {
    const { invites } = await founder.post(`${org}/invites`, { emails: [email], role }, 200)
    const token = secretOf(invites[0].urls.invite)
    const accepted = await new Person(url, null).post(
      '/v1/invites/accept',
      { token, displayName: email.split('@')[0] },
      200,
    )
    assert.is(accepted.organization, organization)
    assert.is(accepted.member.role, role)
    await new Person(url, null)
      .ask('POST', '/v1/invites/accept', 409, { token })
      .catch(async () => new Person(url, null).ask('POST', '/v1/invites/accept', 404, { token }))
    return [new Person(url, accepted.token.token), accepted.member.user.id]
  }
  const [writer, writerId] = await join('wanda@harbour.example', 'edit')
  const [reviewer, reviewerId] = await join('rita@harbour.example', 'review')
  const [reader, readerId] = await join('ray@harbour.example', 'read')
  const [guest, guestId] = await join('gus@elsewhere.example', null)

  assert.is((await founder.all(`${org}/members`)).count, 5)
  assert.is((await founder.all(`${org}/members?role=review`)).count, 1)
  assert.equal(
    (await founder.all(`${org}/members?search=WANDA`)).items.map((member) => member.id),
    [writerId],
  )
  await founder.patch(`${org}/members/${founderId}`, { role: 'edit' }, 409)
  await founder.ask('DELETE', `${org}/members/${founderId}`, 409)
  assert.equal(await writer.post(`${org}/ping`, undefined, 200), {})
  assert.ok((await founder.all(`${org}/members?sort=lastSeenAt`)).items.some((member) => member.id === writerId))

  const { id: writers } = await founder.put(`${org}/teams`, { title: 'Writers', members: [writerId] }, 201)
  await founder.ask('PUT', `${org}/teams/${writers}/members`, 204, {
    add: [guestId],
    memberships: { [writerId]: 'owner' },
  })
  assert.is((await founder.get(`${org}/teams/${writers}`)).members, 2)
  await writer.patch(`${org}/teams/${writers}`, { title: 'Writing' })
  await reader.patch(`${org}/teams/${writers}`, { title: 'Mine' }, 403)
  return {
    organization,
    founder,
    people: { writer, reviewer, reader, guest },
    ids: { founder: founderId, writer: writerId, reviewer: reviewerId, reader: readerId, guest: guestId },
    writers,
  }
}
