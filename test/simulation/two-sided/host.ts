import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyFolder } from '../../support/folder-bytes.js'
import { type Reach, type ServerProcess, startServer, TOKEN } from '../../races/server-process.js'
import { startService } from '../../support/service.js'
import type { Clock } from '../../../src/kernel/clock.js'
import { Api } from './api.js'
import { NodeHost } from './node-host.js'
import { repositoryIn, type SpaceRepository } from './repository.js'

/** The service of a story: in this process, in a separate process that can be killed, or on several nodes. */
export interface Host {
  readonly kind: 'here' | 'apart' | 'nodes'
  readonly api: Api
  readonly organization: string
  /** The repository of a space. */
  repository(space: string): SpaceRepository
  /** Null if it runs in this process. */
  readonly kill: ((reach: Reach) => Promise<void>) | null
  /** Stops the service, unless it was killed, and restarts it on the same data. */
  restart(): Promise<void>
  /** Kills a node, deletes its disk and restarts it. Returns its name, or null if there are no nodes. */
  readonly loseDisk: (() => Promise<string>) | null
  /** Throws if nodes show different content of a space. */
  agree(space: string): Promise<void>
  /** Copies its data while it is stopped. Null means that it cannot. */
  readonly copyTo: ((folder: string) => Promise<void>) | null
  close(): Promise<void>
}

export type HostKind = 'here' | 'apart' | { nodes: number; seed: number }

/**
 * @param data folder with the initial data of a service that is not a node. The service takes it over
 */
export function startHost(kind: HostKind, clock: Clock, data?: string): Promise<Host> {
  if (kind === 'here') return hostHere(clock, data)
  return kind === 'apart' ? hostApart(data) : NodeHost.start(kind)
}

async function hostHere(clock: Clock, data?: string): Promise<Host> {
  const options = { overrides: { clock } }
  let here = await startService({ ...options, ...(data === undefined ? {} : { dir: data }) })
  return {
    get api() {
      return new Api(() => here.url, here.admin.token)
    },
    kind: 'here',
    organization: here.organization,
    repository: (space) => repositoryIn(join(here.dir, 'repos', `${space}.git`)),
    kill: null,
    loseDisk: null,
    agree: async () => {},
    restart: () => here.restart(),
    copyTo: async (folder) => {
      await here.service.close()
      await copyFolder(here.dir, folder)
      here = await startService({ ...options, dir: here.dir })
    },
    close: () => here.close(),
  }
}

async function hostApart(data?: string): Promise<Host> {
  const dir = data ?? (await mkdtemp(join(tmpdir(), 'bindery-')))
  const env = {
    BINDERY_REMOTE_PROTOCOLS: 'http,file',
    BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
    BINDERY_CHECK_RESPONSES: 'true',
    BINDERY_LOG_LEVEL: 'error',
  }
  let server: ServerProcess = await startServer(dir, env)
  let killed = false
  const stop = async (): Promise<void> => {
    if (!killed) server.child.kill('SIGTERM')
    await server.ended
  }
  const start = async (): Promise<void> => {
    server = await startServer(dir, env)
    killed = false
  }
  return {
    get api() {
      return new Api(() => server.url, TOKEN)
    },
    kind: 'apart',
    organization: server.organization,
    repository: (space) => repositoryIn(join(dir, 'repos', `${space}.git`)),
    loseDisk: null,
    agree: async () => {},
    kill: async (reach) => {
      killed = true
      await server.kill(reach)
    },
    restart: async () => {
      await stop()
      await start()
    },
    copyTo: async (folder) => {
      await stop()
      await copyFolder(dir, folder)
      await start()
    },
    close: async () => {
      await server.kill('tree')
      await rm(dir, { recursive: true, force: true })
    },
  }
}
