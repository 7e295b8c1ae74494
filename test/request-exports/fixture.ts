/**
 * A service with a clock that is set by hand, and spaces that are connected to repositories behind a host stand-in, by
 * default GitHub.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requestExports } from '../../src/model/index.js'
import type { Files } from '../support/bare-repository.js'
import { startGitHttp } from '../support/git-http.js'
import { handClock } from '../support/hand-clock.js'
import { git } from '../support/hermetic-git.js'
import { startBitbucket } from '../support/hosts/bitbucket.js'
import { startGitea } from '../support/hosts/gitea.js'
import { startGitHub } from '../support/hosts/github.js'
import { startGitLab } from '../support/hosts/gitlab.js'
import type { HostServer } from '../support/hosts/host-server.js'
import { backBy, type MergeMethod, mergePull } from '../support/hosts/real-repository.js'
import type { FakePull } from '../support/hosts/repository.js'
import { startService } from '../support/service.js'

const TOKEN = 'a-token-with-32-characters-in-it'
export const MINUTE = 60_000

/** The start options of the stand-ins. Only GitLab counts the folder as a part of the name. */
const starts = {
  github: (now: () => Date) => startGitHub(now),
  gitlab: (_now: () => Date, folder: string) => startGitLab(`${folder}/acme/docs`),
  gitea: () => startGitea(),
  bitbucket: () => startBitbucket(),
}

/** Settings for the stories: inactive change requests are exported after ten seconds. */
export async function startExporting() {
  const root = await mkdtemp(join(tmpdir(), 'bindery-remotes-'))
  const remotes = await startGitHttp({ root })
  const clock = handClock()
  const env = { BINDERY_CONNECTION_QUIET_SECONDS: '10', BINDERY_CONNECTION_POLL_SECONDS: '300' }
  const service = await startService({ env, overrides: { clock } })
  const hosts: HostServer[] = []
  let made = 0

  /** Advances the clock, and waits until all work that is due is done. */
  async function forward(ms: number): Promise<void> {
    // Record earlier events first.
    await service.service.idle()
    clock.forward(ms)
    service.service.app.wakes.connections()
    service.service.app.wakes.jobs()
    await service.service.idle()
  }

  /** A space that is connected to a new repository with some files. */
  async function connected(
    files: Files,
    settings: { directory?: string; direction?: string; logins?: object[]; provider?: keyof typeof starts } = {},
  ): Promise<Story> {
    // The stand-in has one repository of this name. Git finds it below its own folder.
    const folder = `h${++made}`
    const provider = settings.provider ?? 'github'
    const host = await starts[provider](clock.now, folder)
    hosts.push(host)
    host.tokens.set(TOKEN, ['*'])
    const bare = await remotes.createRepository(`${folder}/acme/docs.git`, { files })
    backBy(host.repository, bare.path)
    const { admin, organization } = service
    const { body: space } = await admin
      .call('post', `/v1/orgs/${organization}/spaces`, { title: `Docs ${made}`, editMode: 'live' })
      .expect(201)
    const { body: connection } = await admin
      .call('post', `/v1/spaces/${space.id}/git/connections`, {
        url: bare.url,
        ref: 'refs/heads/main',
        provider,
        apiUrl: host.apiUrl,
        credential: { kind: 'token', token: TOKEN },
        pullRequests: { changeRequests: true, ...(settings.logins ? { logins: settings.logins } : {}) },
        ...(settings.directory === undefined ? {} : { repoProjectDirectory: settings.directory }),
        ...(settings.direction === undefined ? {} : { direction: settings.direction }),
      })
      .expect(201)
    await service.service.idle()
    return new Story(space.id, connection.id, bare, host)
  }

  class Story {
    constructor(
      readonly space: string,
      readonly connection: string,
      readonly bare: Awaited<ReturnType<typeof remotes.createRepository>>,
      readonly host: HostServer,
    ) {}

    get base(): string {
      return `/v1/spaces/${this.space}`
    }

    /** A change request with a new page. Returns its number. */
    async request(title: string, text: string): Promise<number> {
      const { body } = await service.admin
        .call('post', `${this.base}/change-requests`, { subject: `Add ${title}`, description: `About ${title}.` })
        .expect(201)
      await this.write(title, text, body.number)
      return body.number
    }

    /** Writes a page, in a change request or on main. */
    async write(title: string, text: string, number?: number): Promise<void> {
      const changes = [{ operation: 'insert_page', title, document: { markdown: text } }]
      const at = number === undefined ? this.base : `${this.base}/change-requests/${number}`
      await service.admin.call('post', `${at}/content`, { changes }).expect(200)
    }

    /** Exports it and waits until the export is done. */
    async export(number: number) {
      await service.admin.call('post', `${this.base}/change-requests/${number}/git/pull-request`, {}).expect(202)
      await forward(0)
      return this.exported(number)
    }

    async exported(number: number) {
      return (await service.admin.call('get', `${this.base}/change-requests/${number}/git/pull-request`).expect(200))
        .body
    }

    async changeRequest(number: number) {
      return (await service.admin.call('get', `${this.base}/change-requests/${number}`).expect(200)).body
    }

    async all(status: string): Promise<{ number: number; subject: string }[]> {
      return (await service.admin.call('get', `${this.base}/change-requests?status=${status}`).expect(200)).body.items
    }

    pull(at = 0): FakePull {
      return this.host.repository.pulls[at] as FakePull
    }

    merge(method: MergeMethod, at = 0): Promise<void> {
      return mergePull(this.host.repository, this.bare.path, this.pull(at), method)
    }

    /** Files of main here, or of another ref. */
    files(ref = 'refs/heads/main'): Promise<Record<string, string>> {
      return filesOf(this.repository, ref)
    }

    remoteFiles(ref = 'refs/heads/main'): Promise<Record<string, string>> {
      return filesOf(this.bare.path, ref)
    }

    /** The path of the space's repository. */
    get repository(): string {
      return join(service.dir, 'repos', `${this.space}.git`)
    }

    git(...args: string[]): Promise<string> {
      return git(this.repository, args)
    }

    /** The stored export. */
    async stored(number: number) {
      const { id } = await this.changeRequest(number)
      const doc = await service.service.app.store.get(requestExports, id)
      if (!doc) throw new Error('not exported')
      return doc
    }
  }

  return {
    service,
    remotes,
    clock,
    forward,
    connected,
    async close() {
      await service.close()
      await remotes.close()
      for (const host of hosts) await host.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}

async function filesOf(dir: string, ref: string): Promise<Record<string, string>> {
  const names = (await git(dir, ['ls-tree', '-r', '-z', '--name-only', ref])).split('\0').filter((name) => name !== '')
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await git(dir, ['show', `${ref}:${name}`])])),
  )
}
