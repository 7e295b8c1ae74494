/** Background work reads the documents that are due, or reads page by page: never a whole table. */
import * as assert from 'uvu/assert'
import { announceAll } from '../../src/domain/commits/announce.js'
import { eachInOrder } from '../../src/domain/context/in-order.js'
import { applyRetention } from '../../src/domain/events/retention.js'
import { dayOf, recordHealth } from '../../src/domain/health/record.js'
import { checkSpecFiles } from '../../src/domain/openapi/check-files.js'
import { queueRefreshes } from '../../src/domain/openapi/queue.js'
import { queueAllAutomatic } from '../../src/domain/translations/queue.js'
import { queueHousekeeping } from '../../src/domain/upkeep/housekeeping.js'
import { reconcile } from '../../src/domain/upkeep/reconcile.js'
import { startConnections } from '../../src/jobs/connection-driver.js'
import { startWebhookSender } from '../../src/jobs/webhook-sender.js'
import {
  connections,
  jobs,
  openApiSpecs,
  siteDays,
  sitePageReads,
  sites,
  spaces,
  translations,
  webhooks,
} from '../../src/model/index.js'
import type { Document, Table } from '../../src/store/index.js'
import { onPostgres } from '../support/on-postgres.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('reads of background work', () => startService())
const { app } = here.service
const [SMALL, LARGE] = [100, onPostgres ? 2_000 : 10_000]
const MAX_AT_ONCE = 200

/** The documents that were read, and the largest number that one read returned. */
let read = { documents: 0, atOnce: 0 }
/**
 * Counts the reads of the store and its transactions from now on, except those of jobs: the worker runs the jobs that a
 * pass queues.
 */
async function countReads(): Promise<void> {
  const transaction = await app.store.transact(async (tx) => Object.getPrototypeOf(tx) as object)
  const note = (count: number): void =>
    void (read = { documents: read.documents + count, atOnce: Math.max(read.atOnce, count) })
  for (const of of [Object.getPrototypeOf(app.store) as object, transaction])
    for (const name of ['get', 'find', 'all', 'intact', 'page']) {
      const own: unknown = Reflect.get(of, name)
      if (typeof own !== 'function') continue
      Reflect.set(of, name, async function (this: object, ...args: unknown[]) {
        const found = (await Reflect.apply(own, this, args)) as { length?: number; documents?: object[] } | null
        if (args[0] !== jobs) note(found?.documents?.length ?? found?.length ?? 1)
        return found
      })
    }
}
await countReads()

async function readsOf(pass: () => Promise<unknown>): Promise<typeof read> {
  await here.service.idle()
  read = { documents: 0, atOnce: 0 }
  await pass()
  return read
}

/** Adds documents to a table, up to this number of added ones. */
async function fill<T extends object>(of: Table<T, string>, from: number, to: number, make: (n: number) => object) {
  for (let at = from; at < to; at += 1_000)
    await app.store.transact(async (tx) => {
      for (let n = at; n < Math.min(to, at + 1_000); n++)
        await tx.insert(of, { id: `filled-${String(n).padStart(6, '0')}`, ...make(n) } as Document<T>)
    })
}

const now = new Date().toISOString()
const { organization } = here
const { body: site } = await here.admin
  .call('post', `/v1/orgs/${organization}/sites`, { title: 'Docs', type: 'basic', visibility: 'public' })
  .expect(201)
const { body: space } = await here.admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Docs' }).expect(201)
const without = ({ id: _, version: __, ...rest }: object & { id?: string; version?: number } = {}): object => rest
const [storedSite, storedSpace] = [await app.store.get(sites, site.id), await app.store.get(spaces, space.id)]
const specification = { organization, source: { url: 'https://specs.example/a' }, processingState: 'complete' }

