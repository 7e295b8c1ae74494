import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { TaskFailure } from './failure.js'
import type { Notice, Order, ThreadData } from './messages.js'

/** How long a task may run: in processor time where the system tells it, and by the clock. */
export interface Deadline {
  cpuMs: number
  wallMs: number
}

/** Longest time for a thread to load what it works with. */
const START_MS = 60_000
/** How often a running task is looked at. */
const LOOK_MS = 100
/** From `dist/` the entry is started as it is; from the sources, tsx must be registered in each thread of its own. */
const entry = (name: string): { from: string | URL; eval: boolean } => {
  if (!import.meta.url.endsWith('.ts')) return { from: new URL(`./${name}.js`, import.meta.url), eval: false }
  const url = JSON.stringify(new URL(`./${name}.ts`, import.meta.url).href)
  return { from: `import('tsx/esm/api').then((tsx) => { tsx.register(); return import(${url}) })`, eval: true }
}

/** One thread of the pool: it takes one order at a time, and is of no use after one that failed by time or memory. */
export class Thread {
  readonly #worker: Worker
  readonly #ready: Promise<string | null>
  #answer: ((notice: Notice | TaskFailure) => void) | null = null
  #dead = false

  constructor(data: ThreadData, heapMb: number) {
    const { from, eval: isSource } = entry('entry')
    this.#worker = new Worker(from, {
      eval: isSource,
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32 },
      // Nothing that the process was given in secret.
      env: {},
    })
    this.#ready = this.#start()
    this.#ready.catch(() => {})
    this.#worker.on('message', (notice: Notice) => this.#answer?.(notice))
    this.#worker.on('error', (error: Error & { code?: string }) => {
      const memory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      this.#fail(memory ? new TaskFailure('memory', `It takes more than ${heapMb} MB of memory.`) : new TaskFailure('error', error.message, error.name))
    })
    this.#worker.on('exit', () => this.#fail(new TaskFailure('closed', 'The thread has ended.')))
    // An idle thread keeps no process alive.
    this.#worker.unref()
  }

  get dead(): boolean {
    return this.#dead
  }

  #start(): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new TaskFailure('busy', 'The thread did not start in time.')), START_MS)
      timer.unref()
      this.#answer = (notice) => {
        clearTimeout(timer)
        this.#answer = null
        if (notice instanceof TaskFailure) reject(notice)
        else resolve('ready' in notice ? notice.cpuFile : null)
      }
    })
  }

  #fail(failure: TaskFailure): void {
    this.#dead = true
    this.#answer?.(failure)
  }

  /** Runs one order. Rejects with a `TaskFailure`. */
  async run(order: Order, { cpuMs, wallMs }: Deadline): Promise<Uint8Array> {
    this.#worker.ref()
    try {
      const cpuFile = await this.#ready
      const from = { cpu: cpuOf(cpuFile), wall: performance.now() }
      const notice = await new Promise<Notice | TaskFailure>((resolve) => {
        const look = setInterval(
          () => {
            const wall = performance.now() - from.wall
            const cpu = from.cpu === null ? wall : (cpuOf(cpuFile) ?? wall + from.cpu) - from.cpu
            if (cpu > cpuMs || wall > wallMs) this.#answer?.(new TaskFailure('deadline', `It takes more than ${cpuMs / 1000} seconds.`))
          },
          Math.min(LOOK_MS, cpuMs),
        )
        this.#answer = (one) => {
          clearInterval(look)
          this.#answer = null
          resolve(one)
        }
        if (this.#dead) this.#answer(new TaskFailure('closed', 'The thread has ended.'))
        else this.#send(order)
      })
      if (notice instanceof TaskFailure) throw notice
      if ('bytes' in notice) return notice.bytes
      if ('tooLarge' in notice) throw new TaskFailure('answer', `It comes to ${notice.tooLarge} bytes.`)
      throw 'error' in notice ? new TaskFailure('error', notice.error.message, notice.error.name) : new TaskFailure('error', 'The thread spoke out of turn.')
    } finally {
      this.#worker.unref()
    }
  }

  /** A file's bytes belong to whoever read them, and may be a part of much more: a copy of its own is handed over. */
  #send({ name, args }: Order): void {
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

/** Milliseconds that a thread has run on a processor; null where the system does not tell. */
function cpuOf(file: string | null): number | null {
  if (file === null) return null
  try {
    return Number(readFileSync(file, 'latin1').split(' ')[0]) / 1e6
  } catch {
    return null
  }
}
