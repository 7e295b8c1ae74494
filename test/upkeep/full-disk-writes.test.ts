// @costly: it populates a service with every kind of resource, and sends every write twice
/** Every declared write on a full disk. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { Endpoint } from '../../src/api/declaration.js'
import { endpoints } from '../../src/api/index.js'
import { checkAll } from '../../src/commands/maintenance.js'
import { loadConfig } from '../../src/config.js'
import { issueToken } from '../../src/domain/accounts/accounts.js'
import { createLog } from '../../src/kernel/log.js'
import { ssoUsed } from '../../src/model/index.js'
import { sampleEnv, samples } from '../api/samples/index.js'
import type { SampleSet } from '../api/samples/samples.js'
import { pathsOf, responsesOf } from '../support/all-responses.js'
import { type Sample, urlOf } from '../support/probe.js'
import { startService, type TestService } from '../support/service.js'
import { smallDisk } from '../support/small-disk.js'
import { suite } from '../support/suite.js'

// @embedded-only: plain-git
// @own-process: it mounts a file system
const test = suite<object>('writes on a full disk')

/** Writes that this test does not send, and the reason. Every other write needs a sample. */
const NOT_SENT: Record<string, string> = {
  receiveSAMLResponse: 'it needs a response that a provider has signed',
}

/** Requests that store nothing, or that are rejected without a secret, with their status. */
const OTHER_STATUS: Record<string, number> = {
  renderPage: 200,
  renderPageInRevision: 200,
  renderPageInChangeRequest: 200,
  changeFrontMatterOfText: 200,
  notePagePresence: 200,
  notePagePresenceInChangeRequest: 200,
  testConnection: 200,
  // The page of its sample has no mark.
  unmarkPageViewed: 204,
  openSuggestion: 400,
  receiveGitWebhook: 401,
}

interface Outcome {
  status: number
  message: string
}

async function send(here: TestService, endpoint: Endpoint, sample: Sample, token: string): Promise<Outcome> {
  const { body } = sample
  const response = await fetch(here.url + urlOf(endpoint, sample), {
    method: endpoint.method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, message: await response.text() }
}

/** Sends every write. Returns a line for each unexpected outcome, and the number of each status. */
async function sendAll(
  here: TestService,
  set: SampleSet,
  prepare: () => Promise<string>,
  isExpected: (id: string, outcome: Outcome) => boolean,
): Promise<{ odd: string[]; statuses: Map<number, number> }> {
  const odd: string[] = []
  const statuses = new Map<number, number>()
  for (const [id, endpoint] of Object.entries(endpoints)) {
    if (endpoint.method === 'GET' || id in NOT_SENT) continue
    const special = set.special[id]
    if (special === null) {
      odd.push(`${id}: there is no sample`)
      continue
    }
    const outcome = await send(here, endpoint, { parameters: set.parameters, ...special }, await prepare())
    statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1)
    if (!isExpected(id, outcome)) odd.push(`${id}: ${outcome.status} ${outcome.message.slice(0, 200)}`)
  }
  return { odd, statuses }
}

/**
 * Fills the last block of the log with documents that are smaller than any change of a request. One may be rejected because
 * work in the background wanted to store more at the same time.
 */
async function fillLog({ service: { app } }: TestService): Promise<void> {
  for (let i = 0, refused = 0; refused < 20; i++)
    await app.store.insert(ssoUsed, { id: `f${i}`, expiresAt: '9' }).then(
      () => (refused = 0),
      () => refused++,
    )
}

const disk = smallDisk(64)
if (disk === null) test.skip('this process may not mount a file system')
else {
  test.after(() => disk.unmount())

  test(
    'every declared write returns 507 with the folder, changes nothing, and works when there is space',
    async () => {
      const log = createLog({ level: 'silent' })
      const here = await startService({ dir: disk.dir, env: sampleEnv, overrides: { log } })
      const set = await samples(here)
      await here.service.idle()
      disk.fill()
      await fillLog(here)
      const before = await responsesOf(here, pathsOf(set))
      assert.ok(Object.keys(before).length > 60)

      const refused = await sendAll(
        here,
        set,
        async () => {
          // Temporary files of the request before have left room.
          disk.fill()
          return here.admin.token
        },
        (id, { status, message }) =>
          status === 507 ? /BINDERY_\w+_DIR: its disk is full/.test(message) : status === OTHER_STATUS[id],
      )
      assert.equal(refused.odd, [])
      assert.ok((refused.statuses.get(507) ?? 0) > 100, JSON.stringify([...refused.statuses]))
      assert.equal(await responsesOf(here, Object.keys(before)), before)

      disk.makeRoom()
      while ((await fetch(`${here.url}/readyz`)).status !== 200) await new Promise((done) => setTimeout(done, 50))
      // A request may use up what a later one needs, also the token.
      const token = async (): Promise<string> =>
        (await issueToken(here.service.app, here.admin.user, { label: 'again' })).secret
      const again = await sendAll(here, set, token, (_, { status }) => status < 500)
      assert.equal(again.odd, [])
      const succeeded = [200, 201, 202, 204].reduce((sum, status) => sum + (again.statuses.get(status) ?? 0), 0)
      assert.ok(succeeded > 60, JSON.stringify([...again.statuses]))
      await here.service.close()
      assert.equal(await checkAll(loadConfig(configOf(disk.dir))), { complaints: [], notes: [] })
    },
    { timeoutMs: 300_000 },
  )
}

const configOf = (dir: string): Record<string, string> => ({
  BINDERY_DATA_DIR: join(dir, 'data'),
  BINDERY_REPOS_DIR: join(dir, 'repos'),
  BINDERY_PORT: '0',
  BINDERY_SITES_PORT: '0',
})

test.run()
