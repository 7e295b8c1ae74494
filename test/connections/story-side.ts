/**
 * One space of the two-sided story with its folder of a repository: changes on both sides, and the texts expected at
 * the end.
 */
import { join } from 'node:path'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { signed } from '../hosts/delivery-fixtures.js'
import { git } from '../support/hermetic-git.js'
import type { ConnectedSpaces, Repository, Served } from './connected.js'

const USER = 'x-access-token'
/** The push webhooks that hosts send. */
const PUSHED = JSON.stringify({ ref: 'refs/heads/main', after: 'a'.repeat(40) })

export class Side {
  /** Path in the space → the text that both sides must have at the end. */
  readonly texts = new Map<string, string>()
  /** Paths that both sides changed. The resolution decides. */
  readonly contested = new Set<string>()
  /** Pages that both sides had when they were last up to date. */
  settled: string[] = []
  paused = false
  /** The last commit of people on the remote, with its only file. It can be taken back until another commit follows. */
  #last: { commit: string; path: string } | undefined

  private constructor(
    readonly here: ConnectedSpaces<Served>,
    readonly name: string,
    readonly space: string,
    readonly base: string,
    readonly secret: string,
    readonly theirs: Repository,
    readonly folder: string,
  ) {}

  /** Connects a new space to a folder of a repository ('' = the whole repository). */
  static async of(here: ConnectedSpaces<Served>, theirs: Repository, folder: string, password: string): Promise<Side> {
    const space = await here.space()
    const { base, webhookSecret } = await here.connect(space, {
      url: theirs.url,
      provider: 'github',
      credential: { kind: 'token', token: password },
      ...(folder === '' ? {} : { repoProjectDirectory: folder }),
    })
    return new Side(here, folder || 'whole', space, base, webhookSecret, theirs, folder)
  }

  async write(number: number): Promise<void> {
    await this.here.write(this.space, `Ours ${number}`, `# Ours ${number}\n`)
    this.texts.set(`ours-${number}.md`, `# Ours ${number}`)
  }

  /** A member writes a page, and `kill` ends the server in the middle. Only acknowledged pages must exist. */
  async writeWhile(number: number, kill: () => Promise<void>): Promise<void> {
    const path = `ours-${number}.md`
    const written = this.write(number).then(
      () => true,
      () => false,
    )
    await kill()
    if (!(await written) && (await this.here.files(this.space))[path] !== undefined)
      this.texts.set(path, `# Ours ${number}`)
  }

  async commit(number: number): Promise<void> {
    const path = `theirs-${number}.md`
    this.#last = { commit: await this.#commit(path, `# Theirs ${number}`), path }
  }

  /** People on the remote change one of their pages. No one changes it here. */
  async editThere(number: number): Promise<void> {
    const path = this.#page('theirs-')
    if (path !== undefined) await this.#commit(path, `# Again ${number}`)
  }

  /** A member changes a page that was written here. */
  async editHere(number: number): Promise<void> {
    const path = this.#page('ours-')
    if (path === undefined) return
    await this.#update(path, `# Anew ${number}`)
    this.texts.set(path, `# Anew ${number}`)
  }

  /** Both sides change the same line. Neither version wins automatically. */
  async clash(number: number): Promise<void> {
    const path = this.settled[number % Math.max(1, this.settled.length)]
    if (path === undefined || this.contested.has(path)) return
    await this.#update(path, `# Here ${number}`)
    await this.#commit(path, `# There ${number}`)
    this.contested.add(path)
  }

  /** A member resolves the conflicts that are known so far. Returns whether there were any. */
  async resolve(number: number): Promise<boolean> {
    const { admin } = this.here.service
    const { failure } = (await this.here.get(this.base)) as unknown as {
      failure?: { cause: string; changeRequest?: string }
    }
    if (failure?.cause !== 'conflict' || failure.changeRequest === undefined) return false
    const path = `/v1/spaces/${this.space}/change-requests/${failure.changeRequest}`
    const { status } = (await admin.call('get', path).expect(200)).body
    if (status !== 'open' && status !== 'draft') return false
    const conflicts: { path: string }[] = (await admin.call('get', `${path}/conflicts`).expect(200)).body.items
    const resolve = conflicts.map((one) => ({ path: one.path, content: `# Both ${number}\n` }))
    await admin.call('post', `${path}/update`, resolve.length > 0 ? { resolve } : {}).expect(200)
    await admin.call('post', `${path}/merge`).expect(200)
    for (const one of conflicts) {
      this.texts.set(one.path, `# Both ${number}`)
      this.contested.delete(one.path)
    }
    return true
  }

