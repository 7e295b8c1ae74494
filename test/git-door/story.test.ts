import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { PlainGit } from '../races/plain-git.js'
import { hermeticEnv } from '../support/hermetic-git.js'
import { type Caller, startService } from '../support/service.js'
import { pickWeighted, random } from '../simulation/two-sided/random.js'
import { suiteWith } from '../support/suite.js'
import { Clone, newSpace } from './fixture.js'

const SEEDS = Number(process.env.PUSH_SEEDS ?? 1)
const STEPS = Number(process.env.PUSH_STEPS ?? 16)
const FIRST = Number(process.env.PUSH_SEED ?? 1)

const [test, here] = await suiteWith('a story of pushes', startService)

/** A member with a clone, and whether their push may be accepted now. */
interface Person {
  caller: Caller
  clone: Clone
  may: boolean
  topics: number
  lines: number
}

/** One space, its writers, and the acknowledged pushes. */
class Story {
  readonly told: string[] = []
  /** Commits that a ref must contain. Archived ones stay on their branch. */
  readonly acknowledged = new Map<string, string>()
  /** Commits that must never be on any branch. */
  readonly forbidden = new Set<string>()
  edits = 0
  locked = false

  private constructor(
    readonly space: string,
    readonly git: PlainGit,
    readonly people: Person[],
    readonly pages: Map<string, string>,
    /** The commit that rollbacks return to. */
    readonly first: string,
  ) {}

