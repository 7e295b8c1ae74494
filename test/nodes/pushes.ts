/** A client with a clone that pushes to main and for review, and fetches, each time from another node. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hermeticEnv } from '../support/hermetic-git.js'
import type { Client, Deed, Reader } from './world.js'

const PATIENCE_MS = Number(process.env.NODES_PATIENCE_MS ?? 8_000) * 3

interface Seen {
  code: number | null
  text: string
}

export class Pushes implements Deed {
  readonly weight: number
  readonly #client: Client
  readonly #dir: string
  readonly #space: string
  /** Commits of the clone that no node has acknowledged yet. */
  #waiting: string[] = []
  #acknowledged: string[] = []
  #cloned = false
  readonly #topics: { subject: string; number: number | null }[] = []

  constructor(client: Client, space: string, weight: number) {
    this.#client = client
    this.weight = weight
    this.#space = space
    this.#dir = join(client.world.cluster.dir, client.name.replace(' ', '-'))
  }

  async act(): Promise<void> {
    if (!this.#cloned && !(await this.#clone())) return
    if (this.#client.chance(25)) return this.#review()
    await this.#commit()
    for (let tries = 0; tries < 6 && !this.#client.world.over; tries++) {
      const seen = await this.#git('push', '--porcelain', this.#url(), 'HEAD:refs/heads/main')
      if (seen.code === 0) return this.#taken()
      if (!/fetch first|non-fast-forward|rejected/.test(seen.text)) return this.#client.world.count('pushes open')
      if (!(await this.#pull())) return
    }
  }

  #url(): string {
    return `${this.#client.node().url.replace('://', `://git:${this.#client.asker.token}@`)}/git/${this.#space}.git`
  }

  async #clone(): Promise<boolean> {
    mkdirSync(this.#dir, { recursive: true })
    await this.#git('init', '--quiet', '-b', 'main')
    const seen = await this.#git('fetch', '--quiet', this.#url(), 'refs/heads/main')
    if (seen.code !== 0) return false
    await this.#git('reset', '--quiet', '--hard', 'FETCH_HEAD')
    this.#cloned = true
    return true
  }

  async #commit(): Promise<string> {
    const name = this.#client.world.name('pushed')
    mkdirSync(join(this.#dir, 'pushed'), { recursive: true })
    writeFileSync(join(this.#dir, 'pushed', `${name}.txt`), `${name}\n`)
    await this.#git('add', '.')
    await this.#git('commit', '--quiet', '-m', name)
    const { text } = await this.#git('rev-parse', 'HEAD')
    this.#waiting.push(text.trim())
    return text.trim()
  }

  async #taken(): Promise<void> {
    this.#client.world.count('pushes acknowledged')
    this.#acknowledged.push(...this.#waiting)
    this.#waiting = []
    await this.#look()
  }

  /** Every node returns the pushed commits to a fetch. */
  async #look(): Promise<void> {
    const url = this.#url()
    const seen = await this.#git('fetch', '--quiet', url, 'refs/heads/main')
    if (seen.code !== 0) return
    const last = this.#acknowledged.at(-1)
    if (last === undefined) return
    const { code } = await this.#git('merge-base', '--is-ancestor', last, 'FETCH_HEAD')
    if (code !== 0)
      this.#client.fault(
        `${last} was pushed to main of ${this.#space}, and ${url.replace(/\/\/.*@/, '//')} does not have it`,
      )
  }

  async #pull(): Promise<boolean> {
    const seen = await this.#git('fetch', '--quiet', this.#url(), 'refs/heads/main')
    if (seen.code !== 0) return false
    const merged = await this.#git('merge', '--quiet', '--no-edit', 'FETCH_HEAD')
    if (merged.code !== 0) this.#client.fault(`a merge of main into a clone failed: ${merged.text}`)
    return merged.code === 0
  }

  /** Pushes the clone's head plus one commit as a change request. Afterwards the commit is removed from the clone. */
  async #review(): Promise<void> {
    const before = (await this.#git('rev-parse', 'HEAD')).text.trim()
    const topic = { subject: this.#client.world.name('topic'), number: null as number | null }
    await this.#git('commit', '--quiet', '--allow-empty', '-m', topic.subject)
    this.#topics.push(topic)
    const seen = await this.#git(
      'push',
      this.#url(),
      'HEAD:refs/for/main',
      '-o',
      `topic=${topic.subject}`,
      '-o',
      `title=${topic.subject}`,
    )
    const number = /change-requests\/(\d+)\b/.exec(seen.text)?.[1]
    if (seen.code === 0 && number !== undefined) topic.number = Number(number)
    else if (seen.code === 0)
      this.#client.fault(`a push for review was taken, and no change request was named: ${seen.text}`)
    this.#client.world.count(seen.code === 0 ? 'reviews acknowledged' : 'reviews open')
    await this.#git('reset', '--quiet', '--hard', before)
    if (seen.code !== 0) return
    await this.#client.everywhere(`/v1/spaces/${this.#space}/change-requests/${topic.number}`, ({ subject }, where) => {
      if (subject !== topic.subject)
        this.#client.fault(
          `${topic.subject} (${topic.number}) is called ${subject} at ${where}; git said: ${seen.text}`,
        )
    })
  }

  async check(reader: Reader): Promise<void> {
    const list = await reader.list(`/v1/spaces/${this.#space}/change-requests`)
    for (const { subject, number } of this.#topics) {
      const found = list.filter((one) => one.subject === subject)
      if (found.length > 1 || (number !== null && found[0]?.number !== number))
        reader.fault(`${subject} (${number}) is there as ${found.map((one) => one.number)}`)
    }
    if (this.#acknowledged.length === 0) return
    const node = this.#client.world.cluster.nodes.find(({ name }) => name === reader.node)
    const url = `${node?.url.replace('://', `://git:${this.#client.asker.token}@`)}/git/${this.#space}.git`
    const seen = await this.#git('fetch', '--quiet', url, 'refs/heads/main')
    if (seen.code !== 0) return reader.fault(`cannot be fetched from: ${seen.text}`)
    const commits = new Set((await this.#git('rev-list', 'FETCH_HEAD')).text.split('\n'))
    for (const commit of this.#acknowledged)
      if (!commits.has(commit)) reader.fault(`the pushed ${commit} is not on main of ${this.#space}`)
  }

  #git(...args: string[]): Promise<Seen> {
    const started = performance.now()
    const child = spawn('git', args, {
      cwd: this.#dir,
      env: hermeticEnv,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    // Includes its child processes: one that talks to an unreachable node would keep the pipes open forever.
    const timer = setTimeout(() => endAll(child.pid as number), PATIENCE_MS)
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (text += part.toString()))
    return new Promise((done) =>
      child.on('close', (code) => {
        clearTimeout(timer)
        const [verb = ''] = args
        if (['push', 'fetch'].includes(verb))
          this.#judge(verb, args, { code, text }, Math.round(performance.now() - started))
        done({ code, text })
      }),
    )
  }

  #judge(verb: string, args: readonly string[], { code, text }: Seen, ms: number): void {
    const what = `${this.#client.name} git ${verb} ${args.find((one) => one.includes('/git/'))?.replace(/\/\/.*@/, '//')}: ${code} (${ms} ms)`
    this.#client.world.cluster.judge.trace(what)
    const error = /returned error: (\d+)/.exec(text)?.[1]
    if (error !== undefined && error !== '503') this.#client.fault(`${what}: ${text}`)
    if (code !== 0 && /not our ref|corrupt|unable to read|Internal/i.test(text)) this.#client.fault(`${what}: ${text}`)
  }
}

function endAll(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // all have just ended
  }
}
