import * as assert from 'uvu/assert'
import { type TurnTaker, GitDoorTurns } from '../../src/api/git-door/turns.js'
import { suite } from '../support/suite.js'

const test = suite('slots of Git processes')

const LIMITS = { atOnce: 8, kept: 2, ofOrganization: 5, ofUser: 3, waiting: 256 }
const person = (user: number | string, organization = `of ${user}`): TurnTaker => ({ user: String(user), organization })
/** Runs all pending tasks that wait for nothing else. */
const settled = (): Promise<void> => new Promise((done) => setImmediate(done))

test('100 users who arrive at once are served 8 at a time, in order of arrival', async () => {
  const turns = new GitDoorTurns(LIMITS)
  const order: number[] = []
  let running = 0
  let most = 0
  const start = await Promise.all([turns.take(person('first')), turns.take(person('second'))])
  const all = Promise.all(
    Array.from({ length: 100 }, async (_, user) => {
      const end = await turns.take(person(user))
      order.push(user)
      most = Math.max(most, ++running)
      await settled()
      running--
      end()
      end()
    }),
  )
  for (const end of start) end()
  await all
  assert.is(most, 8)
  assert.equal(
    order,
    Array.from({ length: 100 }, (_, user) => user),
  )
})

test('a user has 3 slots and an organization 5, so that others find the last two free', async () => {
  const turns = new GitDoorTurns(LIMITS)
  const running: { by: TurnTaker; end: () => void }[] = []
  const left = new AbortController()
  const take = (by: TurnTaker): void =>
    void turns.take(by, left.signal).then(
      (end) => running.push({ by, end }),
      () => {},
    )
  const open = ({ user }: TurnTaker): number => running.filter(({ by }) => by.user === user).length
  const [greedy, friend, other] = [
    person('greedy', 'stranger'),
    person('friend', 'stranger'),
    person('other', 'also stranger'),
  ]
  for (const by of [greedy, friend, other]) for (let n = 0; n < 10; n++) take(by)
  await settled()
  assert.equal([open(greedy), open(friend), open(other)], [3, 2, 1])
  take(person('normal'))
  take(person('another'))
  await settled()
  assert.is(running.length, 8)
  // A slot that becomes free goes to the organization with the fewest.
  const [first] = running.splice(0, 1)
  first?.end()
  await settled()
  const [second] = running.splice(0, 1)
  second?.end()
  await settled()
  const [third] = running.splice(0, 1)
  third?.end()
  await settled()
  assert.equal([open(greedy), open(friend), open(other)], [0, 2, 2])
  left.abort()
})

test('a user with many organizations has no more slots than others', async () => {
  const turns = new GitDoorTurns(LIMITS)
  let served = 0
  const left = new AbortController()
  for (let n = 0; n < 20; n++)
    void turns.take(person('greedy', `organization ${n}`), left.signal).then(
      () => served++,
      () => {},
    )
  await settled()
  assert.is(served, 3)
  left.abort()
})

test('a client that disconnects gives up its place in the queue', async () => {
  const turns = new GitDoorTurns({ ...LIMITS, ofUser: 1 })
  const end = await turns.take(person('one'))
  const gone = new AbortController()
  const waiting = turns.take(person('one'), gone.signal)
  gone.abort(new Error('gone'))
  const reasonOf = (given: Promise<unknown>) => given.then(String, ({ message }: Error) => message)
  assert.is(await reasonOf(waiting), 'gone')
  assert.is(await reasonOf(turns.take(person('one'), gone.signal)), 'gone')
  end()
  const again = await turns.take(person('one'))
  again()
})

test('256 requests may wait, at most half from one organization and a quarter from one user', async () => {
  const turns = new GitDoorTurns(LIMITS)
  const served: (() => void)[] = []
  const codes: string[] = []
  const take = (by: TurnTaker): void =>
    void turns.take(by).then(
      (end) => served.push(end),
      (error: { code: string }) => codes.push(error.code),
    )
  for (let n = 0; n < 3 + 64 + 1; n++) take(person('greedy', 'stranger'))
  await settled()
  assert.equal(codes.splice(0), ['too-many-requests'])
  for (let n = 0; n < 2 + 64 + 1; n++) take(person(n, 'stranger'))
  await settled()
  assert.equal(codes.splice(0), ['too-many-requests'])
  for (let n = 0; n < 3 + 128; n++) take(person(`other ${n}`))
  await settled()
  assert.equal(codes.splice(0), [])
  take(person('one more'))
  await settled()
  assert.equal(codes.splice(0), ['unavailable'])
  for (let n = 0; n < 3 + 64 + 2 + 64 + 3 + 128; n++) {
    served[n]?.()
    await settled()
  }
  assert.is(served.length, 3 + 64 + 2 + 64 + 3 + 128)
})

test.run()
