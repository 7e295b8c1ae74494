import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { loadConfig } from '../../src/config.js'
import { operate } from '../../src/commands/operate.js'
import { operatorCommands } from '../../src/start/operator/commands.js'
import { OperatorError } from '../../src/commands/maintenance.js'
import { moduleArguments } from '../support/own-process.js'
import { startService, type TestService } from '../support/service.js'
import { databaseSettings } from '../support/service-database.js'
import { startSmtp } from '../support/smtp.js'
import { suiteWith } from '../support/suite.js'
import { as, organization, secretOf } from './fixture.js'

const [test, smtp] = await suiteWith('people: a later proof of an address', startSmtp)

const accept = (here: TestService, secret: string, token: string | null = null) =>
  as(here, token, 'post', '/v1/invites/accept', { token: secret })
const invite = async (here: TestService, org: string, email: string): Promise<string> =>
  secretOf(
    (await here.admin.call('post', `/v1/orgs/${org}/invites`, { emails: [email] }).expect(200)).body.invites[0].urls
      .invite,
  )
const get = async (here: TestService, token: string, path: string) =>
  (await as(here, token, 'get', path).expect(200)).body
/** Opens the data of a service, which stops. */
async function goOn(here: TestService, env: Record<string, string>): Promise<TestService> {
  await here.service.close()
  return startService({ dir: here.dir, env })
}
const withMail = (here: TestService) =>
  goOn(here, { BINDERY_SMTP_URL: smtp.url, BINDERY_MAIL_FROM: 'docs@people.example' })
async function signIn(here: TestService, email: string, nth = 1): Promise<{ secret: string }> {
  await as(here, null, 'post', '/v1/sign-in', { email }).expect(202)
  return smtp.mailTo(email.toLowerCase(), nth)
}

/** Nothing of the unverified user reaches the account, and nothing of the account reaches the user. */
async function areStrangers(
  here: TestService,
  account: string,
  claimer: { user: string; token: string; org: string },
): Promise<void> {
  const me = await get(here, account, '/v1/user')
  assert.is.not(me.id, claimer.user)
  assert.is(me.emailUnproven, undefined)
  assert.equal((await get(here, account, '/v1/orgs')).items, [])
  for (const path of [`/v1/orgs/${claimer.org}`, `/v1/users/${claimer.user}`])
    await as(here, account, 'get', path).expect(404)
  assert.equal((await get(here, account, '/v1/user/tokens')).items.length, 1)
  await as(here, account, 'post', '/v1/orgs', { title: 'Own' }).expect(201)
  await as(here, claimer.token, 'get', `/v1/orgs/${claimer.org}`).expect(200)
  await as(here, claimer.token, 'get', `/v1/users/${me.id}`).expect(404)
  assert.is((await get(here, claimer.token, '/v1/user')).id, claimer.user)
}

async function claimed(here: TestService, email: string): Promise<{ user: string; token: string; org: string }> {
  const org = await organization(here)
  const { body } = await accept(here, await invite(here, org, email)).expect(200)
  return { user: body.member.id, token: body.token.token, org }
}

test('the owner of an address signs in by email to their own account', async () => {
  let here = await startService()
  try {
    const claimer = await claimed(here, 'victim@people.example')
    here = await withMail(here)
    const { body } = await as(here, null, 'post', '/v1/sign-in/token', {
      token: (await signIn(here, 'VICTIM@people.example')).secret,
    }).expect(201)
    assert.is(body.organization, undefined)
    await areStrangers(here, body.token, claimer)
    // Again: the same account.
    const again = await as(here, null, 'post', '/v1/sign-in/token', {
      token: (await signIn(here, 'victim@people.example', 2)).secret,
    }).expect(201)
    assert.is((await get(here, again.body.token, '/v1/user')).id, (await get(here, body.token, '/v1/user')).id)
  } finally {
    await here.close()
  }
})

test('a mailed invitation to the same organization creates a second, verified member', async () => {
  let here = await startService()
  try {
    const claimer = await claimed(here, 'both@people.example')
    here = await withMail(here)
    const { body } = await here.admin
      .call('post', `/v1/orgs/${claimer.org}/invites`, { emails: ['both@people.example'], role: 'read' })
      .expect(200)
    assert.equal([body.users, body.invited], [[], 1])
    const { secret } = await smtp.mailTo('both@people.example')
    await accept(here, secret, claimer.token).expect(409)
    const owner = (await accept(here, secret).expect(200)).body
    assert.is.not(owner.member.id, claimer.user)
    assert.equal(
      [owner.member.role, owner.member.user.emailUnproven, owner.token.organization],
      ['read', undefined, undefined],
    )
    assert.is((await get(here, owner.token.token, `/v1/orgs/${claimer.org}/members`)).items.length, 3)
    const known = await here.admin
      .call('post', `/v1/orgs/${claimer.org}/invites`, { emails: ['both@people.example'] })
      .expect(200)
    assert.equal(known.body.users, [owner.member.id])
  } finally {
    await here.close()
  }
})

