// One thread of a pool, with deadlines for its tasks.
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { TaskFailure } from './failure.js'
import type { TaskRequest, ThreadData, ThreadMessage } from './messages.js'

/**
 * Maximum duration of a task: processor time (on Linux; elapsed time elsewhere), and elapsed time. Only the first one is
 * the fault of the input.
 */
export interface Deadline {
  cpuMs: number
  wallMs: number
}

/** Maximum time for a thread to start and load its tasks. */
const START_MS = 60_000
/** Interval for checking the time of a running task. */
const CHECK_MS = 100
/** In `dist/`, the entry is started directly. When running from the sources, each thread must register tsx first. */
const entry = (name: string): { from: string | URL; eval: boolean } => {
  if (!import.meta.url.endsWith('.ts')) return { from: new URL(`./${name}.js`, import.meta.url), eval: false }
  const url = JSON.stringify(new URL(`./${name}.ts`, import.meta.url).href)
  return { from: `import('tsx/esm/api').then((tsx) => { tsx.register(); return import(${url}) })`, eval: true }
}

/**
 * One thread of the pool. It runs one task at a time, and must be ended after a task that exceeded its time or memory.
 */
export class Thread {
  readonly #worker: Worker
  readonly #ready: Promise<string | null>
  #receive: ((message: ThreadMessage | TaskFailure) => void) | null = null
  #dead = false

  constructor(
    private readonly data: ThreadData,
    heapMb: number,
  ) {
    const { from, eval: isSource } = entry('entry')
    this.#worker = new Worker(from, {
      eval: isSource,
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32 },
      // The environment of the process may contain secrets.
      env: {},
    })
    this.#ready = this.#start()
    this.#ready.catch(() => {})
    this.#worker.on('message', (message: ThreadMessage) => this.#receive?.(message))
    this.#worker.on('error', (error: Error & { code?: string }) => {
      const memory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      this.#fail(
        memory
          ? new TaskFailure('memory', `It takes more than ${heapMb} MB of memory to process.`)
          : new TaskFailure('error', error.message, error.name),
      )
    })
    this.#worker.on('exit', () => this.#fail(new TaskFailure('closed', 'The thread has ended.')))
    // An idle thread must not keep the process alive.
    this.#worker.unref()
  }

  /** Resolves when the thread accepts tasks, or has failed to start. */
  get started(): Promise<void> {
    return this.#ready.then(
      () => {},
      () => {},
    )
  }

  get dead(): boolean {
    return this.#dead
  }

  #start(): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new TaskFailure('busy', `The thread did not start within ${START_MS / 1000} seconds.`)),
        START_MS,
      )
      timer.unref()
      this.#receive = (message) => {
        clearTimeout(timer)
        this.#receive = null
        if (message instanceof TaskFailure) reject(message)
        else resolve('ready' in message ? message.cpuFile : null)
      }
    })
  }

  #fail(failure: TaskFailure): void {
    this.#dead = true
    this.#receive?.(failure)
  }

  /** Runs one task. Rejects with a `TaskFailure`. */
  async run(request: TaskRequest, { cpuMs, wallMs }: Deadline): Promise<Uint8Array> {
    this.#worker.ref()
    try {
      const cpuFile = await this.#ready
      const from = { cpu: cpuOf(cpuFile), wall: performance.now() }
      const message = await new Promise<ThreadMessage | TaskFailure>((resolve) => {
        const check = setInterval(
          () => {
            const failure = exceeded(from, cpuFile, { cpuMs, wallMs })
            if (failure !== null) this.#receive?.(failure)
          },
          Math.min(CHECK_MS, cpuMs),
        )
        this.#receive = (one) => {
          clearInterval(check)
          this.#receive = null
          resolve(one)
        }
        if (this.#dead) this.#receive(new TaskFailure('closed', 'The thread has ended.'))
        else this.#send(request)
      })
      if (message instanceof TaskFailure) throw message
      if ('bytes' in message) return message.bytes
      if ('tooLarge' in message)
        throw new TaskFailure(
          'result',
          `It has a result of ${message.tooLarge} bytes; at most ${this.data.maxResultBytes} are allowed.`,
        )
      if ('error' in message) throw new TaskFailure('error', message.error.message, message.error.name)
      throw new TaskFailure('error', 'The thread sent an unexpected message.')
    } finally {
      this.#worker.unref()
    }
  }

  /**
   * Sends a request. Files are copied, because a transfer takes their bytes away from the caller and they may be part
   * of a larger buffer.
   */
  #send({ name, args }: TaskRequest): void {
    const own = args.map((one) => (typeof one === 'string' ? one : new Uint8Array(one)))
    this.#worker.postMessage(
      { name, args: own },
      own.flatMap((one) => (typeof one === 'string' ? [] : [one.buffer])),
    )
  }

  async end(): Promise<void> {
    this.#dead = true
    await this.#worker.terminate()
  }
}

/**
 * Returns why a task must end that started at `from`, or null. If it has used less than its processor time, the machine
 * is too busy, and the input is not the cause.
 */
function exceeded(
  from: { cpu: number | null; wall: number },
  cpuFile: string | null,
  { cpuMs, wallMs }: Deadline,
): TaskFailure | null {
  const wall = performance.now() - from.wall
  const now = from.cpu === null ? null : cpuOf(cpuFile)
  const cpu = from.cpu === null || now === null ? wall : now - from.cpu
  if (cpu > cpuMs) return new TaskFailure('deadline', `It takes more than ${cpuMs / 1000} seconds to process.`)
  if (wall <= wallMs) return null
  return new TaskFailure('busy', `The machine is too busy to finish a task in ${wallMs / 1000} seconds.`)
}

/** Returns the processor time that a thread has used, in milliseconds; null if the system does not report it. */
function cpuOf(file: string | null): number | null {
  if (file === null) return null
  try {
    return Number(readFileSync(file, 'latin1').split(' ')[0]) / 1e6
  } catch {
    return null
  }
}
