/**
 * Two writers work in a change request while a commenter comments and suggests, a reviewer accepts and merges, an admin
 * takes roles away and gives them back while pages are open, and the server is killed. Each of them is a separate user.
 * What the server confirmed is in the file, everything else is in the storage of the writer's browser, a merge contains
 * every confirmed text, and no request succeeds that a role no longer allows. After a merge, the writers go on in the next
 * change request.
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

type Role = 'read' | 'comment' | 'edit' | 'review'
const RANKS: readonly Role[] = ['read', 'comment', 'edit', 'review']

/** A user with a role, which the admin may take away. */
interface Person {
  readonly caller: Caller
  /** The role with which the person joined. */
  readonly usual: Role
  /** The role that the server confirmed last; null = a guest, who sees nothing. */
  role: Role | null
}

/** Whether a person's role is sufficient. */
const may = ({ role }: Person, least: Role): boolean => role !== null && RANKS.indexOf(role) >= RANKS.indexOf(least)

/** The status of a request of a person: what it would be, unless the role is not sufficient. */
const answerTo = (person: Person, least: Role, status: number): number =>
  may(person, least) ? status : person.role === null ? 404 : 403

class Story {
  writers: Writer[] = []
  readonly people: Record<'ada' | 'ben' | 'commenter' | 'reviewer', Person>
  /** The words that a reviewer's accepted suggestions added. */
  readonly accepted: string[] = []
  readonly comments: string[] = []
  kills = 0
  merges = 0
  refused = 0
  #request = { id: '', number: 0, at: '' }
  #server: Awaited<ReturnType<typeof startServer>>

