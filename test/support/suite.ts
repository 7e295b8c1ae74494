import { suite as uvuSuite } from 'uvu'
import type { Reason } from './left-out.js'
import { onPostgres } from './on-postgres.js'
import { isSoak } from './soak.js'

/**
 * A guard against tests that hang, not a measurement: the machine may be busy with other work. A test can request more.
 */
const TIMEOUT_MS = isSoak ? 14_400_000 : onPostgres ? 900_000 : 300_000
type Work<C> = (context: C) => unknown

/** The counts of a test file. The runner reads and compares them. */
export interface Tally {
  registered: number
  started: number
  passed: number
  failed: number
  skipped: number
  /** The reasons why cases were left out on PostgreSQL, one each. */
  leftOut: string[]
  suites: number
  run: number
  hookFailures: string[]
}

let tally: Tally

/** Restarts the counts for the next file. Tests of the last file that still run count there. */
export function newTally(): Tally {
  tally = {
    registered: 0,
    started: 0,
    passed: 0,
    failed: 0,
    skipped: 0,
    leftOut: [],
    suites: 0,
    run: 0,
    hookFailures: [],
  }
  return tally
}
newTally()

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`threw a non-error: ${String(thrown)}`)

async function within<C>(work: Work<C>, context: C, name: string, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`"${name}" took longer than ${ms} ms`)), ms)
  })
  try {
    await Promise.race([Promise.resolve(work(context)), late])
  } catch (thrown) {
    throw asError(thrown)
  } finally {
    clearTimeout(timer)
  }
}

export interface Suite<C> {
  (name: string, work: Work<C>, options?: { timeoutMs?: number; embeddedOnly?: Reason }): void
  skip(name: string, work?: Work<C>): void
  before(work: Work<C>): void
  after(work: Work<C>): void
  beforeEach(work: Work<C>): void
  afterEach(work: Work<C>): void
  run(): void
}

/** uvu's suite with counts, timeouts, and hooks whose failure fails the run. */
export function suite<C extends object = Record<string, unknown>>(title: string, context?: C): Suite<C> {
  const inner = uvuSuite<C>(title, context as C)
  const counts = tally
  counts.suites++
  const hook = (kind: string, work: Work<C>) => async (c: C) => {
    try {
      await within(work, c, `${title} ${kind}`, TIMEOUT_MS)
    } catch (thrown) {
      counts.hookFailures.push(`${title} ${kind}: ${asError(thrown).stack}`)
      throw asError(thrown)
    }
  }
  const test = ((name, work, options) => {
    if (onPostgres && options?.embeddedOnly) return void counts.leftOut.push(options.embeddedOnly)
    counts.registered++
    inner(name, async (c) => {
      counts.started++
      try {
        await within(work, c as C, `${title} ${name}`, Math.max(options?.timeoutMs ?? 0, TIMEOUT_MS))
        counts.passed++
      } catch (thrown) {
        counts.failed++
        throw thrown
      }
    })
  }) as Suite<C>
  test.skip = () => void counts.skipped++
  test.before = (work) => void inner.before(hook('before', work) as never)
  test.after = (work) => void inner.after(hook('after', work) as never)
  test.beforeEach = (work) => void inner.before.each(hook('beforeEach', work) as never)
  test.afterEach = (work) => void inner.after.each(hook('afterEach', work) as never)
  test.run = () => {
    counts.run++
    inner.run()
  }
  return test
}

interface Closable {
  close(): unknown
}

/**
 * A suite around a resource that is started before it and closed after it: a service, a fixture, a folder of
 * repositories. Returns both.
 * @param close ends the resource if it has no `close` method
 */
export function suiteWith<T extends Closable>(title: string, start: () => Promise<T>): Promise<[Suite<object>, T]>
export function suiteWith<T>(
  title: string,
  start: () => Promise<T>,
  close: (started: T) => unknown,
): Promise<[Suite<object>, T]>
export async function suiteWith<T>(
  title: string,
  start: () => Promise<T>,
  close = (started: T) => (started as Closable).close(),
): Promise<[Suite<object>, T]> {
  const started = await start()
  const test = suite<object>(title)
  test.after(() => close(started))
  return [test, started]
}
