import * as assert from 'uvu/assert'
import { Merges } from '../../src/domain/context/merges.js'
import { suite } from '../support/suite.js'

const test = suite('turns of merges')

/** Merges that the test ends. */
function heldMerges() {
  const merges = new Merges()
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (organization: string, name: string): Promise<string> =>
    merges.run(organization, async () => {
      started.push(name)
      await new Promise<void>((end) => ends.set(name, end))
      return name
    })
  return { merges, started, ask, end: (name: string) => ends.get(name)?.() }
}

test('an organization gets at most its share of slots, and others merge immediately', async () => {
  const { started, ask, end } = heldMerges()
  const strangers = Array.from({ length: 20 }, (_, n) => ask('stranger', `s${n}`))
  assert.equal(started, ['s0', 's1', 's2'])
  const honest = ask('honest', 'h')
  assert.equal(started, ['s0', 's1', 's2', 'h'])
  end('h')
  assert.is(await honest, 'h')
  end('s1')
  assert.is(await strangers[1], 's1')
  assert.equal(started.slice(4), ['s3'])
})

test('if all slots are taken, the next one goes to the organization with the fewest merges', async () => {
  const { started, ask, end } = heldMerges()
  for (const organization of ['a', 'b', 'c', 'd'])
    for (let n = 0; n < 5; n++) void ask(organization, `${organization}${n}`)
  assert.is(started.length, 12)
  void ask('honest', 'h')
  assert.is(started.length, 12)
  end('b0')
  for (let turns = 0; turns < 10 && started.length < 13; turns++) await Promise.resolve()
  assert.is(started[12], 'h')
})

test('a merge that fails gives its slot back, and too many waiting merges are rejected', async () => {
  const { merges, ask } = heldMerges()
  for (let n = 0; n < 10; n++)
    await merges
      .run('a', () => Promise.reject(new Error('no')))
      .then(
        () => assert.unreachable(),
        () => {},
      )
  for (let n = 0; n < 103; n++) void ask('a', `a${n}`)
  await merges
    .run('a', async () => {})
    .then(
      () => assert.unreachable(),
      (error) => assert.is(error.code, 'unavailable'),
    )
  await merges.run('b', async () => {})
})

test.run()