  constructor(
    readonly dir: string,
    server: Awaited<ReturnType<typeof startServer>>,
  ) {
    this.#server = server
    const person = (usual: Role): Person => ({ caller: this.#callerOf('', ''), usual, role: usual })
    this.people = { ada: person('edit'), ben: person('edit'), commenter: person('comment'), reviewer: person('review') }
  }

  space = ''
  page = ''

  #callerOf = (user: string, token: string): Caller => ({
    user,
    token,
    call: (method, path, body) => {
      const asked = request(this.#server.url)[method](path).set('Authorization', `Bearer ${token}`)
      return body === undefined ? asked : asked.send(body as object)
    },
  })
  readonly admin: Caller = this.#callerOf('', TOKEN)

  /** Invites a person, who accepts. */
  async #join(name: string, usual: Role): Promise<Person> {
    const invited = { emails: [`${name}@example.org`], role: usual }
    const { body } = await this.admin.call('post', `/v1/orgs/${this.#server.organization}/invites`, invited).expect(200)
    const token = new URL(body.invites[0].urls.invite).hash.slice(1)
    const accepted = await request(this.#server.url).post('/v1/invites/accept').send({ token, displayName: name })
    assert.is(accepted.status, 200, accepted.text)
    const { member, token: own } = accepted.body
    return { caller: this.#callerOf(member.user.id, own.token), usual, role: usual }
  }

  #memberAt = ({ caller }: Person): string => `/v1/orgs/${this.#server.organization}/members/${caller.user}`

  /** Takes a role away, or gives it back. */
  async setRole(person: Person, role: Role | null): Promise<void> {
    await this.admin.call('patch', this.#memberAt(person), { role }).expect(200)
    person.role = role
  }

  /** Takes a user's role away while the page is open, or gives it back. */
  async changeRole(random: Random): Promise<void> {
    const all = Object.values(this.people)
    const without = all.filter(({ role, usual }) => role !== usual)
    // Lost roles usually return soon, so that change requests are merged.
    const person = pick(random, without.length > 0 && random(3) > 0 ? without : all) ?? this.people.ada
    const isUsual = person.role === person.usual
    await this.setRole(person, isUsual ? (pick<Role | null>(random, ['comment', 'read', null]) ?? null) : person.usual)
    if (!isUsual) return
    const { status, text } = await person.caller.call('post', `${this.#request.at}/merge`)
    this.#isAnswer(status, answerTo(person, 'review', 200), text)
  }

  async begin(): Promise<void> {
    for (const [name, { usual }] of Object.entries(this.people))
      Object.assign(this.people, { [name]: await this.#join(name, usual) })
    const { call } = this.admin
    const title = { title: 'Docs' }
    this.space = (await call('post', `/v1/orgs/${this.#server.organization}/spaces`, title).expect(201)).body.id
    const changes = [{ operation: 'insert_page', title: 'Page', ref: 'p', document: { markdown: TEXT } }]
    await call('post', `/v1/spaces/${this.space}/content`, { changes }).expect(200)
    const { pages } = (await call('get', `/v1/spaces/${this.space}/content/pages`).expect(200)).body
    this.page = pages.find((one: Json) => one.title === 'Page').id
    await this.nextRequest()
  }

  async nextRequest(): Promise<void> {
    const { call } = this.admin
    const all = `/v1/spaces/${this.space}/change-requests`
    const { id, number } = (await call('post', all, { subject: 'Text' }).expect(201)).body
    this.#request = { id, number, at: `${all}/${id}` }
    this.comments.length = 0
    await call('patch', this.#request.at, { status: 'open' }).expect(200)
    this.writers = []
    for (const one of [this.people.ada, this.people.ben]) {
      // A guest cannot open the page.
      if (one.role === null) await this.setRole(one, 'read')
      this.writers.push(await Writer.open(this.#request.at, this.page, one.caller))
    }
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
    const { items } = (await this.admin.call('get', `${this.#request.at}/comments?limit=1000`).expect(200)).body
    const kept = new Set(items.map(({ id }: Json) => id))
    for (const id of this.comments) assert.ok(kept.has(id), `comment ${id} survives`)
    for (const person of Object.values(this.people))
      assert.is((await this.admin.call('get', this.#memberAt(person)).expect(200)).body.role, person.role)
  }

  async checkConfirmed(): Promise<void> {
    const text = await this.textOn(`change-requests/${this.#request.number}`)
    const confirmed = this.writers.flatMap((one) => [...one.confirmed])
    for (const word of [...confirmed, ...this.accepted]) assert.ok(text.includes(word), `${word} is in ${text}`)
  }

  /** The blocks of the page, and their sources. */
  async #blocks(): Promise<{ node: string; markdown: string }[]> {
    const at = `${this.#request.at}/content/page/${this.page}`
    const { nodes } = (await this.admin.call('get', `${at}?format=document`).expect(200)).body.document
    const { markdown } = (await this.admin.call('get', `${at}/source`).expect(200)).body
    const lines = (markdown as string).split('\n')
    return nodes.slice(1).map(({ key, data }: Json) => ({ node: key, markdown: lines[data.position.line - 1] }))
  }

  /** The commenter comments on a block, or suggests a text for it, and the reviewer accepts that. */
  async comment(random: Random, step: number, word?: string): Promise<void> {
    const { commenter, reviewer } = this.people
    const { node, markdown } = pick(random, await this.#blocks()) ?? {}
    const suggestion = word === undefined ? {} : { suggestion: { markdown: `${markdown} ${word}` } }
    const about = { page: this.page, node, body: { markdown: `About **${step}**` }, ...suggestion }
    const { status, body, text } = await commenter.caller.call('post', `${this.#request.at}/comments`, about)
    this.#isAnswer(status, answerTo(commenter, 'comment', 200), text)
    if (status !== 200) return
    this.comments.push(body.id)
    if (word === undefined) return
    const accepted = await reviewer.caller.call('post', `${this.#request.at}/comments/${body.id}/accept`)
    this.#isAnswer(accepted.status, answerTo(reviewer, 'edit', 200), accepted.text)
    if (accepted.status === 200) this.accepted.push(word)
    else assert.not.ok((await this.textOn(`change-requests/${this.#request.number}`)).includes(word))
  }

  #isAnswer(status: number, wanted: number, text: string): void {
    assert.is(status, wanted, text)
    if (status === 403 || status === 404) this.refused++
  }

  /** Merges while a writer saves. Unsaved words stay in the browser, and the writers go on. */
  async merge(): Promise<void> {
    const saves = this.writers.map((one) => one.save())
    const { reviewer } = this.people
    const { status, text } = await reviewer.caller.call('post', `${this.#request.at}/merge`)
    await Promise.all(saves)
    this.#isAnswer(status, answerTo(reviewer, 'review', 200), text)
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
    for (const person of Object.values(this.people)) await this.setRole(person, person.usual)
    for (const one of this.writers) await one.settle()
    await this.checkConfirmed()
    const { status, text } = await this.people.reviewer.caller.call('post', `${this.#request.at}/merge`)
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
          [3, () => story.changeRole(random)],
          [step % 8 === 7 ? 20 : 0, () => story.kill(random)],
          [step % 10 === 9 ? 12 : 0, () => story.merge()],
        ])()
        for (const one of story.writers) one.check()
      }
      await story.settle()
      const { kills, merges, refused } = story
      assert.ok(kills > 0 && merges > 0 && refused > 0, `${kills} kills, ${merges} merges, ${refused} refusals`)
    } finally {
      await story.close()
      await rm(dir, { recursive: true, force: true })
    }
  })

test.run()