  static async begin(): Promise<Story> {
    const space = await newSpace(here)
    const people: Person[] = []
    for (const name of ['ada', 'ben']) {
      const caller = await here.caller('edit')
      people.push({ caller, clone: await Clone.of(here, space, caller, name), may: true, topics: 0, lines: 0 })
    }
    const { body } = await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)
    const pages = new Map<string, string>(body.pages.map(({ path, id }: { path: string; id: string }) => [path, id]))
    const plain = new PlainGit(join(here.dir, 'repos', `${space}.git`))
    return new Story(space, plain, people, pages, await plain.run(['rev-parse', 'main']))
  }

  /** Adds a line to this person's own file, on top of the current main. */
  async write(person: Person, who: number): Promise<string> {
    const { clone } = person
    await clone.git('fetch', '--quiet', 'origin', 'main')
    await clone.git('checkout', '--quiet', '--detach', 'origin/main')
    return clone.commit(
      { [`notes/${who}-${++person.lines}.md`]: `# Note ${person.lines}\n` },
      `Note ${person.lines} of ${who}`,
    )
  }

  /** Pushes, and records the response. */
  async push(person: Person, commit: string, to: string, branch: string | null): Promise<boolean> {
    const { code, text } = await person.clone.see('push', 'origin', `${commit}:${to}`)
    this.told.push(`push ${commit.slice(0, 8)} ${to}: ${code}`)
    if (code === 0) {
      assert.ok(person.may && !this.locked, `a push counted that must not: ${text}`)
      this.acknowledged.set(
        commit,
        branch ?? (/(change-requests\/\d+)/.exec(text.slice(text.indexOf('->')))?.[1] as string),
      )
    } else if (!person.may || this.locked) this.forbidden.add(commit)
    return code === 0
  }

  requests = async (status: string) =>
    (await here.admin.call('get', `/v1/spaces/${this.space}/change-requests?status=${status}&limit=1000`).expect(200))
      .body.items

  /** Checks the invariants after every step. */
  async judge(): Promise<void> {
    const all: { number: number; status: string; revision: string }[] = []
    for (const status of ['draft', 'open', 'archived', 'merged']) all.push(...(await this.requests(status)))
    const lines = (await this.git.run(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/'])).split('\n')
    const refs = new Map(lines.map((line) => line.split(' ') as [string, string]))
    for (const { number, revision } of all)
      assert.is(refs.get(`refs/heads/change-requests/${number}`), revision, `the branch of ${number}`)
    assert.is(refs.size, all.length + 1, 'branches without a document')
    const main = await this.git.commits('refs/heads/main')
    const reachable = new Set((await this.git.run(['rev-list', '--branches'])).split('\n'))
    for (const [commit, where] of this.acknowledged)
      assert.ok((where === 'main' ? main : reachable).has(commit), `${commit} is not on ${where}`)
    for (const commit of this.forbidden) assert.not.ok(reachable.has(commit), `${commit} was pushed without the right`)
    const { body } = await here.admin.call('get', `/v1/spaces/${this.space}/content/pages`).expect(200)
    const now = new Map(body.pages.map(({ path, id }: { path: string; id: string }) => [path, id]))
    for (const [path, id] of this.pages) assert.is(now.get(path), id, `the ID of ${path}`)
  }

  /** The client is killed at some point of the push. After another push, there is one change request anyway. */
  async cut(person: Person, commit: string, topic: string, ms: number): Promise<void> {
    const child = spawn('git', ['push', 'origin', `${commit}:refs/for/main/${topic}`], {
      cwd: person.clone.dir,
      env: hermeticEnv,
      stdio: 'ignore',
      detached: true,
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    await Promise.race([ended, wait(ms)])
    try {
      process.kill(-(child.pid as number), 'SIGKILL')
    } catch {
      // it has ended before the kill
    }
    await ended
    if (!(await this.push(person, commit, `refs/for/main/${topic}`, null))) return
    const holding = (await this.requests('open')).filter(({ revision }: { revision: string }) => revision === commit)
    assert.is(holding.length, 1, `${holding.length} change requests hold ${commit}`)
  }
}

type Kind =
  | 'topic'
  | 'again'
  | 'main'
  | 'number'
  | 'force'
  | 'cut'
  | 'edit'
  | 'merge'
  | 'archive'
  | 'update'
  | 'rollback'
  | 'lock'
  | 'role'
  | 'token'
  | 'admin'
  | 'restart'
const KINDS: [number, Kind][] = [
  [4, 'topic'],
  [3, 'again'],
  [4, 'main'],
  [2, 'number'],
  [1, 'force'],
  [2, 'cut'],
  [2, 'edit'],
  [2, 'merge'],
  [1, 'archive'],
  [1, 'update'],
  [1, 'rollback'],
  [2, 'lock'],
  [2, 'role'],
  [1, 'token'],
  [2, 'admin'],
  [1, 'restart'],
]

async function step(story: Story, kind: Kind, who: number, next: (below: number) => number): Promise<void> {
  const person = story.people[who] as Person
  const base = `/v1/spaces/${story.space}`
  const open = await story.requests('open')
  const chosen = open.length === 0 ? null : open[next(open.length)]
  switch (kind) {
    case 'topic':
      await story.push(person, await story.write(person, who), `refs/for/main/topic-${++person.topics}`, null)
      return
    case 'again': {
      // Two commits of one topic, one after the other: one change request.
      const topic = `refs/for/main/topic-${++person.topics}`
      const before = (await story.requests('open')).length
      const first = await story.push(person, await story.write(person, who), topic, null)
      const second = await story.push(
        person,
        await person.clone.commit({ [`notes/${who}-more.md`]: `# ${person.topics}\n` }),
        topic,
        null,
      )
      assert.is(
        (await story.requests('open')).length,
        before + (first || second ? 1 : 0),
        'one topic is one change request',
      )
      return
    }
    case 'main':
      await story.push(person, await story.write(person, who), 'refs/heads/main', 'main')
      return
    case 'number':
      if (!chosen) return
      await person.clone.git('fetch', '--quiet', 'origin', `change-requests/${chosen.number}`).catch(() => {})
      await person.clone.see('checkout', '--quiet', '--detach', chosen.revision)
      await story.push(
        person,
        await person.clone.commit({ [`notes/${who}-n.md`]: `# ${++person.lines}\n` }),
        `refs/heads/change-requests/${chosen.number}`,
        `change-requests/${chosen.number}`,
      )
      return
    case 'force': {
      const main = await story.git.run(['rev-parse', 'main'])
      const seen = await person.clone.see('push', '--force', 'origin', 'refs/remotes/origin/main~1:refs/heads/main')
      assert.is(seen.code === 0, false, seen.text)
      assert.is(await story.git.run(['rev-parse', 'main']), main)
      return
    }
    case 'cut':
      if (person.may && !story.locked)
        await story.cut(person, await story.write(person, who), `topic-${++person.topics}`, 10 + next(400))
      return
    case 'edit': {
      const change = {
        operation: 'update_page',
        page: story.pages.get('guide'),
        document: { markdown: `# Guide\n\nEdit ${++story.edits}.\n` },
      }
      await here.admin.call('post', `${base}/content`, { changes: [change] }).expect(story.locked ? 423 : 200)
      return
    }
    case 'merge':
    case 'update':
      if (chosen) await here.admin.call('post', `${base}/change-requests/${chosen.id}/${kind}`)
      return
    case 'archive':
      if (chosen)
        await here.admin.call('patch', `${base}/change-requests/${chosen.id}`, { status: 'archived' }).expect(200)
      return
    case 'rollback':
      await here.admin.call('post', `${base}/rollback`, { revision: story.first })
      return
    case 'lock':
      story.locked = !story.locked
      await here.admin.call('patch', base, { editMode: story.locked ? 'locked' : 'live' }).expect(200)
      return
    case 'role':
      person.may = !person.may
      await here.admin
        .call('patch', `/v1/orgs/${here.organization}/members/${person.caller.user}`, {
          role: person.may ? 'edit' : 'read',
        })
        .expect(200)
      return
    case 'token': {
      // The old token is no longer valid. A new one replaces it.
      const { body: made } = await person.caller.call('post', '/v1/user/tokens', { label: 'next' }).expect(201)
      const { body: all } = await person.caller.call('get', '/v1/user/tokens').expect(200)
      for (const { id } of all.items)
        if (id !== made.id)
          await person.caller
            .call('delete', `/v1/user/tokens/${id}`)
            .expect((response) => assert.ok([204, 401].includes(response.status)))
      const seen = await person.clone.see('push', 'origin', 'HEAD:refs/for/main/revoked')
      assert.is(seen.code === 0, false, 'a revoked token pushed')
      const url = person.clone.origin.replace(person.caller.token, made.token)
      await person.clone.git('remote', 'set-url', 'origin', url)
      const call: Caller['call'] = (method, path, sent) => {
        const asked = request(here.url)[method](path).set('Authorization', `Bearer ${made.token}`)
        return sent === undefined ? asked : asked.send(sent as object)
      }
      Object.assign(person.caller, { token: made.token, call })
      Object.assign(person.clone, { origin: url })
      return
    }
    case 'admin':
      await story.git.addFile('refs/heads/main', `admin-${next(1_000_000)}.md`, '# By hand\n')
      return
    case 'restart':
      await here.restart()
      for (const { clone, caller } of story.people) {
        const url = `${here.url.replace('http://', `http://git:${caller.token}@`)}/git/${story.space}.git`
        await clone.git('remote', 'set-url', 'origin', url)
        Object.assign(clone, { origin: url })
      }
  }
}

for (let seed = FIRST; seed < FIRST + SEEDS; seed++)
  test(
    `no acknowledged push is lost or unauthorized in ${STEPS} steps, seed ${seed}`,
    async () => {
      const story = await Story.begin()
      const next = random(seed)
      try {
        for (let at = 0; at < STEPS; at++) {
          const kind = pickWeighted(next, KINDS)
          const who = next(story.people.length)
          story.told.push(`${at}: ${kind} by ${who}`)
          await step(story, kind, who, next)
          await story.judge()
        }
        assert.is(await story.git.fsck(), '')
        assert.ok(story.acknowledged.size > 0, 'no push was ever taken')
      } catch (error) {
        console.log(`git-door/story: seed ${seed}\n${story.told.join('\n')}`)
        throw error
      } finally {
        for (const { caller } of story.people)
          await here.admin.call('patch', `/v1/orgs/${here.organization}/members/${caller.user}`, { role: 'edit' })
      }
    },
    { timeoutMs: 580_000 },
  )

test.run()
