// Sends requests to a long-lived Git process, each with a deadline.
import { GitError } from '../errors.js'
import { ByteQueue } from './byte-queue.js'
import type { Launcher, Running } from './launcher.js'
import type { Environment } from './messages.js'

/** The process ended before it responded, or was killed because it did not respond in time. */
export class ConversationLost extends GitError {
  constructor(
    message: string,
    /** Whether the process may have left lock files and similar files behind. */
    readonly killed: boolean,
    options?: ErrorOptions,
    /** Whether the process may still be running: its end was not reported after it was killed. */
    readonly mayBeRunning = false,
  ) {
    super(message, options)
  }
}

/**
 * The result of a reader for the bytes received so far. The reader needs at least `need` bytes in total; or the first
 * `used` bytes are the response; or it rejects a response of `used` bytes, which are discarded, including those that
 * have not arrived yet.
 */
export type Reading<T> = { need: number } | { used: number; answer: T } | { used: number; refuse: Error }
export type Reader<T> = (bytes: Buffer) => Reading<T>

interface Question {
  read: Reader<unknown>
  resolve(answer: unknown): void
  reject(error: Error): void
}

/** Maximum wait for the end of a killed process, in milliseconds. */
const END_MS = 10_000

/** The settings for the process of a conversation. */
interface ConversationOptions {
  cwd: string
  env?: Environment
  /** Maximum time without output while a request waits, in milliseconds. After that, the process is killed. */
  silenceMs: number
  /**
   * Time without output in milliseconds after which the process yields to the service: it gets a low priority, which
   * cannot be raised again, and takes no more requests. Default: never.
   */
  yieldsAfterMs?: number
}

/** A long-lived process that responds to requests in order. Several requests may be in progress at once. */
export class Conversation {
  readonly #questions: Question[] = []
  #running: Running | null = null
  #unsent: string[] = []
  readonly #heard = new ByteQueue()
  #need = 1
  #discard = 0
  #lost: ConversationLost | null = null
  #finishing = false
  #hangs = false
  #timer: NodeJS.Timeout | null = null
  #yieldTimer: NodeJS.Timeout | undefined

  constructor(
    launcher: Launcher,
    command: string,
    args: readonly string[],
    readonly options: ConversationOptions,
  ) {
    launcher.start(command, args, options).then(
      (running) => this.#begin(running),
      (error: Error) => this.#lose(new ConversationLost(error.message, true, { cause: error })),
    )
  }

  /** Whether no more requests can be sent. */
  get over(): boolean {
    return this.#lost !== null || this.#finishing || this.#hangs
  }

  /** Sends `question` and returns the response as parsed by `read`. Throws `ConversationLost`. */
  ask<T>(question: string, read: Reader<T>): Promise<T> {
    if (this.#lost) return Promise.reject(this.#lost)
    return new Promise<T>((resolve, reject) => {
      this.#questions.push({ read, resolve: resolve as (answer: unknown) => void, reject })
      if (this.#running) this.#running.stream.write(question)
      else this.#unsent.push(question)
      if (!this.#timer) this.#watch()
    })
  }

  /** Ends the process after all requests have a response. */
  finish(): void {
    this.#finishing = true
    if (this.#questions.length === 0) this.#running?.stream.end()
  }

  /** Kills the process now. */
  kill(): void {
    this.#running?.kill()
    this.#lose(new ConversationLost('the process was killed', true))
  }

  /** Restarts the time limit. Called for each output, which shows that the process does not hang. */
  #watch(): void {
    clearTimeout(this.#yieldTimer)
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = this.#questions.length === 0 ? null : setTimeout(() => void this.#giveUp(), this.options.silenceMs)
    const { yieldsAfterMs } = this.options
    if (this.#timer && yieldsAfterMs) this.#yieldTimer = setTimeout(() => this.#yield(), yieldsAfterMs)
  }

  #yield(): void {
    this.#running?.yield()
    this.finish()
  }

  /** Kills the process, and rejects the requests only after it has ended: until then, it might still execute them. */
  async #giveUp(): Promise<void> {
    const why = `git did not respond for ${this.options.silenceMs} ms and was killed`
    const running = this.#running
    this.#hangs = true
    running?.kill()
    const late = Symbol('late')
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, END_MS, late)
    })
    const mayBeRunning = running !== null && (await Promise.race([running.ended, patience])) === late
    clearTimeout(timer)
    running?.stream.destroy()
    this.#lose(new ConversationLost(why, true, undefined, mayBeRunning))
  }

  #begin(running: Running): void {
    if (this.#lost) {
      running.kill()
      return
    }
    this.#running = running
    running.stream.on('data', (chunk: Buffer) => this.#hear(chunk))
    // The exit is reported separately from the stream, which may still have output to deliver.
    running.stream.on('close', () => this.#over(running))
    running.stream.on('end', () => this.#over(running))
    for (const question of this.#unsent.splice(0)) running.stream.write(question)
    if (this.#finishing) this.finish()
  }

  #over(running: Running): void {
    running.stream.destroy()
    if (this.#hangs) return
    void running.ended.then((ending) => {
      const why = ending.failure ?? `exit ${ending.code}`
      this.#lose(
        new ConversationLost(
          `git ended (${why}): ${ending.stderr.trim().slice(0, 1000)}`,
          ending.failure !== undefined,
        ),
      )
    })
  }

  #hear(chunk: Buffer): void {
    if (this.#hangs) return
    this.#watch()
    if (this.#discard > 0) {
      const dropped = Math.min(this.#discard, chunk.length)
      this.#discard -= dropped
      if (dropped === chunk.length) return
      chunk = chunk.subarray(dropped)
    }
    this.#heard.add(chunk, this.#need)
    while (this.#heard.length >= this.#need && this.#heard.length > 0) if (!this.#answerOne()) break
    if (this.#questions.length === 0) this.#watch()
    if (this.#finishing && this.#questions.length === 0) this.#running?.stream.end()
  }

  #answerOne(): boolean {
    const { bytes } = this.#heard
    const question = this.#questions[0]
    if (!question) {
      this.kill()
      return false
    }
    const reading = question.read(bytes)
    if ('need' in reading) {
      this.#need = reading.need
      return bytes.length >= reading.need
    }
    this.#questions.shift()
    this.#need = 1
    this.#discard = Math.max(0, reading.used - bytes.length)
    this.#heard.drop(Math.min(reading.used, bytes.length))
    if ('refuse' in reading) question.reject(reading.refuse)
    else question.resolve(reading.answer)
    return true
  }

  #lose(error: ConversationLost): void {
    this.#lost ??= error
    clearTimeout(this.#yieldTimer)
    if (this.#timer) clearTimeout(this.#timer)
    for (const question of this.#questions.splice(0)) question.reject(this.#lost)
  }
}
