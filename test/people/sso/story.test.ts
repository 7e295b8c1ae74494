// Users sign in to two organizations through the same identity provider, while members, identities, rules and time
// change. A model predicts who has access.
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { as } from '../fixture.js'
import { suiteWith } from '../../support/suite.js'
import { codeOf, type Provider, startSso } from './fixture.js'

const [test, here] = await suiteWith('sso: a story against a model', startSso)
const HOUR = 3_600_000
const NAMES = ['ada', 'bob', 'eve'] as const
const second: string = (await here.admin.call('post', '/v1/orgs', { title: 'Second' }).expect(201)).body.id
const orgs = [here.organization, second] as const
const providers: Provider[] = [await here.createProvider(), await here.createProvider({}, second)]

/** The model's data for a person in an organization. */
interface Known {
  user: string
  identity: boolean
  member: boolean
  disabled: boolean
}
interface Token {
  secret: string
  org: number
  name: string
  user: string
  /** Null: not a sign-in token, so no provider session ends it. */
  ends: number | null
  revoked: boolean
}

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('sign in' as const), name: fc.constantFrom(...NAMES), org: fc.nat(1) }),
  },
  fc.record({
    do: fc.constantFrom('remove' as const, 'forget' as const, 'disable' as const, 'enable' as const),
    name: fc.constantFrom(...NAMES),
    org: fc.nat(1),
  }),
  fc.record({ do: fc.constantFrom('enforce' as const, 'relax' as const, 'join' as const), org: fc.nat(1) }),
  fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ do: fc.constant('restart' as const) }),
)

/** A story: each step, the model's prediction, and whether the service agrees. */
class Story {
  readonly known = new Map<string, Known>()
  readonly tokens: Token[] = []
  readonly enforced = [false, false]

  place = (name: string, org: number): Known | undefined => this.known.get(`${name} ${org}`)

  /** Whether a token opens its organization. */
  opens({ org, name, user, ends, revoked }: Token): boolean {
    const place = this.place(name, org)
    if (revoked || !place?.member || place.disabled || place.user !== user) return false
    return ends === null ? !this.enforced[org] : ends > here.now()
  }

  async check(told: string): Promise<void> {
    for (const token of this.tokens)
      for (const [at, org] of orgs.entries()) {
        const { status } = await as(here, token.secret, 'get', `/v1/orgs/${org}`)
        const expected = at === token.org && this.opens(token)
        assert.is(
          status === 200,
          expected,
          `${told}: the token of ${token.name} in ${token.org} gets ${status} in ${at}`,
        )
      }
  }

  async signIn(name: string, org: number, suffix: string): Promise<void> {
    const begun = await here.begin(providers[org] as Provider)
    const email = `${name}${suffix}@example.com`
    const response = await here
      .post(begun, here.respond(begun, { nameId: `${name}${suffix}`, attributes: { email } }))
      .expect(303)
    const { status, body } = await here.exchange(codeOf(response.headers.location as string))
    const place = this.place(name, org)
    const expected = place?.identity ? place.member && !place.disabled : !place?.member
    assert.is(
      status === 201,
      expected,
      `${name} signs in to ${org}: ${status} ${JSON.stringify(body)} ${JSON.stringify(place)}`,
    )
    if (status !== 201) return
    const { body: user } = await as(here, body.token, 'get', '/v1/user').expect(200)
    if (place?.identity) assert.is(user.id, place.user)
    else
      assert.not.ok(
        [...this.known.values()].some((one) => one.user === user.id),
        'a new identity is another user',
      )
    this.known.set(`${name} ${org}`, { user: user.id, identity: true, member: true, disabled: false })
    this.tokens.push({ secret: body.token, org, name, user: user.id, ends: here.now() + 12 * HOUR, revoked: false })
  }

  async manage(
    what: 'remove' | 'forget' | 'disable' | 'enable',
    name: string,
    org: number,
    nameId: string,
  ): Promise<void> {
    const place = this.place(name, org)
    if (!place) return
    const base = `/v1/orgs/${orgs[org]}`
    if (what === 'forget') {
      const list = `${base}/saml/${providers[org]?.id}/identities`
      const found = (await here.admin.call('get', list).expect(200)).body.items.find(
        (one: { nameID: string }) => one.nameID === nameId,
      )
      assert.is(found !== undefined, place.identity, `the identity of ${name} in ${org}`)
      if (!found) return
      await here.admin.call('delete', `${list}/${found.id}`).expect(204)
      place.identity = false
      for (const token of this.tokens) if (token.user === place.user && token.ends !== null) token.revoked = true
    } else if (place.member && what === 'remove') {
      await here.admin.call('delete', `${base}/members/${place.user}`).expect(204)
      place.member = false
      for (const token of this.tokens) if (token.user === place.user) token.revoked = true
    } else if (place.member) {
      await here.admin.call('patch', `${base}/members/${place.user}`, { disabled: what === 'disable' }).expect(200)
      place.disabled = what === 'disable'
    }
  }
}

let stories = 0

test('single sign-on access matches the model at every step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 14 }), async (steps) => {
      const story = new Story()
      const suffix = `-${++stories}`
      for (const [index, one] of steps.entries()) {
        const told = `${index} of ${JSON.stringify(steps)}`
        if (one.do === 'sign in') await story.signIn(one.name, one.org, suffix)
        else if (one.do === 'wait') here.forward(one.hours * HOUR)
        else if (one.do === 'restart') await here.restart()
        else if (one.do === 'enforce' || one.do === 'relax') {
          await here.admin.call('patch', `/v1/orgs/${orgs[one.org]}`, { sso: one.do === 'enforce' }).expect(200)
          story.enforced[one.org] = one.do === 'enforce'
        } else if (one.do === 'join') {
          const email = `joined-${index}${suffix}@example.com`
          const invited = await here.admin
            .call('post', `/v1/orgs/${orgs[one.org]}/invites`, { emails: [email], role: 'edit' })
            .expect(200)
          const token = (invited.body.invites[0].urls.invite as string).split('#')[1]
          const { body } = await as(here, null, 'post', '/v1/invites/accept', { token }).expect(200)
          const name = `joined-${index}`
          story.known.set(`${name} ${one.org}`, {
            user: body.member.id,
            identity: false,
            member: true,
            disabled: false,
          })
          // where single sign-on is enforced, an invitation gives no token
          if (body.token)
            story.tokens.push({
              secret: body.token.token,
              org: one.org,
              name,
              user: body.member.id,
              ends: null,
              revoked: false,
            })
        } else if ('name' in one) await story.manage(one.do, one.name, one.org, `${one.name}${suffix}`)
        await story.check(told)
      }
      for (const org of orgs) await here.admin.call('patch', `/v1/orgs/${org}`, { sso: false }).expect(200)
    }),
    { numRuns: Number(process.env.SSO_STORIES ?? 3) },
  )
})

test.run()
