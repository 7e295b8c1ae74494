import { GitError } from '../errors.js'
import { Heard } from './heard.js'
import type { Launcher, Running } from './launcher.js'
import type { Environment } from './messages.js'

/** The process ended before it answered, or did not answer in time and was ended. */
export class ConversationLost extends GitError {
  constructor(
    message: string,
    /** Whether it may not have cleared up after itself. */
    readonly killed: boolean,
    options?: ErrorOptions,
    /** It did not answer, and even its end was not reported: it may be at work still. */
    readonly atLarge = false,
  ) {
    super(message, options)
  }
}

/**
 * What a reader makes of the bytes so far: it wants at least `need` of them; or the answer took the first `used`; or it
 * refuses an answer of `used` bytes, which are thrown away as they come, even beyond what is there.
 */
export type Reading<T> = { need: number } | { used: number; answer: T } | { used: number; refuse: Error }
export type Reader<T> = (bytes: Buffer) => Reading<T>

interface Question {
  read: Reader<unknown>
  resolve(answer: unknown): void
  reject(error: Error): void
}

/** Milliseconds in which a killed process must have ended. */
const END_MS = 10_000

export interface Manner {
  cwd: string
  env?: Environment
  /** Milliseconds without a word, while a question waits, after which the process is taken for dead and ended. */
  silenceMs: number
}

/** A long-lived process that answers questions in the order they are asked. Many may be under way at once. */
export class Conversation {
  readonly #questions: Question[] = []
  #running: Running | null = null
  #unsent: string[] = []
  readonly #heard = new Heard()
  #need = 1
  #discard = 0
  #lost: ConversationLost | null = null
  #finishing = false
  #hangs = false
  #timer: NodeJS.Timeout | null = null

  constructor(
    launcher: Launcher,
    command: string,
    args: readonly string[],
    readonly manner: Manner,
  ) {
    launcher.start(command, args, manner.cwd, manner.env).then(
      (running) => this.#begin(running),
      (error: Error) => this.#lose(new ConversationLost(error.message, true, { cause: error })),
    )
  }

  /** Whether it can be asked no more. */
  get over(): boolean {
    return this.#lost !== null || this.#finishing || this.#hangs
  }

  /** Sends `question` and answers what `read` makes of the process's words. Throws `ConversationLost`. */
  ask<T>(question: string, read: Reader<T>): Promise<T> {
    if (this.#lost) return Promise.reject(this.#lost)
    return new Promise<T>((resolve, reject) => {
      this.#questions.push({ read, resolve: resolve as (answer: unknown) => void, reject })
      if (this.#running) this.#running.stream.write(question)
      else this.#unsent.push(question)
      if (!this.#timer) this.#watch()
    })
  }

  /** Ends the process when it has answered what it was asked. */
  finish(): void {
    this.#finishing = true
    if (this.#questions.length === 0) this.#running?.stream.end()
  }

  /** Ends the process now. */
  kill(): void {
    this.#running?.kill()
    this.#lose(new ConversationLost('the process was ended', true))
  }

  /** Every word is a sign of life; without one, and with a question open, the process hangs. */
  #watch(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = this.#questions.length === 0 ? null : setTimeout(() => void this.#giveUp(), this.manner.silenceMs)
  }

  /** Nobody is told before the process is gone: what it was asked to do, it might still do. */
  async #giveUp(): Promise<void> {
    const why = `git did not answer for ${this.manner.silenceMs} ms and was ended`
    const running = this.#running
    this.#hangs = true
    running?.kill()
    const late = Symbol('late')
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, END_MS, late)
    })
    const atLarge = running !== null && (await Promise.race([running.ended, patience])) === late
    clearTimeout(timer)
    running?.stream.destroy()
    this.#lose(new ConversationLost(why, true, undefined, atLarge))
  }

  #begin(running: Running): void {
    if (this.#lost) {
      running.kill()
      return
    }
    this.#running = running
    running.stream.on('data', (chunk: Buffer) => this.#hear(chunk))
    // The exit is reported beside the stream: its last words may still be on their way.
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
      this.#lose(new ConversationLost(`git ended (${why}): ${ending.stderr.trim().slice(0, 1000)}`, ending.failure !== undefined))
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
    if (this.#timer) clearTimeout(this.#timer)
    for (const question of this.#questions.splice(0)) question.reject(this.#lost)
  }
}
