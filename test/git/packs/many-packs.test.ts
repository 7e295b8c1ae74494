// @own-process: it counts opened files
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { makeCaches } from '../../../src/git/objects/caches.js'
import { disk } from '../../../src/git/objects/disk.js'
import { type EncodedObject, encodeObject } from '../../../src/git/objects/hash.js'
import { packEntry } from '../../../src/git/objects/pack-format.js'
import { writePack } from '../../../src/git/objects/pack-writer.js'
import { OpenPacks } from '../../../src/git/packs/open-packs.js'
import { PackedObjects } from '../../../src/git/packs/packed-objects.js'
import { suiteWith } from '../../support/suite.js'
import { clear, makePlace } from '../fixture.js'

const [test, place] = await suiteWith('many packs', makePlace, clear)

const MANY = 300
const blob = (text: string): EncodedObject => encodeObject('blob', Buffer.from(text))
const textOf = (found: ReturnType<PackedObjects['find']>): string =>
  String(typeof found === 'object' ? found?.content : found)

async function pack(folder: string, objects: readonly EncodedObject[]): Promise<string> {
  const entries = await Promise.all(
    objects.map(async (object) => ({ oid: object.oid, bytes: await packEntry(object) })),
  )
  return (await writePack(disk, folder, entries.length, entries)).stem
}

/** Returns the number of files that were opened since the last call. */
const opened: string[] = []
const { openSync } = fs
fs.openSync = ((...given: Parameters<typeof openSync>) => {
  opened.push(String(given[0]))
  return openSync(...given)
}) as typeof openSync
syncBuiltinESMExports()
const openedNow = (): number => opened.splice(0).length

interface Packs {
  folder: string
  texts: string[]
  reader: PackedObjects
  packs: OpenPacks
}

async function repositoryWithPacks(name: string): Promise<Packs> {
  const repository = join(place.dir, name)
  const folder = join(repository, 'objects/pack')
  fs.mkdirSync(folder, { recursive: true })
  const texts = Array.from({ length: MANY }, (_, i) => `${name} ${i}`)
  for (const text of texts) await pack(folder, [blob(text), blob(`${text} too`)])
  const packs = new OpenPacks()
  return { folder, texts, packs, reader: new PackedObjects(repository, packs, makeCaches().bases) }
}

test('only packs that contain the object are opened, out of hundreds', async () => {
  const { texts, reader, packs } = await repositoryWithPacks('hundreds')
  for (const text of texts) assert.is(textOf(reader.find(blob(text).oid)), text)
  openedNow()
  for (let i = 0; i < 50; i++) assert.ok([null, 'unsure'].includes(reader.find(blob(`absent ${i}`).oid) as null))
  assert.is(openedNow(), 0)
  for (const text of [...texts].reverse()) assert.is(textOf(reader.find(blob(`${text} too`).oid)), `${text} too`)
  assert.ok(openedNow() <= 2 * MANY)
  packs.close()
})

test('a pack that replaced another one with the same objects is read correctly', async () => {
  const { folder, texts, reader, packs } = await repositoryWithPacks('replaced')
  const [a, b] = [blob('a'.repeat(3000)), blob('another text')]
  const first = await pack(folder, [a, b])
  assert.is(textOf(reader.find(b.oid)), 'another text')
  // More than may be open: the first pack is closed, and its index stays in memory.
  for (const text of texts) assert.is(textOf(reader.find(blob(text).oid)), text)
  const second = await pack(folder, [b, a])
  for (const suffix of ['.pack', '.idx']) fs.renameSync(join(folder, second + suffix), join(folder, first + suffix))
  assert.is(textOf(reader.find(b.oid)), 'another text')
  assert.is(textOf(reader.find(a.oid)), 'a'.repeat(3000))
  packs.close()
})

test('the objects of a removed pack are found in their new place', async () => {
  const { folder, texts, reader, packs } = await repositoryWithPacks('removed')
  const [gone, moved] = [blob('gone'), blob('moved')]
  const stem = await pack(folder, [gone, moved])
  assert.is(textOf(reader.find(gone.oid)), 'gone')
  for (const text of texts) assert.is(textOf(reader.find(blob(text).oid)), text)
  await pack(folder, [moved])
  for (const suffix of ['.idx', '.pack']) fs.rmSync(join(folder, stem + suffix))
  assert.is(textOf(reader.find(moved.oid)), 'moved')
  assert.ok([null, 'unsure'].includes(reader.find(gone.oid) as null))
  packs.close()
})

test.run()