  /** Rewords or takes back the last commit on the remote. Does nothing if another commit follows it. */
  async force(number: number): Promise<void> {
    const last = this.#last
    this.#last = undefined
    if (last === undefined || (await this.theirs.head()) !== last.commit) return
    const parent = await git(this.theirs.path, ['rev-parse', `${last.commit}^`])
    if (number % 2 === 0) {
      const again = await git(this.theirs.path, [
        'commit-tree',
        `${last.commit}^{tree}`,
        '-p',
        parent,
        '-m',
        `Other words ${number}`,
      ])
      await git(this.theirs.path, ['update-ref', 'refs/heads/main', again, last.commit]).catch(() => undefined)
      return
    }
    // If an export comes between, the commit stays.
    const taken = await git(this.theirs.path, ['update-ref', 'refs/heads/main', parent, last.commit]).then(
      () => true,
      () => false,
    )
    if (!taken) return
    this.texts.delete(last.path)
    this.settled = this.settled.filter((path) => path !== last.path)
  }

  /** The host sends a push delivery, maybe several times, maybe for an old push. */
  async deliver(times: number): Promise<void> {
    const id = this.base.split('/').at(-1)
    for (let time = 0; time < times; time++) {
      const { status } = await request(this.here.service.url)
        .post(`/v1/git/webhooks/${id}`)
        .set({
          'content-type': 'application/json',
          'x-github-event': 'push',
          'x-github-delivery': 'always-the-same',
          ...signed.github(PUSHED, this.secret),
        })
        .send(PUSHED)
      assert.is(status, 202)
    }
  }

  async pause(): Promise<void> {
    await this.here.service.admin.call('post', `${this.base}/${this.paused ? 'resume' : 'pause'}`).expect(200)
    this.paused = !this.paused
  }

  async renew(password: string): Promise<void> {
    await this.here.service.admin
      .call('patch', this.base, { credential: { kind: 'token', token: password } })
      .expect(200)
  }

  /**
   * Checks that both sides have the same files with every written text, that nothing waits, and that nothing has
   * failed.
   */
  async check(told: string): Promise<void> {
    const when = `${this.name}: ${told}`
    const state = await this.here.get(this.base)
    assert.is(state.failure, undefined, `${when}: ${JSON.stringify(state.failure)}`)
    const files = await this.here.files(this.space)
    assert.equal(await this.#filesThere(), files, when)
    assert.equal([...this.contested], [], `${when}: collided without a conflict`)
    assert.equal(
      Object.fromEntries([...this.texts].map(([path]) => [path, files[path]])),
      Object.fromEntries(this.texts),
      when,
    )
    const kept = Object.keys(files).filter((path) => path.startsWith('theirs-') || path.startsWith('ours-'))
    assert.equal(kept.sort(), [...this.texts.keys()].sort(), `${when}: nothing more`)
    // Files that people commit on the remote are not in the table of contents, and cannot be edited as pages here.
    const listed = new Set((await this.#pages()).map((one) => `${one.path}.md`))
    this.settled = kept.filter((path) => listed.has(path))
  }

  /** The repository of the space. */
  get repository(): string {
    return join(this.here.service.dir, 'repos', `${this.space}.git`)
  }

  static login = (password: string): { username: string; password: string } => ({ username: USER, password })

  #page(kind: string): string | undefined {
    return [...this.texts.keys()].filter((path) => path.startsWith(kind) && !this.contested.has(path)).at(-1)
  }

  async #commit(path: string, text: string): Promise<string> {
    const commit = await this.theirs.commit({ [this.folder === '' ? path : `${this.folder}/${path}`]: `${text}\n` })
    this.texts.set(path, text)
    return commit
  }

  async #update(path: string, text: string): Promise<void> {
    const { admin } = this.here.service
    const pages = await this.#pages()
    const page = pages.find((one) => `${one.path}.md` === path)?.id
    assert.ok(page, `${this.name} has no page ${path}, but ${pages.map((one) => one.path)}`)
    const changes = [{ operation: 'update_page', page, document: { markdown: `${text}\n` } }]
    await admin.call('post', `/v1/spaces/${this.space}/content`, { changes }).expect(200)
  }

  async #pages(): Promise<{ id: string; path: string }[]> {
    return (await this.here.service.admin.call('get', `/v1/spaces/${this.space}/content/pages`).expect(200)).body.pages
  }

  async #filesThere(): Promise<Record<string, string>> {
    return this.here.remoteFiles(this.theirs, this.folder === '' ? 'refs/heads/main' : `refs/heads/main:${this.folder}`)
  }
}
