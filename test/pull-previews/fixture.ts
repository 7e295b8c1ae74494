/** A service with a clock that is set by hand, and spaces whose repositories have pull requests on a host stand-in. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BareRepository, Files } from '../support/bare-repository.js'
import type { Overrides } from '../../src/server.js'
import { startGitHttp } from '../support/git-http.js'
import { handClock } from '../support/hand-clock.js'
import { git } from '../support/hermetic-git.js'
import { startBitbucket } from '../support/hosts/bitbucket.js'
import { startGitea } from '../support/hosts/gitea.js'
import { startGitHub } from '../support/hosts/github.js'
import { startGitLab } from '../support/hosts/gitlab.js'
import type { HostServer } from '../support/hosts/host-server.js'
import { backBy } from '../support/hosts/real-repository.js'
import type { FakePull } from '../support/hosts/repository.js'
import { startService } from '../support/service.js'

export const TOKEN = 'a-token-with-32-characters-in-it'
export const POLL_MS = 300_000

export const DOCS: Files = {
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n',
  'README.md': '# Home\n\nSee the [guide](guide.md).\n',
  'guide.md': '# Guide\n\n## Start\n\nWords.\n',
}

export type ProviderName = 'github' | 'gitlab' | 'gitea' | 'bitbucket'

/** The ref that a host keeps for a pull request. */
const refs: Record<ProviderName, (number: number, branch: string) => string> = {
  github: (number) => `refs/pull/${number}/head`,
  gitea: (number) => `refs/pull/${number}/head`,
  gitlab: (number) => `refs/merge-requests/${number}/head`,
  bitbucket: (_, branch) => `refs/heads/${branch}`,
}

export async function startPreviewing(env: Record<string, string> = {}, overrides: Overrides = {}) {
  const root = await mkdtemp(join(tmpdir(), 'bindery-remotes-'))
  const remotes = await startGitHttp({ root })
  const clock = handClock()
  const service = await startService({
    env: { BINDERY_CONNECTION_QUIET_SECONDS: '10', BINDERY_CONNECTION_POLL_SECONDS: String(POLL_MS / 1000), ...env },
    overrides: { clock, ...overrides },
  })
  const { admin, organization } = service
  const hosts: HostServer[] = []
  const starts = {
    github: () => startGitHub(clock.now),
    gitlab: startGitLab,
    gitea: startGitea,
    bitbucket: startBitbucket,
  }
  let made = 0

  /** Advances the clock, and waits until all work that is due is done. */
  async function forward(ms: number): Promise<void> {
    await service.service.idle()
    clock.forward(ms)
    service.service.app.wakes.connections()
    service.service.app.wakes.jobs()
    await service.service.idle()
  }

  /** A space that is connected to a new repository, and previews its pull requests. */
  async function connected(
    provider: ProviderName,
    settings: { files?: Files; directory?: string; scopes?: string[]; preview?: boolean; token?: string } = {},
  ) {
    const host: HostServer = await starts[provider]()
    hosts.push(host)
    const token = settings.token ?? TOKEN
    host.tokens.set(token, settings.scopes ?? ['*'])
    // Each stand-in knows one repository. For GitLab, its whole path is the name.
    const folder = provider === 'gitlab' ? '' : `h${++made}/`
    const bare = await remotes.createRepository(`${folder}${host.repository.name}.git`, {
      files: settings.files ?? DOCS,
    })
    backBy(host.repository, bare.path)
    const { body: space } = await admin
      .call('post', `/v1/orgs/${organization}/spaces`, { title: `Docs ${made}`, editMode: 'live' })
      .expect(201)
    const { body: connection } = await admin
      .call('post', `/v1/spaces/${space.id}/git/connections`, {
        url: bare.url,
        ref: 'refs/heads/main',
        provider,
        apiUrl: host.apiUrl,
        credential: { kind: 'token', token },
        pullRequests: { preview: settings.preview ?? true },
        ...(settings.directory === undefined ? {} : { repoProjectDirectory: settings.directory }),
      })
      .expect(201)
    await service.service.idle()
    return new Previewed(provider, space.id, connection.id, connection.webhookSecret, bare, host)
  }

  class Previewed {
    constructor(
      readonly provider: ProviderName,
      readonly space: string,
      readonly connection: string,
      readonly secret: string,
      readonly bare: BareRepository,
      readonly host: HostServer,
    ) {}

    get base(): string {
      return `/v1/spaces/${this.space}/git/connections/${this.connection}`
    }

    /** Opens a pull request with some changed files. Returns its number. */
    async open(files: Files, pull: Partial<FakePull> = {}): Promise<number> {
      const number = this.host.repository.pulls.length + 1
      const head = pull.head ?? `topic-${number}`
      const main = await this.bare.head('refs/heads/main')
      await git(this.bare.path, ['update-ref', `refs/heads/${head}`, main as string])
      this.host.repository.open({ head, base: 'main', title: `Change ${number}`, body: '', ...pull })
      await this.push(number, files)
      return number
    }

    /** Commits to the branch of a pull request, as a push does. Returns the new head. */
    async push(number: number, files: Files): Promise<string> {
      const { head } = this.host.repository.pulls[number - 1] as FakePull
      const commit = await this.bare.commit(files, { ref: `refs/heads/${head}`, message: 'Change' })
      await git(this.bare.path, ['update-ref', refs[this.provider](number, head), commit])
      return commit
    }

    async preview(number: number, status = 200) {
      const response = await admin.call('get', `${this.base}/pull-requests/${number}`)
      if (response.status !== status)
        throw new Error(`${response.status} instead of ${status}: ${JSON.stringify(await this.shown())}`)
      return response.body
    }

    async list() {
      return (await admin.call('get', `${this.base}/pull-requests`).expect(200)).body.items
    }

    async shown() {
      return (await admin.call('get', this.base).expect(200)).body.pullRequests
    }

    /** The path of the space's repository. */
    get repository(): string {
      return join(service.dir, 'repos', `${this.space}.git`)
    }

    /** Git in the repository of the space. */
    git(...args: string[]): Promise<string> {
      return git(this.repository, args)
    }

    async refs(): Promise<string[]> {
      return (await this.git('for-each-ref', '--format=%(refname)', 'refs/bindery/previews/'))
        .split('\n')
        .filter(Boolean)
    }
  }

  return {
    service,
    admin,
    clock,
    remotes,
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
