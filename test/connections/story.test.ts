import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { POLL_MS, QUIET_MS, startConnected } from './connected.js'
import { Side } from './story-side.js'

/** `CONNECTION_STEPS=2000 npm test -- connections/story` plays a long one, `CONNECTION_SEED` another one. */
const STEPS = Number(process.env.CONNECTION_STEPS ?? 24)
const SEED = Number(process.env.CONNECTION_SEED ?? 1)
/** After so many steps the story waits until both sides have to be in step. */
const CHECK_EVERY = 12
/** Longer than the longest back-off with its jitter. */
const AN_HOUR_AND_MORE = 4_500_000
const FIRST_PASSWORD = 'password-0'

const [test, here] = await suiteWith('connections: a two-sided story', () => startConnected())

const steps = [
  [6, 'write'],
  [6, 'commit'],
  [3, 'editThere'],
  [2, 'editHere'],
  [2, 'clash'],
  [1, 'resolve'],
  [2, 'force'],
  [4, 'quiet'],
  [4, 'poll'],
  [3, 'deliver'],
  [1, 'restart'],
  [1, 'cut'],
  [2, 'break'],
  [1, 'down'],
  [2, 'pause'],
  [1, 'expire'],
  [1, 'renew'],
] as const
type Kind = (typeof steps)[number][1]
interface Step {
  kind: Kind
  /** Which of the spaces. */
  at: number
}

const story = fc.array(
  fc.record({
    kind: fc.oneof(...steps.map(([weight, kind]) => ({ weight, arbitrary: fc.constant(kind as Kind) }))),
    at: fc.nat({ max: 2 }),
  }),
  { minLength: STEPS, maxLength: STEPS },
)

/** What the server of the repositories expects now. */
let password = FIRST_PASSWORD
const { behaviour } = here.remotes

/** The ways in which a server of repositories fails for a while. */
const failures: (() => void)[] = [
  () => void (behaviour.losePushResponses = true),
  () => void (behaviour.cutAfter = 200),
  () => void (behaviour.pushStatus = 500),
  () => void (behaviour.auth = Side.login('somebody else')),
  () => void (behaviour.onRequest = () => Promise.reject(new Error('the connection breaks'))),
]
function well(): void {
  for (const name of Object.keys(behaviour)) delete behaviour[name as keyof typeof behaviour]
  behaviour.auth = Side.login(password)
}

async function play(kind: Kind, number: number, side: Side, sides: readonly Side[]): Promise<void> {
  if (kind === 'quiet') return here.forward(QUIET_MS)
  if (kind === 'poll') return here.forward(POLL_MS * 1.2)
  if (kind === 'restart') return here.service.restart()
  if (kind === 'deliver') {
    await side.deliver(1 + (number % 3))
    return here.forward(number % 2 === 0 ? 2_000 : 0)
  }
  if (kind === 'cut') {
    // What begins now is cut off by the end of the service.
    here.clock.forward(POLL_MS * 1.2)
    here.service.service.app.wakeConnections()
    here.service.service.app.wakeJobs()
    return here.service.restart()
  }
  if (kind === 'break') {
    failures[number % failures.length]?.()
    await here.forward(POLL_MS * 1.2)
    return well()
  }
  // It stays so until somebody does something about it, at the latest before both sides are compared.
  if (kind === 'down') return failures[number % failures.length]?.()
  if (kind === 'expire') {
    password = `password-${number}`
    behaviour.auth = Side.login(password)
    return
  }
  if (kind === 'renew') return renew(sides)
  if (kind === 'resolve') return void (await side.resolve(number))
  await side[kind](number)
}

const renew = async (sides: readonly Side[]): Promise<void> => void (await Promise.all(sides.map((side) => side.renew(password))))

/** Ends all troubles, waits, and has somebody resolve what collided, until nothing is left to do. */
async function settle(sides: readonly Side[], number: number): Promise<void> {
  well()
  for (const side of sides) if (side.paused) await side.pause()
  await renew(sides)
  let quiet = 0
  for (let times = 0; quiet < 3 && times < 12; times++) {
    await here.forward(AN_HOUR_AND_MORE)
    const resolved = await Promise.all(sides.map((side) => side.resolve(number)))
    quiet = resolved.includes(true) ? 0 : quiet + 1
  }
}

test(
  `${STEPS} steps on both sides, and nobody calls import or export`,
  async () => {
    well()
    const whole = await here.repository({ 'README.md': '# Home\n' })
    const shared = await here.repository({ 'a/README.md': '# A\n', 'b/README.md': '# B\n', 'code/main.c': 'int main;\n' })
    const sides = [await Side.of(here, whole, '', password), await Side.of(here, shared, 'a', password), await Side.of(here, shared, 'b', password)]
    const [told = []] = fc.sample(story, { seed: SEED, numRuns: 1 }) as Step[][]
    for (const [number, { kind, at }] of told.entries()) {
      if (process.env.CONNECTION_VERBOSE) console.log(number, kind, sides[at]?.name)
      await play(kind, number, sides[at] as Side, sides)
      if ((number + 1) % CHECK_EVERY !== 0 && number + 1 !== told.length) continue
      await settle(sides, number)
      for (const side of sides) await side.check(`seed ${SEED}, after step ${number} (${kind})`)
      assert.is(await git(shared.path, ['show', 'main:code/main.c']), 'int main;')
    }
    for (const { path } of [whole, shared]) assert.is(await git(path, ['fsck', '--strict', '--full', '--no-dangling', '--no-progress']), '')
  },
  { timeoutMs: 60_000 * Math.max(5, STEPS) },
)

test.run()
