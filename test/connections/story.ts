/** A story on both sides of connections without manual imports or exports. The seed decides the order of events. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { type ConnectedSpaces, POLL_MS, QUIET_MS, type Served } from './connected.js'
import { Side } from './story-side.js'

/** The story waits after this many steps until both sides are up to date. */
const CHECK_EVERY = 12
/** Longer than the maximum back-off with its jitter. */
const AN_HOUR_AND_MORE = 4_500_000
const FIRST_PASSWORD = 'password-0'

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
/** If the server can be killed, a `kill` replaces each `cut`, and they are more frequent. */
type Kind = (typeof steps)[number][1] | 'kill'
const kills = [[4, 'kill']] as const

interface Step {
  kind: Kind
  /** The index of the space. */
  at: number
}

export interface Told {
  steps: number
  seed: number
  /** Kills the server, and starts another one on the same data. */
  crash?: { kill(): Promise<void>; start(): Promise<void> }
}

const storyOf = (length: number, all: readonly (readonly [number, Kind])[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      kind: fc.oneof(...all.map(([weight, kind]) => ({ weight, arbitrary: fc.constant(kind) }))),
      at: fc.nat({ max: 2 }),
    }),
    { minLength: length, maxLength: length },
  )

/** Plays a story. `CONNECTION_VERBOSE=1` prints its steps. Throws the final differences. */
export async function tell(here: ConnectedSpaces<Served>, told: Told): Promise<void> {
  const story = new Story(here, told)
  await story.begin()
  const all = told.crash ? [...steps, ...kills] : steps
  const [played = []] = fc.sample(storyOf(told.steps, all), { seed: told.seed, numRuns: 1 })
  for (const [number, { kind, at }] of played.entries()) {
    if (process.env.CONNECTION_VERBOSE) console.log(new Date().toISOString(), number, kind, at)
    await story.play(kind, number, at)
    if ((number + 1) % CHECK_EVERY === 0 || number + 1 === played.length) await story.check(number, kind)
  }
  await story.end()
}

class Story {
  #sides: Side[] = []
  readonly #repositories: { path: string }[] = []
  /** The credentials that the server of the repositories expects now. */
  #password = FIRST_PASSWORD

  constructor(
    readonly here: ConnectedSpaces<Served>,
    readonly told: Told,
  ) {}

  async begin(): Promise<void> {
    this.#well()
    const { here } = this
    const whole = await here.repository({ 'README.md': '# Home\n' })
    const shared = await here.repository({
      'a/README.md': '# A\n',
      'b/README.md': '# B\n',
      'code/main.c': 'int main;\n',
    })
    this.#repositories.push(whole, shared)
    for (const [theirs, folder] of [
      [whole, ''],
      [shared, 'a'],
      [shared, 'b'],
    ] as const)
      this.#sides.push(await Side.of(here, theirs, folder, this.#password))
  }

  async play(kind: Kind, number: number, at: number): Promise<void> {
    const { here } = this
    const side = this.#sides[at] as Side
    if (kind === 'quiet') return here.forward(QUIET_MS)
    if (kind === 'poll') return here.forward(POLL_MS * 1.2)
    if (kind === 'restart') return here.service.restart()
    if (kind === 'deliver') {
      await side.deliver(1 + (number % 3))
      return here.forward(number % 2 === 0 ? 2_000 : 0)
    }
    if (kind === 'cut') {
      // Work that starts now is cut off by the end of the service.
      await here.begin(POLL_MS * 1.2)
      return here.service.restart()
    }
    if (kind === 'kill') return this.#kill(side, number)
    if (kind === 'break') {
      this.#fail(number)
      await here.forward(POLL_MS * 1.2)
      return this.#well()
    }
    // This lasts until another step repairs it, at the latest before both sides are compared.
    if (kind === 'down') return this.#fail(number)
    if (kind === 'expire') {
      this.#password = `password-${number}`
      this.here.remotes.behaviour.auth = Side.login(this.#password)
      return
    }
    if (kind === 'renew') return this.#renew()
    if (kind === 'resolve') return void (await side.resolve(number))
    await side[kind](number)
  }

  /**
   * Kills the server at a request for a repository, or when a push has arrived, if it gets that far. A member writes
   * at the same moment.
   */
  async #kill(side: Side, number: number): Promise<void> {
    const { crash } = this.told
    if (!crash) return
    const { behaviour } = this.here.remotes
    let left = 1 + (number % 7)
    let ended: Promise<void> | undefined
    const kill = (): Promise<void> => (ended ??= crash.kill())
    const atRequest = behaviour.onRequest
    if (number % 3 === 0) Object.assign(behaviour, { losePushResponses: true, onLostPush: kill })
    else
      behaviour.onRequest = async (asked) => {
        if (--left === 0) await kill()
        return atRequest?.(asked)
      }
    const goesOn = async (): Promise<void> => {
      // The server is killed during this work, or has nothing left to do.
      await this.here.forward(number % 2 === 0 ? POLL_MS * 1.2 : QUIET_MS).catch(() => undefined)
      await kill()
    }
    await (number % 5 === 0 ? goesOn() : side.writeWhile(number, goesOn))
    delete behaviour.onLostPush
    delete behaviour.losePushResponses
    if (atRequest) behaviour.onRequest = atRequest
    else delete behaviour.onRequest
    await crash.start()
  }

  /** Ends all troubles, waits, and resolves conflicts until nothing is left to do. Then compares both sides. */
  async check(number: number, kind: Kind): Promise<void> {
    this.#well()
    for (const side of this.#sides) if (side.paused) await side.pause()
    await this.#renew()
    let quiet = 0
    for (let times = 0; quiet < 3 && times < 12; times++) {
      await this.here.forward(AN_HOUR_AND_MORE)
      const resolved = await Promise.all(this.#sides.map((side) => side.resolve(number)))
      quiet = resolved.includes(true) ? 0 : quiet + 1
    }
    for (const side of this.#sides) await side.check(`seed ${this.told.seed}, after step ${number} (${kind})`)
    assert.is(
      await git((this.#repositories.at(-1) as { path: string }).path, ['show', 'main:code/main.c']),
      'int main;',
    )
  }

  async end(): Promise<void> {
    for (const { path } of this.#repositories)
      assert.is(await git(path, ['fsck', '--strict', '--full', '--no-dangling', '--no-progress']), '')
    for (const { repository } of this.#sides)
      assert.is(await git(repository, ['fsck', '--strict', '--full', '--no-dangling', '--no-progress']), '')
  }

  /** The server of the repositories fails in one of the usual ways. */
  #fail(number: number): void {
    const { behaviour } = this.here.remotes
    const failures: (() => void)[] = [
      () => void (behaviour.losePushResponses = true),
      () => void (behaviour.cutAfter = 200),
      () => void (behaviour.pushStatus = 500),
      () => void (behaviour.auth = Side.login('somebody else')),
      () => void (behaviour.onRequest = () => Promise.reject(new Error('the connection breaks'))),
    ]
    failures[number % failures.length]?.()
  }

  #well(): void {
    const { behaviour } = this.here.remotes
    for (const name of Object.keys(behaviour)) delete behaviour[name as keyof typeof behaviour]
    behaviour.auth = Side.login(this.#password)
  }

  async #renew(): Promise<void> {
    await Promise.all(this.#sides.map((side) => side.renew(this.#password)))
  }
}