/** The tables whose documents are not due, with work that must not read them. */
const fillers: ((from: number, to: number) => Promise<void>)[] = [
  (from, to) =>
    fill(openApiSpecs, from, to, (n) => ({ ...specification, slug: `s-${n}`, lastProcessedAt: now, createdAt: now })),
  (from, to) =>
    fill(translations, from, to, () => ({ organization, source: { space: space.id }, result: { space: 'none' } })),
  (from, to) => fill(siteDays, from, to, (n) => ({ site: `site-${n % 50}`, day: dayOf(app) })),
  (from, to) => fill(sitePageReads, from, to, (n) => ({ site: `site-${n % 50}`, days: { [dayOf(app)]: 1 } })),
  (from, to) => fill(sites, from, to, (n) => ({ ...without(storedSite ?? {}), basename: `site-${n}` })),
  (from, to) => fill(webhooks, from, to, (n) => ({ organization: `organization-${n >> 5}`, enabled: false, next: 1 })),
  (from, to) =>
    fill(connections, from, to, (n) => ({
      space: `space-${n}`,
      organization,
      repository: `repository-${n}`,
      provider: 'git',
      credential: { digest: '' },
      direction: 'export',
      paused: false,
      lastRun: 'run',
      createdAt: now,
    })),
]

/** Starts the driver of connections, whose first pass reads all, and returns a later pass. */
async function driverPass(): Promise<() => Promise<void>> {
  const driver = startConnections(app)
  await driver.idle()
  return async () => {
    driver.wake()
    await driver.idle()
    await driver.stop()
  }
}

const passes: Record<string, () => Promise<() => Promise<unknown>>> = {
  queueRefreshes: async () => () => queueRefreshes(app),
  queueAllAutomatic: async () => () => queueAllAutomatic(app),
  recordHealth: async () => () => recordHealth(app),
  'the driver of connections': driverPass,
  'the sender of webhooks': async () => async () => {
    const sender = startWebhookSender(app)
    await sender.idle()
    await sender.stop()
  },
}

test('a pass reads as many documents from large tables without due work as from small ones', async () => {
  app.settings.specRefreshMs = 60 * 60_000
  const counts: Record<string, number[]> = {}
  for (const [from, to] of [
    [0, SMALL],
    [SMALL, LARGE],
  ] as const) {
    for (const filler of fillers) await filler(from, to)
    for (const [name, prepare] of Object.entries(passes))
      counts[name] = [...(counts[name] ?? []), (await readsOf(await prepare())).documents]
  }
  app.settings.specRefreshMs = null
  const grown = Object.entries(counts).filter(([, [small = 0, large = 0]]) => large > small + MAX_AT_ONCE)
  assert.equal(grown, [], 'documents that were read from small and from large tables')
})

test('the number of spaces in the metrics is known without reading them', async () => {
  await fill(spaces, 0, 450, () => without(storedSpace ?? {}))
  let metrics = ''
  const { documents } = await readsOf(async () => (metrics = await (await fetch(`${here.url}/metrics`)).text()))
  assert.match(metrics, /^bindery_spaces\{state="active"\} 451$/m)
  assert.ok(documents < 100, `${documents} documents`)
})

test('work on each document of a table reads a bounded number at once', async () => {
  await app.store.transact(async (tx) => {
    for (let n = 0; n < 450; n++) {
      const one = await tx.get(webhooks, `filled-${String(n).padStart(6, '0')}`)
      if (one) await tx.replace(webhooks, { ...one, enabled: true })
    }
  })
  const work: Record<string, () => Promise<unknown>> = {
    queueHousekeeping: () => queueHousekeeping(app),
    reconcile: () => reconcile(app),
    announceAll: () => announceAll(app, { branches: false }),
    applyRetention: () => applyRetention(app),
    checkSpecFiles: () => checkSpecFiles(app, { deep: false }),
    'the first pass of the driver of connections': async () => {
      const driver = startConnections(app)
      await driver.idle()
      await driver.stop()
    },
    'the search for missed events': async () => {
      const sender = startWebhookSender(app, { pollMs: 5 })
      await new Promise((done) => setTimeout(done, 200))
      await sender.idle()
      await sender.stop()
    },
  }
  const tooMany: [string, number][] = []
  for (const [name, run] of Object.entries(work)) {
    const { documents, atOnce } = await readsOf(run)
    assert.ok(documents > 0, name)
    if (atOnce > MAX_AT_ONCE) tooMany.push([name, atOnce])
  }
  assert.equal(tooMany, [])
})

test('requests run while a long list is read', async () => {
  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  turn()
  const ids = new Set<string>()
  for await (const { id } of eachInOrder(app.store, siteDays, 'oldest')) {
    ids.add(id)
    for (const end = performance.now() + 0.05; performance.now() < end; );
  }
  isOver = true
  assert.is(ids.size, LARGE)
  assert.ok(turns > (LARGE * 0.05) / 10, `${turns} turns of the event loop`)
})

test.run()
