import * as assert from 'uvu/assert'
import { createUser, issueToken } from '../../src/domain/accounts/accounts.js'
import { eventsOf } from '../support/events.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('api: organizations', startService)

const make = async (title = 'Acme'): Promise<string> =>
  (await here.admin.call('post', '/v1/orgs', { title }).expect(201)).body.id

test('every organization setting is stored, and unchanged ones are not reported', async () => {
  const id = await make()
  const url = `/v1/orgs/${id}`
  const settings = {
    title: 'New',
    hostname: 'acme-docs',
    defaultRole: null,
    sso: true,
    ai: true,
    inviteLinks: true,
    emailDomains: ['B.example', 'a.example'],
  }
  const { body } = await here.admin.call('patch', url, { ...settings, logo: 'https://example.org/l.png' }).expect(200)
  assert.equal(
    { ...settings, emailDomains: ['b.example', 'a.example'] },
    Object.fromEntries(Object.keys(settings).map((key) => [key, body[key]])),
  )
  assert.is(body.urls.logo, 'https://example.org/l.png')
  assert.equal((await here.admin.call('get', url).expect(200)).body, body)
  assert.not.ok('logo' in (await here.admin.call('patch', url, { logo: null }).expect(200)).body.urls)
  await here.admin.call('patch', url, { title: 'New', emailDomains: ['b.example', 'a.example'] }).expect(200)
  const told = (await eventsOf(here.service.app.store, id)).filter(({ type }) => type === 'organization.updated')
  assert.is(told.length, 2)
})

test('a self-hosted service reports that it has no billing', async () => {
  const { body } = await here.admin.call('get', `/v1/orgs/${await make()}`).expect(200)
  assert.equal(
    [body.plan, body.trial, body.internal_isOnNewTrial, body.blocked],
    ['internal', { status: 'notapplicable', count: 0 }, true, undefined],
  )
  const free = { monthly: 0, yearly: 0 }
  assert.equal(body.billing, {
    interval: 'monthly',
    endDate: null,
    hasPaymentFailed: false,
    isScheduledToCancel: false,
    pricing: { members: { plus_2024: free, pro_2024: free }, sites: { premium: free, ultimate: free } },
    usageAddons: {},
    canCheckout: false,
    canChangeInterval: false,
    canUseSAML: true,
    creditsBundle: null,
    aiCreditAlertThreshold: null,
  })
})

test('all invalid organization settings are rejected together', async () => {
  const url = `/v1/orgs/${await make()}`
  const bad: object[] = [
    { title: 'x' },
    { title: 'x'.repeat(256) },
    { hostname: 'ab' },
    { hostname: '-abc' },
    { hostname: 'Abc' },
    { hostname: 'a'.repeat(33) },
    { defaultRole: 'owner' },
    { logo: 'ftp://x/y' },
    { logo: `https://x.example/${'y'.repeat(2048)}` },
    { emailDomains: ['a@b.c'] },
    { emailDomains: 'a.example' },
    { sso: 'yes' },
    { plan: 'pro' },
    { defaultContent: { type: 'site', site: 'none' } },
    { defaultContent: { type: 'space', site: 'none' } },
  ]
  for (const body of bad) assert.is((await here.admin.call('patch', url, body)).status, 400, JSON.stringify(body))
  const { error } = (await here.admin.call('patch', url, { title: 'x', sso: 1 }).expect(400)).body
  assert.equal(error.details.map((one: { path: string }) => one.path).sort(), ['/sso', '/title'])
  await here.admin.call('patch', url, { defaultContent: null }).expect(200)
})

test('one of two concurrent requests for a hostname succeeds', async () => {
  const ids = [await make(), await make(), await make()]
  const responses = await Promise.all(
    ids.map((id) => here.admin.call('patch', `/v1/orgs/${id}`, { hostname: 'contested' })),
  )
  assert.equal(responses.map(({ status }) => status).sort(), [200, 409, 409])
  const { body } = await (await here.caller()).call('get', '/v1/subdomains/contested').expect(200)
  const holder = ids[responses.findIndex(({ status }) => status === 200)]
  assert.equal(body, {
    object: 'subdomain',
    subdomain: 'contested',
    target: { type: 'organization', organization: holder },
    isActive: true,
  })
  for (const other of ['nobody-has-it', 'x', 'Contested', '..'])
    await here.admin.call('get', `/v1/subdomains/${encodeURIComponent(other)}`).expect(404)
})

test('organizations of an e-mail domain are listed for members and people of that domain', async () => {
  const { app } = here.service
  const id = await make('Claims')
  await here.admin
    .call('patch', `/v1/orgs/${id}`, { emailDomains: ['claimed.example'], hostname: 'claimed', inviteLinks: true })
    .expect(200)
  const as = async (email: string, limit?: string) => {
    const user = await createUser(app, { email })
    const { secret } = await issueToken(app, user.id, {
      label: 't',
      ...(limit === undefined ? {} : { organization: limit }),
    })
    const response = await fetch(`${here.url}/v1/email-domains/Claimed.example/orgs`, {
      headers: { Authorization: `Bearer ${secret}` },
    })
    return ((await response.json()) as { organizations: Record<string, unknown>[] }).organizations
  }
  const [mine] = (await here.admin.call('get', '/v1/email-domains/claimed.example/orgs').expect(200)).body.organizations
  assert.equal([mine.id, mine.hostname, mine.permissions.admin], [id, 'claimed', true])
  const [named] = await as('somebody@claimed.example')
  assert.equal([named?.id, named?.title, named?.hostname, named?.inviteLinks], [id, 'Claims', undefined, false])
  assert.ok(Object.values(named?.permissions as object).every((one) => one === false))
  assert.equal(await as('somebody@sub.claimed.example'), [])
  assert.equal(await as('claimed.example@other.example'), [])
  assert.equal(await as('limited@claimed.example', here.organization), [])
  assert.equal((await here.admin.call('get', '/v1/email-domains/nobody.example/orgs').expect(200)).body, {
    organizations: [],
  })
})

test.run()
