/** The setting of an attack: a service with default limits, an honest organization, and a stranger with two tokens. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, startServer, TOKEN } from '../../races/server-process.js'
import { type GitHttp, startGitHttp } from '../../support/git-http.js'
import { git } from '../../support/hermetic-git.js'
import { type Smtp, startSmtp } from '../../support/smtp.js'

export type Json = any

/** One user with one token. */
export interface Person {
  token: string
  ask(method: string, path: string, body?: object): Promise<{ status: number; json: Json; text: string }>
  /** Like `ask`, but throws for any status of 300 or more. */
  must(method: string, path: string, body?: object): Promise<Json>
}

export interface Place {
  dir: string
  server: ServerProcess
  smtp: Smtp
  remotes: GitHttp
  /** A host that accepts connections and never responds. */
  silent: string
  honest: Person
  organization: string
  /** The two tokens of the stranger, and the stranger's organization. */
  stranger: [Person, Person]
  theirs: string
  /** Creates a space of the stranger whose main contains the commits that `stream` (for `git fast-import`) adds to it. */
  pushed(stream: (base: string) => string): Promise<{ id: string; url: string; work: string }>
  addressOf(space: string, person: Person): string
  close(): Promise<void>
}

function person(url: string, token: string): Person {
  const ask: Person['ask'] = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      signal: AbortSignal.timeout(120_000),
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : null }
  }
  const must: Person['must'] = async (method, path, body) => {
    const { status, text, json } = await ask(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`)
    return json
  }
  return { token, ask, must }
}

/** The stranger has an account, but no role in other organizations. */
async function newStranger(url: string, admin: Person, smtp: Smtp): Promise<[Person, Person]> {
  const lobby = await admin.must('POST', '/v1/orgs', { title: 'Lobby' })
  await admin.must('POST', `/v1/orgs/${lobby.id}/invites`, { emails: ['stranger@elsewhere.example'] })
  const { secret } = await smtp.mailTo('stranger@elsewhere.example')
  const accepted = await person(url, '').must('POST', '/v1/invites/accept', { token: secret, displayName: 'Stranger' })
  const first = person(url, accepted.token.token)
  return [first, person(url, (await first.must('POST', '/v1/user/tokens', { label: 'second' })).token)]
}

export async function openPlace(heapMb: number): Promise<Place> {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-attack-'))
  const smtp = await startSmtp()
  const sockets = createServer(() => {})
  await new Promise<void>((ready) => sockets.listen(0, '127.0.0.1', ready))
  const server = await startServer(dir, {
    NODE_OPTIONS: `--max-old-space-size=${heapMb}`,
    BINDERY_LOG_LEVEL: 'fatal',
    BINDERY_SMTP_URL: smtp.url,
    BINDERY_MAIL_FROM: 'docs@bindery.example',
    BINDERY_REMOTE_PROTOCOLS: 'https,http',
    BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
    BINDERY_RATE_LIMIT_PER_MINUTE: '3000',
  })
  // The server has its own process group: an interrupted run must not leave it behind.
  process.once('exit', () => server.child.kill('SIGKILL'))
  const remotes = await startGitHttp({ root: join(dir, 'remotes') })
  const honest = person(server.url, TOKEN)
  const stranger = await newStranger(server.url, honest, smtp)
  const theirs = (await stranger[0].must('POST', '/v1/orgs', { title: 'Elsewhere' })).id as string
  const addressOf = (space: string, { token }: Person): string =>
    `${server.url.replace('http://', `http://git:${token}@`)}/git/${space}.git`
  return {
    dir,
    server,
    smtp,
    remotes,
    silent: `http://127.0.0.1:${(sockets.address() as AddressInfo).port}`,
    honest,
    organization: server.organization,
    stranger,
    theirs,
    addressOf,
    async pushed(stream) {
      const [first] = stranger
      const { id } = await first.must('POST', `/v1/orgs/${theirs}/spaces`, { title: 'Theirs', editMode: 'live' })
      const work = await mkdtemp(join(dir, 'work-'))
      await git(dir, ['clone', '--quiet', '--bare', addressOf(id, first), work])
      await git(work, ['fast-import', '--quiet', '--force'], stream(await git(work, ['rev-parse', 'main'])))
      await git(work, ['push', '--quiet', addressOf(id, first), 'main'])
      return { id, url: `/v1/spaces/${id}`, work }
    },
    async close() {
      sockets.closeAllConnections()
      sockets.close()
      await server.kill('tree')
      await remotes.close()
      await smtp.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
