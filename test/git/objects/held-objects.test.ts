import * as assert from 'uvu/assert'
import { encodeObject } from '../../../src/git/objects/hash.js'
import { type HeldByName, HeldObjects } from '../../../src/git/objects/held-objects.js'
import { suite } from '../../support/suite.js'

const test = suite('objects of merges in memory')
const blob = (text: string | Buffer) => ({ type: 'blob' as const, object: encodeObject('blob', Buffer.from(text)) })

test('all repositories share a memory limit for objects, and released objects free memory', () => {
  const all = new HeldObjects(3_600_000)
  const [one, two]: HeldByName[] = [new Map(), new Map()]
  const large = blob(Buffer.alloc(5 * 1024 * 1024))
  assert.ok(all.hold(one as HeldByName, [large]))
  assert.not(all.hold(two as HeldByName, [large]), 'there is no room for a second one')
  assert.is(two?.size, 0)
  all.release(one as HeldByName, [large])
  assert.is(one?.size, 0)
  assert.ok(all.hold(two as HeldByName, [large]))
})

test('objects expire, except objects that were created again', async () => {
  const all = new HeldObjects(0)
  const into: HeldByName = new Map()
  const [first, again, other] = [blob('x'), blob('x'), blob('y')]
  all.hold(into, [first])
  const never = new HeldObjects(3_600_000)
  const kept: HeldByName = new Map()
  never.hold(kept, [first])
  never.hold(kept, [again])
  never.release(kept, [first])
  assert.is(kept.get(again.object.oid), again)
  all.hold(into, [other])
  assert.equal([...into.keys()], [other.object.oid])
})

test.run()