test('concurrent verified and unverified acceptances create separate users', async () => {
  let here = await startService()
  try {
    const emails = [1, 2, 3, 4].map((n) => `race-${n}@people.example`)
    const orgs = [await organization(here), await organization(here)]
    const open: string[][] = []
    for (const email of emails) open.push(await Promise.all(orgs.map((org) => invite(here, org, email))))
    // One is accepted first, so that the address may sign in.
    for (const secrets of open) await accept(here, secrets[0] as string).expect(200)
    here = await withMail(here)
    for (const [index, email] of emails.entries()) {
      const { secret } = await signIn(here, email)
      const late = open[index]?.[1] as string
      const [proof, ...others] = await Promise.all([
        as(here, null, 'post', '/v1/sign-in/token', { token: secret }),
        accept(here, late),
        accept(here, late),
        as(here, null, 'post', '/v1/sign-in/token', { token: secret }),
      ])
      const all = [proof, ...others]
      assert.equal([all[0], all[3]].map((one) => one?.status).sort(), [201, 404])
      assert.equal([all[1], all[2]].map((one) => one?.status).sort(), [200, 409])
      const account = all.find(({ status }) => status === 201)?.body.token
      const limited = all.find(({ status }) => status === 200)?.body
      assert.equal([limited.member.user.emailUnproven, limited.token.organization], [true, orgs[1]])
      assert.equal((await get(here, account, '/v1/orgs')).items, [])
    }
  } finally {
    await here.close()
  }
})

test('BINDERY_ADMIN_EMAIL creates a separate account', async () => {
  let here = await startService()
  try {
    const claimer = await claimed(here, 'boss@people.example')
    here = await goOn(here, {
      BINDERY_ADMIN_EMAIL: 'Boss@people.example',
      BINDERY_ADMIN_TOKEN: 'bindery_another_admin_token_012345',
    })
    assert.is.not(here.service.first.user.id, claimer.user)
    assert.is.not(here.organization, claimer.org)
    await as(here, 'bindery_another_admin_token_012345', 'get', `/v1/orgs/${claimer.org}`).expect(404)
    await as(here, claimer.token, 'get', `/v1/orgs/${here.organization}`).expect(404)
  } finally {
    await here.close()
  }
})

const environment = async (dir: string) => ({
  BINDERY_DATA_DIR: join(dir, 'data'),
  BINDERY_REPOS_DIR: join(dir, 'repos'),
  ...(await databaseSettings(dir)),
})
const configOf = async (dir: string) => loadConfig(await environment(dir))
const tokenOf = async (dir: string, email: string, claimedIn?: string) =>
  operateHere(dir, 'token', { email, label: 'test', claimedIn })
const vouch = (dir: string, email: string, options: { name?: string; free?: boolean } = {}) =>
  operateHere(dir, 'user', { email, free: false, ...options })
async function operateHere(dir: string, name: string, given: Record<string, unknown>): Promise<string> {
  const command = operatorCommands.find((one) => one.name === name)
  assert.ok(command)
  return (await operate(await configOf(dir), { command, given, terminal: { tell: () => {}, json: false } })).text
}
const refusal = async (work: Promise<string>): Promise<string> => {
  const error = await work.then(
    () => null,
    (thrown) => thrown,
  )
  assert.instance(error, OperatorError)
  return (error as Error).message
}

const run = promisify(execFile)

test('the command line creates a separate account', async () => {
  let here = await startService()
  try {
    const claimer = await claimed(here, 'line@people.example')
    await here.service.close()
    const none = await refusal(tokenOf(here.dir, 'line@people.example'))
    assert.match(none, 'No account has the address line@people.example')
    assert.match(none, `User ${claimer.user} of organization ${claimer.org} only`)
    assert.match(await refusal(vouch(here.dir, 'no address')), 'not an email address')
    const env = { PATH: process.env.PATH, ...(await environment(here.dir)) }
    const { stdout } = await run(
      process.execPath,
      [...moduleArguments('../../src/main.js', import.meta.url), 'user', 'Line@people.example', '--name', 'Line'],
      { env },
    )
    assert.match(stdout, 'Line <line@people.example>: the address was confirmed by the operator')
    const account = await tokenOf(here.dir, 'LINE@people.example')
    const limited = await tokenOf(here.dir, 'line@people.example', claimer.org)
    assert.match(await refusal(tokenOf(here.dir, 'line@people.example', 'none')), 'No member of organization none')
    here = await startService({ dir: here.dir })
    await areStrangers(here, account, claimer)
    assert.is((await get(here, limited, '/v1/user')).id, claimer.user)
    await as(here, limited, 'post', '/v1/orgs', { title: 'Own' }).expect(403)
  } finally {
    await here.close()
  }
})

test.run()
