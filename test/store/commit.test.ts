import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { table, openStore, type Store, type StoreEvent } from '../../src/store/index.js'
import { LossyFs } from '../support/lossy-fs.js'
import { suite } from '../support/suite.js'
import { temporaryDir } from './places.js'

const test = suite('commits')
const things = table<{ id: string; n: number }>()({ name: 'things', indexes: { byN: (thing) => String(thing.n) } })

async function withStore(
  work: (store: Store, fs: LossyFs, events: StoreEvent[], reopen: () => Promise<Store>) => Promise<void>,
  afterBytes = 1_000_000,
) {
  const place = temporaryDir()
  const fs = new LossyFs(place.dir)
  const events: StoreEvent[] = []
  const open = () =>
    openStore({
      dir: join(place.dir, 'store'),
      fs,
      checkpointAfterBytes: afterBytes,
      log: (event) => events.push(event),
    })
  let store = await open()
  try {
    await work(store, fs, events, async () => {
      await store.close()
      store = await open()
      return store
    })
  } finally {
    await store.close()
    place.remove()
  }
}

const insertMany = (store: Store, count: number) =>
  Promise.allSettled(Array.from({ length: count }, (_, n) => store.insert(things, { id: `d${n}`, n })))
const noSpace = () => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })

test('500 concurrent writes share a few syncs', () =>
  withStore(async (store, fs) => {
    const before = fs.counts.datasync
    await insertMany(store, 500)
    const syncs = fs.counts.datasync - before
    assert.ok(syncs >= 1 && syncs <= 10, `${syncs} syncs`)
    assert.is((await store.all(things)).length, 500)
  }))

test('only later transactions see a write before it is durable', () =>
  withStore(async (store, fs) => {
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const opened = fs.counts.append
    // The sync is noticed when it is requested. Everything that can run without it has run by the next turn.
    const first = store.insert(things, { id: 'a', n: 1 })
    const seen = store.transact(async (tx) => {
      const found = await tx.get(things, 'a')
      await held
      return found?.n
    })
    assert.is(await store.get(things, 'a'), null)
    release()
    assert.is(await seen, 1)
    assert.is((await first).n, 1)
    assert.ok(fs.counts.append > opened)
    assert.is((await store.get(things, 'a'))?.n, 1)
  }))

test('a failed commit also fails those that build on it, and changes neither memory nor log', () =>
  withStore(async (store, fs, events, reopen) => {
    await store.insert(things, { id: 'before', n: 0 })
    let failures = 0
    fs.fault = (operation, path) =>
      operation === 'append' && path.endsWith('.log') && failures++ === 0
        ? { error: noSpace(), partial: 25 }
        : undefined
    const first = store.insert(things, { id: 'a', n: 1 })
    const readsIt = store.transact(async (tx) => (await tx.get(things, 'a'))?.n)
    const onTop = store.transact(async (tx) => tx.replace(things, { ...(await tx.get(things, 'a'))!, n: 2 }))
    const outcomes = await Promise.allSettled([first, readsIt, onTop])
    for (const outcome of outcomes) assert.is(outcome.status === 'rejected' && outcome.reason.code, 'ENOSPC')
    assert.equal(
      (await store.all(things)).map(({ id }) => id),
      ['before'],
    )
    assert.ok(events.some(({ event }) => event === 'append-failed'))
    // The disk has room again: the next record is written at the end of the valid part.
    assert.is((await store.insert(things, { id: 'a', n: 3 })).version, 1)
    assert.is(await store.count(things, 'byN', '3'), 1)
    assert.is(await store.transact(async (tx) => (await tx.all(things)).length), 2)
    fs.crash()
    await store.close()
    assert.ok(reopen)
  }))

test('a failed append that was not truncated is truncated before the next append', async () => {
  const place = temporaryDir()
  let fs = new LossyFs(place.dir)
  const dir = join(place.dir, 'store')
  let store = await openStore({ dir, fs })
  await store.insert(things, { id: 'a', n: 1 })
  fs.fault = (operation, path) => {
    if (!path.endsWith('.log')) return undefined
    if (operation === 'append') return { error: noSpace(), partial: 30 }
    return operation === 'truncate' ? { error: new Error('EIO') } : undefined
  }
  for (const outcome of await insertMany(store, 3)) assert.is(outcome.status, 'rejected')
  fs.fault = undefined
  await store.insert(things, { id: 'b', n: 2 })
  // As after a crash: no checkpoint, only the log.
  fs.powerOff()
  await store.close()
  fs.crash()
  fs = fs.afterCrash()
  store = await openStore({ dir, fs })
  assert.equal((await store.all(things)).map(({ id }) => id).sort(), ['a', 'b'])
  await store.close()
  place.remove()
})

test('a write whose sync fails is rejected and is gone after a power cut', async () => {
  const place = temporaryDir()
  let fs = new LossyFs(place.dir)
  const dir = join(place.dir, 'store')
  let store = await openStore({ dir, fs })
  let failures = 0
  fs.fault = (operation, path) =>
    operation === 'datasync' && path.endsWith('.log') && failures++ === 0 ? { error: new Error('EIO') } : undefined
  const [outcome] = await Promise.allSettled([store.insert(things, { id: 'a', n: 1 })])
  assert.is(outcome.status, 'rejected')
  await store.insert(things, { id: 'b', n: 1 })
  fs.powerOff()
  await store.close()
  fs.crash((max) => max)
  fs = fs.afterCrash()
  store = await openStore({ dir, fs })
  assert.equal(
    (await store.all(things)).map(({ id }) => id),
    ['b'],
  )
  await store.close()
  place.remove()
})

test('commits continue while checkpoints fail, and checkpoints follow when they can', () =>
  withStore(async (store, fs, events, reopen) => {
    fs.fault = (operation, path) =>
      operation === 'append' && path.includes('/documents/') ? { error: noSpace() } : undefined
    for (let n = 0; n < 20; n++) await store.insert(things, { id: `d${n}`, n })
    assert.ok(events.some(({ event }) => event === 'checkpoint-failed'))
    fs.fault = undefined
    for (let n = 20; n < 40; n++) await store.insert(things, { id: `d${n}`, n })
    const again = await reopen()
    assert.ok(events.some(({ event }) => event === 'checkpoint'))
    assert.is((await again.all(things)).length, 40)
    const opened = events.filter((event) => event.event === 'opened').at(-1)
    assert.is(opened?.event === 'opened' && opened.replayed, 0, 'the log was dropped')
  }, 300))

test('a commit costs the same with many documents as with few', () =>
  withStore(async (store, fs) => {
    const bytes: number[] = []
    const sizes = async (id: string) => {
      let written = 0
      fs.fault = (operation) => {
        if (operation === 'append') written++
        return undefined
      }
      await store.insert(things, { id, n: 1 })
      bytes.push(written)
    }
    await sizes('few')
    await insertMany(store, 3000)
    await sizes('many')
    assert.equal(bytes, [1, 1])
  }))

test.run()
