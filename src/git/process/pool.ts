// Keeps long-lived Git processes, and ends unused ones.
import { LRUCache } from 'lru-cache'
import { gitOptions } from './environment.js'
import { Conversation, ConversationLost, type Reader } from './conversation.js'
import type { Launcher } from './launcher.js'
import type { Environment } from './messages.js'

/** A kind of long-lived process that responds to requests about a repository. */
export interface Service {
  /** The name. There is one process per repository and name. */
  name: string
  /** The arguments of `git`. */
  args: readonly string[]
  /** Whether to run it under `stdbuf -o0`, because the command does not flush its responses. */
  unbuffered?: boolean
  env?: Environment
  /** Maximum time without output in milliseconds. After that, the process is killed. Default: one minute. */
  silenceMs?: number
  /** Time without output in milliseconds after which the process has a low priority and ends with its response. */
  yieldsAfterMs?: number
}

const SILENCE_MS = 60_000
const MAX_PROCESSES = 32

/** The long-lived processes of all repositories. If there are too many, the least recently used one ends. */
export class Pool {
  // bound: MAX_PROCESSES
  readonly #conversations = new LRUCache<string, Conversation>({
    max: MAX_PROCESSES,
    dispose: (conversation) => conversation.finish(),
  })

  constructor(
    readonly launcher: Launcher,
    /** Whether `stdbuf` is installed. */
    readonly canUnbuffer: boolean,
    /** Upper limit for the `silenceMs` of all services. */
    readonly maxSilenceMs = Number.POSITIVE_INFINITY,
  ) {}

  /**
   * Sends a request to the service of a repository. Throws `ConversationLost` if the process ends before it responds.
   */
  ask<T>(repository: string, service: Service, question: string, read: Reader<T>): Promise<T> {
    return this.#conversation(repository, service).ask(question, read)
  }

  /**
   * Like `ask`, for requests that change nothing: if the process ends or hangs, sends the request once more to a new
   * process.
   */
  async askAgain<T>(repository: string, service: Service, question: string, read: Reader<T>): Promise<T> {
    try {
      return await this.ask(repository, service, question, read)
    } catch (error) {
      if (!(error instanceof ConversationLost)) throw error
      return this.ask(repository, service, question, read)
    }
  }

  /** Kills the processes of one repository. */
  drop(repository: string): void {
    for (const key of [...this.#conversations.keys()]) {
      if (!key.startsWith(`${repository}\0`)) continue
      this.#conversations.peek(key)?.kill()
      this.#conversations.delete(key)
    }
  }

  /** Kills one service of one repository, so that the next request starts a new process. */
  dropService(repository: string, service: Service): void {
    const key = `${repository}\0${service.name}`
    this.#conversations.peek(key)?.kill()
    this.#conversations.delete(key)
  }

  /** Ends one service of one repository after its requests have a response. */
  finishService(repository: string, service: Service): void {
    // The cache's `dispose` calls `finish`.
    this.#conversations.delete(`${repository}\0${service.name}`)
  }

  close(): void {
    for (const conversation of this.#conversations.values()) conversation.kill()
    this.#conversations.clear()
  }

  #conversation(repository: string, service: Service): Conversation {
    const key = `${repository}\0${service.name}`
    const known = this.#conversations.get(key)
    if (known && !known.over) return known
    const [command, before] = service.unbuffered ? ['stdbuf', ['-o0', 'git']] : ['git', []]
    const options = {
      cwd: repository,
      silenceMs: Math.min(service.silenceMs ?? SILENCE_MS, this.maxSilenceMs),
      ...(service.env && { env: service.env }),
      ...(service.yieldsAfterMs && { yieldsAfterMs: service.yieldsAfterMs }),
    }
    const conversation = new Conversation(this.launcher, command, [...before, ...gitOptions, ...service.args], options)
    this.#conversations.set(key, conversation)
    return conversation
  }
}
