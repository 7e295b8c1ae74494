/**
 * The world of a story: a space on a server that can be killed, a repository behind smart HTTP with pull requests, and
 * the account of both.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KillableSpaces, startKillable } from '../../connections/killed-server.js'
import { git } from '../../support/hermetic-git.js'
import { startGitHub } from '../../support/hosts/github.js'
import type { HostServer } from '../../support/hosts/host-server.js'
import { backBy } from '../../support/hosts/real-repository.js'
import { Account, Side } from './acts.js'
import { Fault } from './fault.js'
import { newPage, pathOf, SECTIONS, SUMMARY, withEntry } from './pages.js'
import { Bare, Clone, type Snapshot } from './repository.js'

export const MAIN = 'main'
export const DOCS = 'docs'
export const MINUTE = 60_000
const TOKEN = 'a-token-with-32-characters-in-it'
const FIRST_PAGES = 3

/** A commit on a branch of the remote, and the acts that the branch knew then. */
export interface SeenHead {
  branch: string
  commit: string
  side: Side
}

/** A change request of people here. */
export interface Request {
  number: number
  side: Side
  /** Its branch on the remote, once it is exported. */
  branch?: string
}

/** A remote head that a conflict change request holds. */
export interface Held {
  number: number
  side: Side
}

export class World {
  readonly account = new Account()
  /** The acts that main here and each branch of the remote know. */
  readonly here = this.account.here
  readonly there = new Map<string, Side>()
  /** Heads of the remote, oldest first. */
  readonly seen: SeenHead[] = []
  readonly requests = new Map<number, Request>()
  readonly held = new Map<number, Held>()
  /** Pages that people deleted, with their last text. */
  readonly deleted = new Map<string, string>()
  /** Lines that occurred twice on a branch of the remote after a merge or commit there. */
  readonly doubled = new Set<string>()
  /** Pull requests that were merged there. */
  merged = 0
  /** Branches of the remote in a backup. */
  backup: Map<string, string> | undefined
  /** The acts that main here knew before this step. */
  before = new Side()
  step = 0
  kind = ''
  #tokens = 0
  #pages = FIRST_PAGES
  /** Runs that are already in the account. */
  readonly runs = new Set<string>()
  /** The head of main here when it was last judged. */
  judged = ''

  constructor(
    readonly spaces: KillableSpaces,
    readonly host: HostServer,
    readonly remote: Bare,
    readonly space: Bare,
    readonly clone: Clone,
    readonly names: { space: string; connection: string; url: string },
    readonly direction: 'both' | 'import',
  ) {}

  get why(): string {
    return `step ${this.step}, ${this.kind}`
  }

  token(from: 'here' | 'there'): string {
    return `${from === 'here' ? 'h' : 't'}${++this.#tokens}`
  }

  newPath(): string {
    return pathOf(++this.#pages)
  }

  sideOf(branch: string): Side {
    return this.there.get(branch) ?? new Side()
  }

  async remoteMain(): Promise<Snapshot> {
    return this.remote.at((await this.remote.heads()).get(MAIN) as string)
  }

  async spaceMain(): Promise<Snapshot> {
    return this.space.at((await this.space.heads()).get(MAIN) as string)
  }

  /** Records the present head of a branch of the remote with the acts that the branch knows. */
  async see(branch: string, by: 'people' | 'service' = 'people'): Promise<void> {
    const commit = (await this.remote.heads()).get(branch)
    if (commit !== undefined && by === 'people')
      for (const [key, count] of (await this.remote.at(commit)).lines) if (count > 1) this.doubled.add(key)
    if (commit === undefined || this.seen.findLast((one) => one.branch === branch)?.commit === commit) return
    this.seen.push({ branch, commit, side: this.sideOf(branch).copy() })
  }

  /** Forgets a deleted branch. A later branch of the same name may start at any commit. */
  forgetBranch(branch: string): void {
    for (const one of this.seen) if (one.branch === branch) one.branch = `${branch} (deleted)`
  }

  /** A request to the API. A status of 500 or above is a fault. */
  async call(method: 'get' | 'post' | 'patch', path: string, body?: unknown): Promise<{ status: number; body: any }> {
    const { status, body: received } = await this.spaces.service.admin.call(
      method,
      `/v1/spaces/${this.names.space}${path}`,
      body,
    )
    if (status >= 500) throw new Fault('response', `${method} ${path}: ${status} ${JSON.stringify(received)}`)
    return { status, body: received }
  }

  async ask(method: 'get' | 'post' | 'patch', path: string, body?: unknown): Promise<any> {
    const response = await this.call(method, path, body)
    if (response.status >= 300)
      throw new Fault(
        'response',
        `${method} ${path} ${JSON.stringify(body)}: ${response.status} ${JSON.stringify(response.body)}`,
      )
    return response.body
  }

  /** The failure that the connection reports. */
  async failure(): Promise<{ cause: string; message: string; changeRequest?: string } | undefined> {
    return (await this.ask('get', `/git/connections/${this.names.connection}`)).failure
  }

  async close(): Promise<void> {
    await this.spaces.close()
    await this.host.close()
    await rm(this.clone.dir, { recursive: true, force: true })
  }
}

/** A remote with some pages, and a space that is connected to it. */
export async function begin(direction: 'both' | 'import'): Promise<World> {
  const [spaces, host, dir] = await Promise.all([
    startKillable(),
    startGitHub(() => new Date()),
    mkdtemp(join(tmpdir(), 'bindery-people-')),
  ])
  const tokens = Array.from({ length: FIRST_PAGES }, (_, page) =>
    SECTIONS.map((_section, at) => `s${page * SECTIONS.length + at}`),
  )
  const pages = tokens.map((all, at): [string, string] => [pathOf(at + 1), newPage(pathOf(at + 1), all)])
  const summary = pages.reduce((text, [path]) => withEntry(text, path), '# Table of contents\n\n* [Home](README.md)\n')
  const bare = await spaces.remotes.createRepository('acme/docs.git', {
    files: { 'README.md': '# Home\n', [SUMMARY]: summary, ...Object.fromEntries(pages) },
  })
  backBy(host.repository, bare.path)
  host.tokens.set(TOKEN, ['*'])
  const space = await spaces.space()
  const { id } = await spaces.connect(space, {
    url: bare.url,
    provider: 'github',
    apiUrl: host.apiUrl,
    direction,
    credential: { kind: 'token', token: TOKEN },
    pullRequests: { changeRequests: true },
  })
  await git(dir, ['clone', '--quiet', bare.path, '.'])
  const [remote, local] = [new Bare(bare.path), new Bare(join(spaces.service.dir, 'repos', `${space}.git`))]
  const world = new World(
    spaces,
    host,
    remote,
    local,
    new Clone(dir),
    { space, connection: id, url: bare.url },
    direction,
  )
  const main = new Side()
  for (const key of (await world.remoteMain()).lines.keys())
    world.account.record(main, { key, present: true, from: 'there', why: 'first commit' })
  world.there.set(MAIN, main)
  world.here.take(main)
  world.account.inStep = main.copy()
  await world.see(MAIN)
  world.judged = (await world.space.heads()).get(MAIN) ?? ''
  return world
}
