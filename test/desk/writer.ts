/** A writer of a page, through the editor's own state machine, without a browser. */
import * as assert from 'uvu/assert'
import { type Effect, isUnsaved, next, opened, type SavingEvent } from '../../src/desk/editor/saving.js'
import type { Random } from '../simulation/two-sided/random.js'
import type { Caller } from '../support/service.js'
import { type HeadlessPage, headlessPage } from './headless-page.js'

export const BLOCKS = 6
export const TEXT = `# Page\n\n${Array.from({ length: BLOCKS }, (_, at) => `Block ${at} begins.\n`).join('\n')}`

export type Loss = 'request' | 'response' | null

/** A writer with the page open: the text, the state of its saves, and what the browser keeps. */
export class Writer {
  readonly typed: string[] = []
  readonly confirmed = new Set<string>()
  #page: HeadlessPage
  #state = opened
  #kept: string | null = null
  #token: string
  loss: Loss = null
  /** Whether both sides of a conflict were kept, which repeats their common words. */
  hasKeptBoth = false

  private constructor(
    /** The address of the page. */
    readonly address: string,
    readonly caller: Caller,
    source: { markdown: string; git: { oid: string } },
  ) {
    this.#token = caller.token
    this.#page = headlessPage(source.markdown, source.git.oid)
  }

  /** @param of the address of the space or change request */
  static async open(of: string, id: string, caller: Caller): Promise<Writer> {
    const address = `${of}/content/page/${id}/source`
    const { body } = await caller.call('get', address).expect(200)
    return new Writer(address, caller, body)
  }

  /** Types a word behind a block. */
  async type(next_: Random, word: string): Promise<void> {
    const block = next_(BLOCKS)
    const at = this.#page.state.doc.toString().indexOf(`Block ${block} begins.`)
    if (at < 0 || this.#state.phase === 'forbidden') return
    this.#page.edit({ changes: { from: at + `Block ${block} begins.`.length, insert: ` ${word}` } })
    this.typed.push(word)
    this.#kept = this.#page.text.exact()
    await this.#send({ type: 'edited' })
  }

  save = (): Promise<void> => this.#send({ type: 'now' })

  /** Everything is well again: the connection, the session and the role. Saves until all is confirmed. */
  async settle(): Promise<void> {
    this.loss = null
    this.#token = this.caller.token
    for (let tries = 0; isUnsaved(this.#state) && tries < 50; tries++) {
      const { phase } = this.#state
      if (phase === 'signed-out') await this.#send({ type: 'signed-in' })
      // A guest does not see the page, as if it were deleted.
      else if (phase === 'forbidden' || phase === 'gone') await this.#send({ type: 'resolved' })
      else if (phase === 'retrying') await this.#send({ type: 'online' })
      else await this.#send({ type: 'now' })
    }
    assert.is(this.#state.phase, 'clean')
    assert.is(this.#kept, null, 'nothing waits in the browser')
  }

  /** The words that the server has not confirmed. */
  get unconfirmed(): string[] {
    return this.typed.filter((word) => !this.confirmed.has(word))
  }

  signOut(): void {
    this.#token = 'bindery_revoked_0123456789abcdef'
  }

  /** Asserts that each word that the server did not confirm is kept in the browser, or was typed into a kept text. */
  check(): void {
    for (const word of this.unconfirmed) assert.ok(this.#kept?.includes(word), `${word} is kept (${this.#state.phase})`)
  }

  async #send(event: SavingEvent): Promise<void> {
    const { state, effects } = next(this.#state, event)
    this.#state = state
    for (const effect of effects) await this.#run(effect)
    if (!isUnsaved(this.#state)) {
      for (const word of this.typed) this.confirmed.add(word)
      this.#kept = null
    } else this.#kept = this.#page.text.exact()
  }

  async #run({ type }: Effect): Promise<void> {
    if (type === 'save') await this.#save()
    if (type === 'load') await this.#load()
  }

  async #ask(method: 'get' | 'put', body?: object, oid = ''): Promise<{ status: number; body: any }> {
    if (this.loss === 'request') return { status: 0, body: null }
    const headers = { Authorization: `Bearer ${this.#token}`, ...(body ? { 'If-Match': `"${oid}"` } : {}) }
    // A killed server gives no response.
    const { status, body: answer } = await this.caller
      .call(method, this.address, body)
      .set(headers)
      .catch(() => ({ status: 0, body: null }))
    return this.loss === 'response' ? { status: 0, body: null } : { status, body: answer }
  }

  async #save(): Promise<void> {
    const { raw, oid } = this.#page.text.send()
    const { status, body } = await this.#ask('put', { markdown: raw }, oid)
    if (status !== 200) return this.#send({ type: 'failed', status, reason: '' })
    this.#page.text.confirm(body.git.oid)
    await this.#send({ type: 'saved', at: 0 })
  }

  async #load(): Promise<void> {
    const { status, body } = await this.#ask('get')
    if (status !== 200) return this.#send({ type: 'failed', status, reason: '' })
    const result = this.#page.text.receive(body.markdown, body.git.oid)
    await this.#send({ type: 'merged', result, at: this.typed.length * 60_000 })
    if (result !== 'conflict') return
    // The writer keeps both: a person sees each block and joins them.
    this.hasKeptBoth = true
    this.#page.text.decide((this.#page.text.pending?.conflicts ?? []).map(() => 'both' as const))
    await this.#send({ type: 'resolved' })
  }
}
