import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import request, { type Test } from 'supertest'
import { loadConfig } from '../../src/config.js'
import { createUser, issueToken } from '../../src/domain/accounts/accounts.js'
import { newMembership } from '../../src/domain/people/organizations.js'
import { createLog } from '../../src/kernel/log.js'
import { memberships, type Role } from '../../src/model/index.js'
import { type Overrides, type Service, start } from '../../src/server.js'
import { forgetNode, noteNode, publishThrough } from './by-hand.js'
import { nodeKey } from './node-key.js'
import { databaseSettings, dropDatabase } from './service-database.js'
import { sharedPool } from './shared-pool.js'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head'

/** A user who calls the API with a token. */
export interface Caller {
  user: string
  token: string
  /** A request with this token. `expect(status)` checks the status of the response. */
  call(method: Method, path: string, body?: unknown): Test
}

export interface TestService {
  service: Service
  url: string
  dir: string
  admin: Caller
  organization: string
  /** A new user with a role in the first organization (null = guest). Without a role, a stranger. */
  caller(role?: Role | null): Promise<Caller>
  /** Stops and restarts on the same data. */
  restart(): Promise<void>
  close(idleMs?: number): Promise<void>
}

/** A complete service on a free port, with its data in a temporary folder. */
export async function startService(
  options: { env?: Record<string, string>; overrides?: Overrides; dir?: string } = {},
): Promise<TestService> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'bindery-')))
  const config = loadConfig({
    BINDERY_PORT: '0',
    BINDERY_SITES_PORT: '0',
    BINDERY_SAMPLE_SITE: 'false',
    BINDERY_DATA_DIR: join(dir, 'data'),
    BINDERY_REPOS_DIR: join(dir, 'repos'),
    BINDERY_CHECK_RESPONSES: 'true',
    BINDERY_REMOTE_PROTOCOLS: 'https,ssh,http,file',
    BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
    BINDERY_RATE_LIMIT_PER_MINUTE: '0',
    BINDERY_RATE_LIMIT_PER_MINUTE_ADDRESS: '0',
    BINDERY_RATE_LIMIT_SIGN_INS: '0',
    BINDERY_ADMIN_TOKEN: 'bindery_test_admin_token_0123456789',
    ...(await databaseSettings(dir)),
    ...nodeKey(options.env),
    ...options.env,
  })
  const overrides: Overrides = {
    log: createLog({ level: process.env.TEST_LOG ? 'debug' : 'error' }),
    makePool: sharedPool,
    ...options.overrides,
  }
  const run = async (): Promise<Service> => {
    const started = await start(config, overrides)
    if (config.databaseUrl !== null)
      noteNode(config.reposDir, (space, moved) => publishThrough(started.app.git, space, moved))
    const close = async (idleMs?: number): Promise<void> => {
      forgetNode(config.reposDir)
      await started.close(idleMs)
    }
    return { ...started, close }
  }
  let service = await run()
  let people = 0
  const callerOf = (user: string, token: string): Caller => ({
    user,
    token,
    call: (method, path, body) => {
      const test = request(service.url)[method](path).set('Authorization', `Bearer ${token}`)
      return body === undefined ? test : test.send(body as object)
    },
  })
  const here: TestService = {
    get service() {
      return service
    },
    get url() {
      return service.url
    },
    dir,
    admin: callerOf(service.first.user.id, config.adminToken as string),
    organization: service.first.organization.id,
    caller: async (role) => {
      const user = await createUser(service.app, {
        email: `person-${++people}@example.org`,
        displayName: `Person ${people}`,
      })
      if (role !== undefined)
        await service.app.store.insert(
          memberships,
          newMembership(service.first.organization.id, user.id, role, new Date().toISOString()),
        )
      return callerOf(user.id, (await issueToken(service.app, user.id, { label: 'test' })).secret)
    },
    restart: async () => {
      await service.close()
      service = await run()
    },
    close: async (idleMs) => {
      await service.close(idleMs)
      await rm(dir, { recursive: true, force: true })
      await dropDatabase(dir)
    },
  }
  return here
}
