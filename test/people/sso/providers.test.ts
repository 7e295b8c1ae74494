import request from 'supertest'
import * as assert from 'uvu/assert'
import { newKeyPair } from '../../support/saml/self-signed.js'
import { suiteWith } from '../../support/suite.js'
import { IDP, startSso } from './fixture.js'

const [test, here] = await suiteWith('sso: providers', startSso)
const url = `${here.organizationUrl}/saml`

test('a provider is pending until its settings are complete', async () => {
  const { body: created, headers } = await here.admin.call('post', url, { label: 'Step by step' }).expect(201)
  assert.equal(
    [created.object, created.status, created.defaultRole, created.certificates],
    ['saml-provider', 'pending', 'edit', []],
  )
  assert.ok((headers.location as string).endsWith(`${url}/${created.id}`))
  const one = `${url}/${created.id}`
  const logins = async () =>
    (await here.admin.call('get', `${here.organizationUrl}/sso`).expect(200)).body.items as { id: string }[]
  const steps = [{ entityID: IDP }, { ssoURL: 'https://idp.example.org/sso' }, { certificate: here.key.certificate }]
  for (const [index, step] of steps.entries()) {
    const { body } = await here.admin.call('patch', one, step).expect(200)
    const isLast = index === steps.length - 1
    assert.is(body.status, isLast ? 'active' : 'pending')
    assert.is((await logins()).length, isLast ? 1 : 0)
    await request(here.url)
      .get(new URL(body.service.startURL).pathname)
      .expect(isLast ? 302 : 404)
  }
  const { body } = await here.admin.call('get', one).expect(200)
  assert.equal(await logins(), [{ id: created.id, label: 'Step by step', startURL: body.service.startURL }])
  assert.equal([body.certificates[0].subject, body.certificates[0].expired], ['CN=idp.example.org', false])
  await here.admin.call('delete', one).expect(204)
  await here.admin.call('get', one).expect(404)
  assert.equal(await logins(), [])
})

test('metadata with entity ID and response address is public, even before activation', async () => {
  const { body } = await here.admin.call('post', url, { label: 'Metadata' }).expect(201)
  const response = await request(here.url).get(new URL(body.service.entityID).pathname).expect(200)
  assert.match(response.headers['content-type'] as string, 'application/samlmetadata+xml')
  const xml = response.text
  assert.match(xml, `entityID="${body.service.entityID}"`)
  assert.match(xml, `Location="${body.service.acsURL}"`)
  assert.match(xml, 'WantAssertionsSigned="true"')
  await request(here.url).get('/v1/saml/unknown/metadata').expect(404)
  await request(here.url).get('/v1/saml/unknown/start').expect(404)
})

test('the error for unusable provider settings contains their location', async () => {
  const weak = newKeyPair('weak', { bits: 1024 })
  const cases: [input: object, path: string][] = [
    [{ certificate: 'no certificate' }, '/certificate'],
    [{ certificate: here.key.privateKey }, '/certificate'],
    [
      { certificate: `${here.key.certificate}-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----` },
      '/certificate',
    ],
    [{ certificate: here.key.certificate.replace(/A/g, 'B') }, '/certificate'],
    [{ certificate: weak.certificate }, '/certificate'],
    [{ certificate: here.key.certificate.repeat(11) }, '/certificate'],
    [{ certificate: 'A'.repeat(33 * 1024) }, '/certificate'],
    [{ ssoURL: 'http://idp.example.org/sso' }, '/ssoURL'],
    [{ ssoURL: 'javascript:alert(1)' }, '/ssoURL'],
    [{ ssoURL: 'https://user:pass@idp.example.org/' }, '/ssoURL'],
    [{ ssoURL: 'https://idp.example.org/#x' }, '/ssoURL'],
    [{ entityID: '' }, '/entityID'],
    [{ entityID: 'with space' }, '/entityID'],
    [{ label: 'two\nlines' }, '/label'],
    [{ defaultRole: 'owner' }, '/defaultRole'],
    [{ defaultTeam: 'unknown' }, '/defaultTeam'],
    [{ status: 'active' }, '/status'],
  ]
  for (const [input, path] of cases) {
    const { body } = await here.admin.call('post', url, { label: 'Bad', ...input }).expect(400)
    assert.ok(
      body.error.details.some((one: { path: string }) => one.path === path),
      `${path}: ${JSON.stringify(body.error.details)}`,
    )
  }
  await here.admin.call('post', url, { label: 'Local', ssoURL: 'http://localhost:8080/sso' }).expect(201)
})

test('certificates are accepted as PEM or base64, and their expiry is shown', async () => {
  const old = newKeyPair('old', { until: '20210101000000Z' })
  const bare = here.key.certificate.replaceAll(/-----.*?-----|\s/g, '')
  const { body } = await here.admin.call('post', url, { label: 'Bare', certificate: bare }).expect(201)
  assert.match(body.certificate, /^-----BEGIN CERTIFICATE-----/)
  const { body: both } = await here.admin
    .call('patch', `${url}/${body.id}`, { certificate: body.certificate + old.certificate })
    .expect(200)
  assert.equal(
    both.certificates.map((one: { expired: boolean; notAfter: string }) => [one.expired, one.notAfter.slice(0, 4)]),
    [
      [false, '2099'],
      [true, '2021'],
    ],
  )
})

test('only admins manage providers, members list them, and an organization has at most ten', async () => {
  const member = await here.caller('create')
  await member.call('get', url).expect(403)
  await member.call('post', url, { label: 'Mine' }).expect(403)
  await member.call('get', `${here.organizationUrl}/sso`).expect(200)
  await member.call('get', `${here.organizationUrl}/sso/tokens`).expect(403)
  await (await here.caller()).call('get', `${here.organizationUrl}/sso`).expect(404)
  let status = 201
  for (let i = 0; i < 11 && status === 201; i++)
    status = (await here.admin.call('post', url, { label: `Number ${i}` })).status
  assert.is(status, 409)
  assert.is((await here.admin.call('get', `${url}?limit=3`).expect(200)).body.count, 10)
})

test('single sign-on steps are rate-limited by address and need https or localhost', async () => {
  const limited = await startSso({ BINDERY_RATE_LIMIT_SSO: '3' })
  try {
    const { url: address } = limited
    const provider = await limited.createProvider()
    const { settings } = limited.service.app
    const start = () => request(address).get(`/v1/saml/${provider.id}/start`)
    settings.publicUrl = 'http://docs.example.org'
    assert.match((await start().expect(409)).body.error.message, 'BINDERY_PUBLIC_URL')
    await limited.admin
      .call('post', `${limited.organizationUrl}/saml`, { label: 'Local', ssoURL: 'http://localhost/sso' })
      .expect(400)
    settings.publicUrl = 'https://docs.example.org'
    const [cookie] = (await start().expect(302)).headers['set-cookie'] as unknown as string[]
    for (const part of ['__Host-', 'Secure', 'HttpOnly', 'SameSite=None', 'Path=/'])
      assert.match(cookie as string, part)
    assert.equal([(await start()).status, (await start()).status], [302, 429])
  } finally {
    await limited.close()
  }
})

test.run()
