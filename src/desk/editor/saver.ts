/** Runs the effects of the state machine of saving: requests, the timer, and the copy in this browser. */
import { type Signal, signal } from '@preact/signals'
import { ApiError } from '../api/client.js'
import type { EditedPage } from './edited-page.js'
import { type Effect, isUnsaved, next, opened, type Saving, type SavingEvent } from './saving.js'

/** The functions that the saver calls. */
export interface SaverPorts {
  /** Saves a file and returns its tag. The first save may create a change request. Throws `ApiError`. */
  save(raw: string, oid: string): Promise<string>
  /** Loads the file as the server has it. Throws `ApiError`. */
  load(): Promise<{ markdown: string; oid: string }>
  /** Stores the text in this browser, or deletes it (null). */
  keep(text: (() => string) | null): void
  now(): number
}

/** Saves a page. */
export class Saver {
  readonly state: Signal<Saving> = signal(opened)
  /** The time of the last merge with another writer's blocks. */
  readonly combinedAt: Signal<number | null> = signal(null)
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly page: EditedPage,
    private readonly ports: SaverPorts,
  ) {}

  /** The writer changed the text. */
  edited(): void {
    this.send({ type: 'edited' })
    this.ports.keep(() => this.page.exact())
  }

  /** Passes an event to the state machine. */
  send(event: SavingEvent): void {
    const { state, effects } = next(this.state.value, event)
    this.state.value = state
    for (const effect of effects) this.#run(effect)
    if (!isUnsaved(state)) this.ports.keep(null)
  }

  /** Whether a text exists that the server has not confirmed. */
  get isUnsaved(): boolean {
    return isUnsaved(this.state.value)
  }

  /** Stops the timer. The copy in this browser stays. */
  stop(): void {
    clearTimeout(this.#timer)
  }

  #run(effect: Effect): void {
    if (effect.type === 'save') void this.#save()
    else if (effect.type === 'load') void this.#load()
    else {
      clearTimeout(this.#timer)
      if (effect.type === 'wait') this.#timer = setTimeout(() => this.send({ type: 'due' }), effect.ms)
    }
  }

  async #save(): Promise<void> {
    const { raw, oid } = this.page.send()
    this.ports.keep(() => this.page.exact())
    try {
      this.page.confirm(await this.ports.save(raw, oid))
      this.send({ type: 'saved', at: this.ports.now() })
    } catch (error) {
      this.#fail(error)
    }
  }

  async #load(): Promise<void> {
    try {
      const { markdown, oid } = await this.ports.load()
      const result = this.page.receive(markdown, oid)
      if (result === 'combined') this.combinedAt.value = this.ports.now()
      this.send({ type: 'merged', result, at: this.ports.now() })
      if (this.isUnsaved) this.ports.keep(() => this.page.exact())
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    const { status, message } = error instanceof ApiError ? error : { status: 0, message: String(error) }
    this.send({ type: 'failed', status, reason: message })
  }
}
