import { getPriority } from 'node:os'
import * as assert from 'uvu/assert'
import { TaskFailure } from '../../src/threads/failure.js'
import { createPool, type Pool, type PoolOptions } from '../../src/threads/pool.js'
import { startService } from '../support/service.js'
import { sharedPool } from '../support/shared-pool.js'
import { suite } from '../support/suite.js'

const pool = suite('thread pool')

const options: PoolOptions = {
  tasks: new URL('./tasks.js', import.meta.url),
  threads: 1,
  spares: 1,
  slowMs: 300,
  heapMb: 64,
  deadline: { cpuMs: 1_000, wallMs: 60_000 },
  maxWaiting: { items: 8, bytes: 1024 * 1024 },
  maxResultBytes: 100_000,
}

async function withPool(changes: Partial<PoolOptions>, use: (pool: Pool) => Promise<void>): Promise<void> {
  const made = createPool({ ...options, ...changes })
  try {
    await use(made)
  } finally {
    await made.close()
  }
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const failureOf = async (promise: Promise<unknown>): Promise<TaskFailure> => {
  try {
    await promise
  } catch (error) {
    if (error instanceof TaskFailure) return error
    throw error
  }
  throw new Error('nothing failed')
}

if (process.platform === 'linux')
  pool('pool threads give way to the main thread', () =>
    withPool({}, async ({ run }) => {
      const main = getPriority(process.pid)
      assert.ok(Number(textOf(await run('a', 'niceness', []))) > main)
      assert.is(getPriority(process.pid), main)
    }),
  )

pool('a pool runs named tasks with text input and byte output', () =>
  withPool({}, async ({ run }) => {
    assert.is(textOf(await run('a', 'upper', ['grüß ', 'gott'])), 'GRÜSS GOTT')
    const failure = await failureOf(run('a', 'throws', ['too far']))
    assert.equal([failure.kind, failure.thrown, failure.message], ['error', 'RangeError', 'too far'])
    assert.is((await failureOf(run('a', 'toString', []))).thrown, 'TypeError')
    assert.is(textOf(await run('a', 'echo', ['still there'])), 'still there')
  }),
)

pool('a thread gets no environment variables, which contain secrets', () =>
  withPool({}, async ({ run }) => {
    assert.is(textOf(await run('a', 'environment', [])), '{}')
  }),
)

pool('a thread is ended at the deadline and replaced', () =>
  withPool({}, async ({ run }) => {
    assert.is((await failureOf(run('a', 'forever', []))).kind, 'deadline')
    assert.is(textOf(await run('a', 'echo', ['next'])), 'next')
  }),
)

if (process.platform === 'linux')
  pool('a busy machine and not the input is the cause if a task has used little processor time', () =>
    withPool({ deadline: { cpuMs: 600_000, wallMs: 300 } }, async ({ run }) => {
      const failure = await failureOf(run('a', 'forever', []))
      assert.equal(
        [failure.kind, failure.message],
        ['busy', 'The machine is too busy to finish a task in 0.3 seconds.'],
      )
      assert.is(textOf(await run('a', 'echo', ['next'])), 'next')
    }),
  )

pool('a pool survives a task that uses all memory', () =>
  withPool({ deadline: { cpuMs: 30_000, wallMs: 60_000 } }, async ({ run }) => {
    const failure = await failureOf(run('a', 'hog', []))
    assert.equal([failure.kind, failure.message], ['memory', 'It takes more than 64 MB of memory to process.'])
    assert.is(textOf(await run('a', 'echo', ['next'])), 'next')
  }),
)

pool('a result over the byte limit is rejected', () =>
  withPool({}, async ({ run }) => {
    assert.is((await failureOf(run('a', 'large', ['100001']))).kind, 'result')
    assert.is((await run('a', 'large', ['100000'])).length, 100_000)
  }),
)

pool('the queue is limited, and one owner may use a quarter of it', () =>
  withPool({ spares: 0 }, async ({ run }) => {
    const spinning = run('a', 'spin', ['200'])
    const own = [run('a', 'echo', ['1']), run('a', 'echo', ['2'])]
    assert.is((await failureOf(run('a', 'echo', ['3']))).kind, 'busy')
    const others = ['b', 'c', 'd'].flatMap((owner) => [run(owner, 'echo', ['1']), run(owner, 'echo', ['2'])])
    assert.is((await failureOf(run('e', 'echo', ['1']))).kind, 'busy')
    await Promise.all([spinning, ...own, ...others])
    assert.is(textOf(await run('e', 'echo', ['now'])), 'now')
  }),
)

pool('the bytes in the queue are limited', () =>
  withPool({ spares: 0 }, async ({ run }) => {
    const spinning = run('a', 'spin', ['200'])
    const large = run('a', 'echo', ['x'.repeat(50_000)])
    assert.is((await failureOf(run('a', 'echo', ['x'.repeat(100_000)]))).kind, 'busy')
    assert.is((await failureOf(run('b', 'echo', ['x'.repeat(600_000)]))).kind, 'busy')
    await Promise.all([spinning, large])
  }),
)

pool('the owner with the least usage is served first', () =>
  withPool({ spares: 0 }, async ({ run }) => {
    const order: string[] = []
    const noted = (owner: string, name: string, args: string[], what: string) =>
      run(owner, name, args).then(() => void order.push(what))
    const costly = [
      noted('greedy', 'spin', ['150'], 'g1'),
      noted('greedy', 'spin', ['150'], 'g2'),
      noted('greedy', 'spin', ['150'], 'g3'),
    ]
    const cheap = [noted('modest', 'echo', ['x'], 'm1'), noted('modest', 'echo', ['x'], 'm2')]
    await Promise.all([...costly, ...cheap])
    assert.equal(order, ['g1', 'm1', 'm2', 'g2', 'g3'])
  }),
)

pool('a spare thread runs other tasks during a slow one', () =>
  withPool({ slowMs: 50, deadline: { cpuMs: 3_000, wallMs: 60_000 } }, async ({ run }) => {
    const order: string[] = []
    const slow = failureOf(run('greedy', 'forever', [])).then(() => order.push('slow'))
    await run('modest', 'echo', ['x']).then(() => order.push('modest'))
    await slow
    assert.equal(order, ['modest', 'slow'])
  }),
)

pool('a closed pool ends at once', async () => {
  const made = createPool({ ...options, spares: 0, deadline: { cpuMs: 600_000, wallMs: 600_000 } })
  const all = [failureOf(made.run('a', 'forever', [])), failureOf(made.run('a', 'echo', ['x']))]
  await made.close()
  assert.equal(
    (await Promise.all(all)).map((one) => one.kind),
    ['closed', 'closed'],
  )
  assert.is((await failureOf(made.run('a', 'echo', ['x']))).kind, 'closed')
})

pool('a service starts a thread before the first page is read', async () => {
  const warmed: string[] = []
  const makePool = (given: PoolOptions): Pool => ({
    ...sharedPool(given),
    warm: () => void warmed.push(given.tasks.href),
  })
  const here = await startService({ overrides: { makePool } })
  await here.close()
  assert.is(warmed.length, 1)
  assert.match(warmed.join(), /render\/tasks/)
})

pool.run()
