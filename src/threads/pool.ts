/** A thread pool that runs named tasks, with limits for time, memory and queue, and with fair turns between owners. */
import { FairQueue, type Queued } from './fair-queue.js'
import { TaskFailure } from './failure.js'
import type { Argument, TaskRequest } from './messages.js'
import { type Deadline, Thread } from './thread.js'

export interface PoolOptions {
  /** The module that exports the table of tasks (`TaskTable`) as `tasks`. */
  tasks: URL
  /** Number of threads that work at the same time. */
  threads: number
  /** Maximum number of extra threads: one for each task that has been running for `slowMs` in a started thread. */
  spares: number
  slowMs: number
  /** Heap size of one thread, in MB. A task that needs more fails. */
  heapMb: number
  deadline: Deadline
  /** Maximum number of waiting tasks, and of bytes in their arguments. One owner may use a quarter of each. */
  maxWaiting: { items: number; bytes: number }
  maxResultBytes: number
}

/** Runs tasks in threads: texts and files in, bytes out. */
export interface Pool {
  /**
   * Runs a task of the table. Rejects with a `TaskFailure`.
   * @param owner the owner of the task; owners take turns by their used time
   */
  run(owner: string, name: string, args: readonly Argument[]): Promise<Uint8Array>
  /** Starts the first thread before it is needed. */
  warm(): void
  /** Ends all threads. Running and waiting tasks fail with `closed`. */
  close(): Promise<void>
}

interface Job extends Queued, TaskRequest {
  done(bytes: Uint8Array): void
  failed(failure: unknown): void
}

/** Creates a pool. Threads are started on demand. */
export const createPool = (options: PoolOptions): Pool => new ThreadPool(options)

/** Failures after which the thread of the task can continue. */
const HARMLESS: ReadonlySet<string> = new Set(['result', 'error'])

class ThreadPool implements Pool {
  readonly #queue: FairQueue<Job>
  readonly #idle: Thread[] = []
  readonly #all = new Set<Thread>()
  #busy = 0
  #slow = 0
  #closed = false

  constructor(private readonly options: PoolOptions) {
    this.#queue = new FairQueue<Job>(options.maxWaiting)
  }

  // A property, so that callers can pass it on without the pool.
  readonly run = (owner: string, name: string, args: readonly Argument[]): Promise<Uint8Array> => {
    if (this.#closed) return Promise.reject(new TaskFailure('closed', 'The service is stopping.'))
    const bytes = args.reduce((sum, one) => sum + (typeof one === 'string' ? one.length * 2 : one.length), 0)
    return new Promise((done, failed) => {
      if (this.#queue.offer({ owner, bytes, name, args, done, failed })) this.#startWaiting()
      else failed(new TaskFailure('busy', 'Too many tasks are waiting.'))
    })
  }

  warm(): void {
    if (!this.#closed && this.#all.size === 0) this.#idle.push(this.#startThread())
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const job of this.#queue.drain()) job.failed(new TaskFailure('closed', 'The service is stopping.'))
    await Promise.all([...this.#all].map((thread) => this.#end(thread)))
  }

  #startThread(): Thread {
    const { tasks, maxResultBytes, heapMb } = this.options
    const thread = new Thread({ tasks: tasks.href, maxResultBytes }, heapMb)
    this.#all.add(thread)
    return thread
  }

  /** Starts waiting jobs while a thread is available. */
  #startWaiting(): void {
    const { threads, spares } = this.options
    while (!this.#closed && this.#queue.size > 0 && this.#busy < threads + Math.min(this.#slow, spares)) {
      const job = this.#queue.take()
      if (job) void this.#work(this.#idle.pop() ?? this.#startThread(), job)
    }
  }

  async #work(thread: Thread, job: Job): Promise<void> {
    const { deadline, slowMs, threads } = this.options
    this.#busy++
    const from = performance.now()
    let isSlow = false
    let isOver = false
    let timer: NodeJS.Timeout | undefined
    const watch = (): void => {
      timer = setTimeout(() => {
        isSlow = true
        this.#slow++
        this.#startWaiting()
      }, slowMs)
    }
    // Do not count the start of a thread as slow work. Otherwise, if a start takes long, each task would start a
    // spare thread that ends before the next task.
    void thread.started.then(() => {
      if (!isOver) watch()
    })
    try {
      job.done(await thread.run({ name: job.name, args: job.args }, deadline))
    } catch (failure) {
      job.failed(failure)
      if (!(failure instanceof TaskFailure) || !HARMLESS.has(failure.kind)) await this.#end(thread)
    } finally {
      isOver = true
      clearTimeout(timer)
      if (isSlow) this.#slow--
      this.#busy--
      this.#queue.charge(job.owner, performance.now() - from)
      if (thread.dead || this.#closed || this.#idle.length + this.#busy >= threads) await this.#end(thread)
      else this.#idle.push(thread)
      this.#startWaiting()
    }
  }

  async #end(thread: Thread): Promise<void> {
    if (this.#all.delete(thread)) await thread.end()
  }
}
