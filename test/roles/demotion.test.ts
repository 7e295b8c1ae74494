import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import * as assert from 'uvu/assert'
import { allows, type Permission, policy } from '../../src/access/index.js'
import { type Endpoint, pathParameters } from '../../src/api/declaration.js'
import { endpoints } from '../../src/api/index.js'
import { membershipId, memberships, type Role } from '../../src/model/index.js'
import { type Caller, startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { sampleEnv, samples } from '../api/samples/index.js'

const test = suite('roles that are removed during a request')

/** Excludes changes to Git alone, whose guards run when the branch moves: `reviews/main-guard.test.ts`. */
const movesBranches = new Set([
  'updateSpaceContent',
  'updateChangeRequestContent',
  'rollBackSpace',
  'updateChangeRequestFromMain',
  'applyTemplateToSpace',
  'updatePageSource',
  'updatePageSourceInChangeRequest',
])
/** Requests that only read, or only report that a client is online. */
const changesNothing = new Set([
  'previewGitSync',
  'testConnection',
  'previewSiteAsVisitor',
  'changeFrontMatterOfText',
  ...Object.keys(endpoints).filter((id) => /^(?:renderPage|notePagePresence)/.test(id)),
])

const isAsked = ([id, { method, needs }]: [string, Endpoint]): boolean =>
  method !== 'GET' && needs in policy && !movesBranches.has(id) && !changesNothing.has(id)

/** The request that performs a change. */
const doneFor = new AsyncLocalStorage<IncomingMessage>()
const REQUESTS = 'http.server.request.start'
const note = (message: unknown): void => doneFor.enterWith((message as { request: IncomingMessage }).request)
subscribe(REQUESTS, note)
test.after(() => void unsubscribe(REQUESTS, note))

interface Asked {
  status: number
  /** Whether it had started to write when the role was removed. */
  queued: boolean
}

/**
 * Sends a request while a transaction that removes the role is running. Reads outside transactions still see the role,
 * and every transaction of the request runs after that one.
 */
async function askMeanwhile(
  here: TestService,
  who: Caller,
  endpoint: Endpoint,
  url: string,
  body: unknown,
): Promise<Asked> {
  const { store } = here.service.app
  const [transact, get] = [store.transact.bind(store), store.get.bind(store)]
  const membershipOfCaller = membershipId(here.organization, who.user)
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const demotion = transact(async (tx) => {
    const membership = await tx.get(memberships, membershipOfCaller)
    if (membership) await tx.replace(memberships, { ...membership, disabled: true })
    await gate
  })
  let begun = (): void => {}
  const queued = new Promise<boolean>((resolve) => (begun = () => resolve(true)))
  const isOurs = (): boolean => doneFor.getStore()?.headers.authorization === `Bearer ${who.token}`
  let isSeen = false
  store.get = (of, id) => {
    if (id === membershipOfCaller) isSeen = true
    return get(of, id)
  }
  store.transact = (work) => {
    // Everything else is background work.
    if (isSeen && isOurs()) begun()
    // With a data folder they wait for each other anyway. PostgreSQL may let one that started in between run first.
    return demotion.then(() => transact(work))
  }
  try {
    const pending = fetch(here.url + url, {
      method: endpoint.method,
      headers: {
        authorization: `Bearer ${who.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const wrote = await Promise.race([queued, pending.then(() => false)])
    open()
    await demotion
    const response = await pending
    await response.arrayBuffer()
    return { status: response.status, queued: wrote }
  } finally {
    store.transact = transact
    store.get = get
  }
}

test(
  'a caller who lost the permission changes nothing through any endpoint',
  async () => {
    const here = await startService({ env: sampleEnv })
    try {
      const { parameters, special } = await samples(here)
      const survived: string[] = []
      let refused = 0
      for (const [id, endpoint] of Object.entries(endpoints).filter(isAsked)) {
        const sample = { parameters, ...special[id] }
        if (special[id] === null) continue
        const least = policy[endpoint.needs as Permission]
        const who = await here.caller(least === 'guest' ? 'create' : (least as Role))
        const url = endpoint.path.replaceAll(/\{(\w+)\*?\}/g, (_, name: string) =>
          encodeURIComponent(sample.parameters[name] ?? ''),
        )
        assert.ok(allows(endpoint.needs as Permission, least === 'guest' ? null : least))
        const { status, queued } = await askMeanwhile(here, who, endpoint, url, sample.body)
        if (queued && (status === 403 || status === 404)) refused++
        // Invalid or conflicting requests were rejected before a write.
        else if (status < 400)
          survived.push(
            `${endpoint.method} ${endpoint.path} (${id}, ${pathParameters(endpoint.path).length}): ${status}`,
          )
      }
      assert.equal(survived, [])
      assert.ok(refused > 50, `${refused} endpoints were asked`)
    } finally {
      await here.close()
    }
  },
  { timeoutMs: 180_000 },
)

test('a settings request with a slow body follows the role at the time of the change', async () => {
  const here = await startService({ env: sampleEnv })
  try {
    const who = await here.caller('admin')
    const body = JSON.stringify({ title: 'Taken over' })
    const { request } = await import('node:http')
    const status = new Promise<number>((resolve, reject) => {
      const slow = request(`${here.url}/v1/orgs/${here.organization}`, {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${who.token}`,
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        },
      })
      slow.on('response', (response) => resolve(response.resume().statusCode as number)).on('error', reject)
      slow.write(body.slice(0, 5))
      setTimeout(async () => {
        await here.admin
          .call('patch', `/v1/orgs/${here.organization}/members/${who.user}`, { role: 'edit' })
          .expect(200)
        slow.end(body.slice(5))
      }, 300)
    })
    assert.is(await status, 403)
    assert.is.not((await here.admin.call('get', `/v1/orgs/${here.organization}`).expect(200)).body.title, 'Taken over')
  } finally {
    await here.close()
  }
})

test.run()
