import * as assert from 'uvu/assert'
import { awaitRemote, receivedFromRemote } from '../../src/kernel/remote-wait.js'
import { type SlotRules, Slots } from '../../src/kernel/slots.js'
import { suite } from '../support/suite.js'

const test = suite('kernel: slots')

interface Task {
  name: string
  organization?: string
  createdAt: string
}

/** Tasks that run until they are ended, in slots that are checked every few milliseconds. */
function world(rules: SlotRules) {
  let at = 0
  const waiting: Task[] = []
  const ends = new Map<string, () => void>()
  const order: string[] = []
  const runs: Promise<void>[] = []
  const slots = new Slots(rules, () => fill(), 5)
  const works = new Map<string, (ended: Promise<void>) => Promise<void>>()
  function fill(): void {
    for (let one = slots.next(waiting); one; one = slots.next(waiting)) {
      const task = one
      waiting.splice(waiting.indexOf(task), 1)
      order.push(task.name)
      const ended = new Promise<void>((end) => ends.set(task.name, end))
      runs.push(slots.run(task, () => (works.get(task.name) ?? (() => ended))(ended)).then(fill))
    }
  }
  return {
    slots,
    order,
    add(organization: string | undefined, ...names: string[]): void {
      for (const name of names)
        waiting.push({
          name,
          ...(organization === undefined ? {} : { organization }),
          createdAt: new Date(at++).toISOString(),
        })
      fill()
    },
    /** Sets the work of a task. The work gets a promise of the task's end. */
    works: (name: string, work: (ended: Promise<void>) => Promise<void>) => void works.set(name, work),
    async end(name: string): Promise<void> {
      ends.get(name)?.()
      await new Promise((done) => setImmediate(done))
    },
    async endAll(): Promise<void> {
      waiting.length = 0
      for (const end of ends.values()) end()
      await Promise.all(runs)
    },
  }
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((done) => setTimeout(done, 5))
}

test('an organization gets its share, and others get the remaining slots', async () => {
  const here = world({ slots: 3, share: 2 })
  here.add('a', 'a1', 'a2', 'a3')
  assert.equal(here.order, ['a1', 'a2'])
  here.add('b', 'b1', 'b2')
  assert.equal(here.order, ['a1', 'a2', 'b1'])
  await here.endAll()
})

test('a free slot goes to the organization with the fewest slots, then to the earliest last turn', async () => {
  const here = world({ slots: 1, share: 1 })
  here.add('a', 'a1', 'a2', 'a3', 'a4')
  here.add('b', 'b1', 'b2')
  here.add(undefined, 'none')
  for (const name of ['a1', 'b1', 'none', 'a2', 'b2', 'a3']) await here.end(name)
  assert.equal(here.order, ['a1', 'b1', 'none', 'a2', 'b2', 'a3', 'a4'])
  await here.endAll()
})

test('a task that waits for a silent server gives its slot back, within a bound', async () => {
  const here = world({ slots: 2, share: 1, stalled: { total: 3, share: 2 } })
  for (const name of ['a1', 'a2', 'a3', 'a4']) here.works(name, (ended) => awaitRemote(() => ended))
  here.add('a', 'a1', 'a2', 'a3', 'a4')
  assert.equal(here.order, ['a1'])
  await until(() => here.order.length === 3)
  here.add('b', 'b1')
  assert.equal(here.order, ['a1', 'a2', 'a3', 'b1'], 'two of a are stalled, the third keeps its slot')
  await here.endAll()
})

test('a task keeps its slot while it works here, or while enough bytes arrive', async () => {
  const here = world({ slots: 1, share: 1, stalled: { total: 3, share: 3 } })
  let ticks = 0
  here.works('busy', (ended) =>
    awaitRemote(async () => {
      const arriving = setInterval(() => {
        ticks++
        receivedFromRemote(1_000_000)
      }, 1)
      await ended
      clearInterval(arriving)
    }),
  )
  here.add('a', 'busy', 'local', 'last')
  await until(() => ticks > 50)
  assert.equal(here.order, ['busy'])
  await here.end('busy')
  await new Promise((done) => setTimeout(done, 50))
  assert.equal(here.order, ['busy', 'local'])
  await here.endAll()
})

test('a task that continues after a stall takes no slot from other organizations', async () => {
  const here = world({ slots: 2, share: 1, stalled: { total: 4, share: 4 } })
  const rest: (() => void)[] = []
  for (const name of ['a1', 'a2', 'a3'])
    here.works(name, async (ended) => {
      await awaitRemote(() => new Promise<void>((go) => rest.push(go)))
      await ended
    })
  here.add('a', 'a1', 'a2', 'a3')
  await until(() => here.order.length === 3)
  for (const go of rest) go()
  await until(() => here.slots.usedSlots === 3)
  here.add('b', 'b1')
  here.add('a', 'a4')
  assert.equal(here.order, ['a1', 'a2', 'a3', 'b1'])
  await here.endAll()
})

test.run()
