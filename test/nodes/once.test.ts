import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { startReceiver } from '../events/receiver.js'
import { emit } from '../../src/domain/events/events.js'
import { queueMail } from '../../src/domain/notifications/queue-mail.js'
import { jobs, memberships, organizations, tokens } from '../../src/model/index.js'
import { startSmtp } from '../support/smtp.js'
import { suite } from '../support/suite.js'
import { startNodes, until } from './nodes.js'

const test = suite('nodes on one database: each thing is done once')
const smtp = await startSmtp()
const receiver = await startReceiver()
const nodes = await startNodes(3, {
  BINDERY_SMTP_URL: smtp.url,
  BINDERY_MAIL_FROM: 'docs@example.org',
  BINDERY_ADMIN_TOKEN: '',
})
test.after(async () => {
  await nodes.close()
  await smtp.close()
  receiver.close()
})
const [one, two, three] = nodes.all as [(typeof nodes.all)[0], (typeof nodes.all)[0], (typeof nodes.all)[0]]
const { store } = one.service.app

test('nodes that start together on an empty database create one first user and organization', async () => {
  assert.is(new Set(nodes.all.map(({ organization }) => organization)).size, 1)
  assert.is((await store.all(organizations)).length, 1)
  assert.is((await store.all(memberships)).length, 1)
  assert.is((await store.find(tokens, 'user', one.service.first.user.id)).length, 1)
  assert.is(nodes.all.filter(({ dir }) => existsSync(join(dir, 'data', 'admin-token'))).length, 1)
})

test('an email that any node queues is sent once', async () => {
  for (let at = 1; at <= 12; at++) await one.caller('read')
  const addresses = Array.from({ length: 12 }, (_, at) => `person-${at + 1}@example.org`)
  await Promise.all(
    addresses.map(async (email, at) => {
      const { app } = nodes.all[at % 3]!.service
      await app.store.transact((tx) => queueMail(app, tx, { mail: 'sign-in', email }))
      app.wakes.jobs()
    }),
  )
  const mails = async () => (await store.all(jobs)).filter(({ kind }) => kind === 'send-mail')
  await until(async () => (await mails()).every(({ state }) => state === 'done'))
  assert.equal(smtp.received.flatMap(({ to }) => to).sort(), addresses.sort())
  assert.equal(
    (await mails()).map(({ attempts }) => attempts),
    Array(12).fill(1),
  )
})

test('webhooks receive an event of any node once and in order', async () => {
  await (await one.caller('admin'))
    .call('post', `/v1/orgs/${one.organization}/webhooks`, { url: receiver.url, events: ['content.updated'] })
    .expect(201)
  for (let at = 0; at < 15; at++) {
    const { app } = nodes.all[at % 3]!.service
    await app.store.transact(
      async (tx) =>
        void (await emit(app, tx, { type: 'content.updated', organization: one.organization, subject: {} })),
    )
  }
  await receiver.until(15)
  await until(async () => (await nodeIdle()) && receiver.got.length >= 15)
  const sequences = receiver.sequences()
  assert.equal(
    [...sequences].sort((a, b) => a - b),
    [...new Set(sequences)].sort((a, b) => a - b),
    'none twice',
  )
  assert.is(sequences.length, 15)
})

const nodeIdle = async (): Promise<boolean> => {
  await Promise.all([one, two, three].map(({ service }) => service.idle()))
  return true
}

test.run()
