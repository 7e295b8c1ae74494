import { FairQueue, type Waiting } from './fair-queue.js'
import { TaskFailure } from './failure.js'
import type { Argument, Order } from './messages.js'
import { type Deadline, Thread } from './thread.js'

export interface PoolOptions {
  /** Module that exports the table of tasks (`TaskTable`) as `tasks`. */
  tasks: URL
  /** Threads that work at once. */
  threads: number
  /** How many more, while as many run a task that already took `slowMs` and others wait. */
  spares: number
  slowMs: number
  /** Heap of one thread, in MB: a task that needs more fails. */
  heapMb: number
  deadline: Deadline
  /** Most tasks that wait, and the bytes of their inputs; one owner has at most a quarter of both. */
  maxWaiting: { items: number; bytes: number }
  maxAnswerBytes: number
}

/** What runs tasks in threads: texts and files in, bytes out. */
export interface Pool {
  /**
   * Runs a task of the table. Rejects with a `TaskFailure`.
   * @param owner who it is for: owners take turns, by the time they used
   */
  run(owner: string, name: string, args: readonly Argument[]): Promise<Uint8Array>
  /** Starts the first thread before it is needed. */
  warm(): void
  /** Ends all threads; what runs or waits fails as `closed`. */
  close(): Promise<void>
}

interface Job extends Waiting, Order {
  done(bytes: Uint8Array): void
  failed(failure: unknown): void
}

/** Makes a pool. Threads are started when they are needed. */
export function createPool(options: PoolOptions): Pool {
  const queue = new FairQueue<Job>(options.maxWaiting)
  const idle: Thread[] = []
  const all = new Set<Thread>()
  let busy = 0
  let slow = 0
  let closed = false

  const start = (): Thread => {
    const thread = new Thread({ tasks: options.tasks.href, maxAnswerBytes: options.maxAnswerBytes }, options.heapMb)
    all.add(thread)
    return thread
  }
  const room = (): number => options.threads + Math.min(slow, options.spares)
  const pump = (): void => {
    while (!closed && queue.size > 0 && busy < room()) {
      const job = queue.take()
      if (job) void work(idle.pop() ?? start(), job)
    }
  }
  const work = async (thread: Thread, job: Job): Promise<void> => {
    busy++
    const from = performance.now()
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      slow++
      pump()
    }, options.slowMs)
    try {
      job.done(await thread.run({ name: job.name, args: job.args }, options.deadline))
    } catch (failure) {
      job.failed(failure)
      if (!(failure instanceof TaskFailure) || (failure.kind !== 'answer' && failure.kind !== 'error')) await drop(thread)
    } finally {
      clearTimeout(timer)
      if (isSlow) slow--
      busy--
      queue.charge(job.owner, performance.now() - from)
      if (thread.dead || closed || idle.length + busy >= options.threads) await drop(thread)
      else idle.push(thread)
      pump()
    }
  }
  const drop = async (thread: Thread): Promise<void> => {
    if (all.delete(thread)) await thread.end()
  }

  return {
    run(owner, name, args) {
      if (closed) return Promise.reject(new TaskFailure('closed', 'The service is stopping.'))
      const bytes = args.reduce((sum, one) => sum + (typeof one === 'string' ? one.length * 2 : one.length), 0)
      return new Promise((done, failed) => {
        if (queue.offer({ owner, bytes, name, args, done, failed })) pump()
        else failed(new TaskFailure('busy', 'Too many texts wait to be read.'))
      })
    },
    warm() {
      if (!closed && all.size === 0) idle.push(start())
    },
    async close() {
      closed = true
      for (const job of queue.drain()) job.failed(new TaskFailure('closed', 'The service is stopping.'))
      await Promise.all([...all].map(drop))
    },
  }
}
