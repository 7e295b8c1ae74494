/**
 * Two writers work in a change request while a reviewer comments, suggests, accepts and merges, and while the server is
 * killed. What the server confirmed is in the file, everything else is in the storage of the writer's browser, and a merge
 * contains every confirmed text. After a merge, the writers go on in the next change request.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { type Reach, startServer, TOKEN } from '../races/server-process.js'
import { pick, pickWeighted, type Random, randomOfStep } from '../simulation/two-sided/random.js'
import { git } from '../support/hermetic-git.js'
import type { Caller } from '../support/service.js'
import { seeds, size } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { TEXT, Writer } from './writer.js'

const STEPS = size(30, 150)

const test = suite('desk/killed-writers')

/** A response body of the API. */
type Json = any

class Story {
  writers: Writer[] = []
  /** The words that a reviewer's accepted suggestions added. */
  readonly accepted: string[] = []
  readonly comments: string[] = []
  kills = 0
  merges = 0
  #request = { id: '', number: 0, at: '' }
  #server: Awaited<ReturnType<typeof startServer>>

  constructor(
    readonly dir: string,
    server: Awaited<ReturnType<typeof startServer>>,
  ) {
    this.#server = server
  }

  space = ''
  page = ''

  readonly caller: Caller = {
    user: '',
    token: TOKEN,
    call: (method, path, body) => {
      const asked = request(this.#server.url)[method](path).set('Authorization', `Bearer ${TOKEN}`)
      return body === undefined ? asked : asked.send(body as object)
    },
  }

  async begin(): Promise<void> {
    const { call } = this.caller
    const title = { title: 'Docs' }
    this.space = (await call('post', `/v1/orgs/${this.#server.organization}/spaces`, title).expect(201)).body.id
    const changes = [{ operation: 'insert_page', title: 'Page', ref: 'p', document: { markdown: TEXT } }]
    await call('post', `/v1/spaces/${this.space}/content`, { changes }).expect(200)
    const { pages } = (await call('get', `/v1/spaces/${this.space}/content/pages`).expect(200)).body
    this.page = pages.find((one: Json) => one.title === 'Page').id
    await this.nextRequest()
  }

  async nextRequest(): Promise<void> {
    const { call } = this.caller
    const all = `/v1/spaces/${this.space}/change-requests`
    const { id, number } = (await call('post', all, { subject: 'Text' }).expect(201)).body
    this.#request = { id, number, at: `${all}/${id}` }
    this.comments.length = 0
    await call('patch', this.#request.at, { status: 'open' }).expect(200)
    const open = () => Writer.open(this.#request.at, this.page, this.caller)
    this.writers = [await open(), await open()]
  }

  textOn(ref: string): Promise<string> {
    return git(join(this.dir, 'repos', `${this.space}.git`), ['show', `${ref}:page.md`])
  }

  /** Kills the server while a writer saves. */
  async kill(random: Random): Promise<void> {
    const saves = this.writers.map((one) => one.save())
    if (random(2) === 0) await Promise.race(saves)
    await this.#server.kill(pick<Reach>(random, ['server', 'group', 'tree']) ?? 'server')
    await Promise.all(saves)
    this.#server = await startServer(this.dir)
    this.kills++
    await this.checkConfirmed()
    const { items } = (await this.caller.call('get', `${this.#request.at}/comments?limit=1000`).expect(200)).body
    const kept = new Set(items.map(({ id }: Json) => id))
    for (const id of this.comments) assert.ok(kept.has(id), `comment ${id} survives`)
  }

  async checkConfirmed(): Promise<void> {
    const text = await this.textOn(`change-requests/${this.#request.number}`)
    const confirmed = this.writers.flatMap((one) => [...one.confirmed])
    for (const word of [...confirmed, ...this.accepted]) assert.ok(text.includes(word), `${word} is in ${text}`)
  }

  /** The blocks of the page, and their sources. */
  async #blocks(): Promise<{ node: string; markdown: string }[]> {
    const at = `${this.#request.at}/content/page/${this.page}`
    const { nodes } = (await this.caller.call('get', `${at}?format=document`).expect(200)).body.document
    const { markdown } = (await this.caller.call('get', `${at}/source`).expect(200)).body
    const lines = (markdown as string).split('\n')
    return nodes.slice(1).map(({ key, data }: Json) => ({ node: key, markdown: lines[data.position.line - 1] }))
  }

  /** Comments on a block, or suggests a text for it and accepts that. */
  async comment(random: Random, step: number, word?: string): Promise<void> {
    const { call } = this.caller
    const { node, markdown } = pick(random, await this.#blocks()) ?? {}
    const suggestion = word === undefined ? {} : { suggestion: { markdown: `${markdown} ${word}` } }
    const about = { page: this.page, node, body: { markdown: `About **${step}**` }, ...suggestion }
    const { body } = await call('post', `${this.#request.at}/comments`, about).expect(200)
    this.comments.push(body.id)
    if (word === undefined) return
    await call('post', `${this.#request.at}/comments/${body.id}/accept`).expect(200)
    this.accepted.push(word)
  }

  /** Merges while a writer saves. Unsaved words stay in the browser, and the writers go on. */
  async merge(): Promise<void> {
    const saves = this.writers.map((one) => one.save())
    const { status, text } = await this.caller.call('post', `${this.#request.at}/merge`)
    await Promise.all(saves)
    assert.ok(status < 500, text)
    if (status !== 200) return
    this.merges++
    const main = await this.textOn('main')
    for (const one of this.writers) {
      one.check()
      for (const word of one.confirmed) assert.ok(main.includes(word), `${word} is in ${main}`)
    }
    await this.nextRequest()
  }

  async settle(): Promise<void> {
    for (const one of this.writers) await one.settle()
    await this.checkConfirmed()
    const { status, text } = await this.caller.call('post', `${this.#request.at}/merge`)
    assert.is(status, 200, text)
    const main = await this.textOn('main')
    for (const word of [...this.writers.flatMap(({ typed }) => typed), ...this.accepted])
      assert.ok(main.includes(word), `${word} is in ${main}`)
    await git(join(this.dir, 'repos', `${this.space}.git`), ['fsck', '--strict'])
  }

  close = (): Promise<void> => this.#server.kill('tree')
}

for (const seed of seeds(1, 10))
  test(`what the server confirmed is in the merge, whatever is killed (seed ${seed})`, async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bindery-killed-writers-'))
    const story = new Story(dir, await startServer(dir))
    try {
      await story.begin()
      for (let step = 0; step < STEPS; step++) {
        const random = randomOfStep(seed, step)
        const writer = story.writers[random(2)] as Writer
        await pickWeighted<() => unknown>(random, [
          [8, () => writer.type(random, `w${step}x`)],
          [5, () => writer.save()],
          [2, () => void (writer.loss = (['request', 'response', null] as const)[random(3)] ?? null)],
          [2, () => story.comment(random, step)],
          [3, () => story.comment(random, step, `s${step}x`)],
          [step % 8 === 7 ? 20 : 0, () => story.kill(random)],
          [step % 10 === 9 ? 12 : 0, () => story.merge()],
        ])()
        for (const one of story.writers) one.check()
      }
      await story.settle()
      assert.ok(story.kills > 0 && story.merges > 0, `${story.kills} kills, ${story.merges} merges`)
    } finally {
      await story.close()
      await rm(dir, { recursive: true, force: true })
    }
  })

test.run()
