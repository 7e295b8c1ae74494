/**
 * Two writers and a person with plain Git work on one page at the same time, through the editor's own state machine:
 * responses and requests are lost, sessions are revoked, roles end and return, and the server restarts. No text that the
 * server confirmed is lost, every other text is in the storage of its writer's browser, and no text appears twice unless a
 * writer kept both sides of a conflict.
 */
import * as assert from 'uvu/assert'
import { type Effect, isUnsaved, next, opened, type SavingEvent } from '../../src/desk/editor/saving.js'
import { type Desk, openDesk } from '../commits/fixture.js'
import { type Random, pickWeighted, randomOfStep } from '../simulation/two-sided/random.js'
import { type Caller, startService } from '../support/service.js'
import { seeds, size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { type HeadlessPage, headlessPage } from './headless-page.js'

const [test, here] = await suiteWith('desk/hostile-writers', startService)

const STEPS = size(25, 200)
const BLOCKS = 6
const TEXT = `# Page\n\n${Array.from({ length: BLOCKS }, (_, at) => `Block ${at} begins.\n`).join('\n')}`
type Loss = 'request' | 'response' | null

/** A writer with the page open: the text, the state of its saves, and what the browser keeps. */
class Writer {
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
    readonly desk: Desk,
    readonly id: string,
    readonly caller: Caller,
    source: { markdown: string; git: { oid: string } },
  ) {
    this.#token = caller.token
    this.#page = headlessPage(source.markdown, source.git.oid)
  }

  static async open(desk: Desk, id: string, caller: Caller): Promise<Writer> {
    const { body } = await caller.call('get', `${desk.url}/content/page/${id}/source`).expect(200)
    return new Writer(desk, id, caller, body)
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
      else if (phase === 'forbidden') await this.#send({ type: 'resolved' })
      else if (phase === 'retrying') await this.#send({ type: 'online' })
      else await this.#send({ type: 'now' })
    }
    assert.is(this.#state.phase, 'clean')
    assert.is(this.#kept, null, 'nothing waits in the browser')
  }

  signOut(): void {
    this.#token = 'bindery_revoked_0123456789abcdef'
  }

  /** Asserts that each word that the server did not confirm is kept in the browser, or was typed into a kept text. */
  check(): void {
    for (const word of this.typed)
      if (!this.confirmed.has(word)) assert.ok(this.#kept?.includes(word), `${word} is kept (${this.#state.phase})`)
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
    const path = `${this.desk.url}/content/page/${this.id}/source`
    const headers = { Authorization: `Bearer ${this.#token}`, ...(body ? { 'If-Match': `"${oid}"` } : {}) }
    const { status, body: answer } = await this.caller.call(method, path, body).set(headers)
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

for (const seed of seeds(2, 20))
  test(`no confirmed text is lost, and every other one is kept (seed ${seed})`, async () => {
    const desk = await openDesk(here, { 'page.md': TEXT, 'SUMMARY.md': '* [Page](page.md)\n' })
    const id = await desk.id('page')
    const callers = [await here.caller('edit'), await here.caller('edit')]
    const writers = await Promise.all(callers.map((caller) => Writer.open(desk, id, caller)))
    const byHand: string[] = []
    const role = async (writer: Writer, to: string): Promise<unknown> =>
      here.admin.call('patch', `/v1/orgs/${here.organization}/members/${writer.caller.user}`, { role: to }).expect(200)
    for (let step = 0; step < STEPS; step++) {
      const random = randomOfStep(seed, step)
      const writer = writers[random(writers.length)] as Writer
      await pickWeighted<() => unknown>(random, [
        [8, () => writer.type(random, `w${step}x`)],
        [6, () => writer.save()],
        [2, () => void (writer.loss = (['request', 'response', null] as const)[random(3)] ?? null)],
        [1, () => writer.signOut()],
        [1, () => role(writer, random(2) === 0 ? 'read' : 'edit')],
        [
          2,
          async () => {
            const word = `h${step}x`
            const text = (await desk.file('page.md')) ?? ''
            await desk.human({ 'page.md': text.replace(`Block ${random(BLOCKS)} begins.`, (all) => `${all} ${word}`) })
            if ((await desk.file('page.md'))?.includes(word)) byHand.push(word)
          },
        ],
        [step % 10 === 9 ? 2 : 0, () => here.restart()],
      ])()
      for (const one of writers) one.check()
    }
    for (const one of writers) {
      await role(one, 'edit')
      await one.settle()
    }
    const text = (await desk.file('page.md')) ?? ''
    for (const word of [...byHand, ...writers.flatMap(({ typed }) => typed)]) {
      const times = text.split(new RegExp(`\\b${word}\\b`)).length - 1
      assert.ok(times >= 1, `${word} is in ${text}`)
      if (!writers.some((one) => one.hasKeptBoth)) assert.is(times, 1, `${word} is once in ${text}`)
    }
    await desk.git('fsck', '--strict')
  })

test.run()
