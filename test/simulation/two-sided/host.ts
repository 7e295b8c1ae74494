import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Reach, type ServerProcess, startServer, TOKEN } from '../../races/server-process.js'
import { startService } from '../../support/service.js'
import type { Clock } from '../../../src/kernel/clock.js'
import { Api } from './api.js'

/** The service of a story, in this process or in one of its own that can be killed. */
export interface Host {
  readonly api: Api
  readonly dir: string
  readonly organization: string
  /** Null if it runs in this process. */
  readonly kill: ((reach: Reach) => Promise<void>) | null
  /** Stops (what was killed needs no stopping) and starts again on the same data. */
  restart(): Promise<void>
  close(): Promise<void>
}

export async function hostHere(clock: Clock): Promise<Host> {
  const here = await startService({ overrides: { clock } })
  return {
    get api() {
      return new Api(here.url, here.admin.token)
    },
    dir: here.dir,
    organization: here.organization,
    kill: null,
    restart: () => here.restart(),
    close: () => here.close(),
  }
}

export async function hostApart(): Promise<Host> {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-'))
  const env = { BINDERY_REMOTE_PROTOCOLS: 'http,file', BINDERY_ALLOW_PRIVATE_NETWORKS: 'true', BINDERY_CHECK_ANSWERS: 'true', BINDERY_LOG_LEVEL: 'error' }
  let server: ServerProcess = await startServer(dir, env)
  let killed = false
  return {
    get api() {
      return new Api(server.url, TOKEN)
    },
    dir,
    organization: server.organization,
    kill: async (reach) => {
      killed = true
      await server.kill(reach)
    },
    restart: async () => {
      if (!killed) server.child.kill('SIGTERM')
      await server.ended
      server = await startServer(dir, env)
      killed = false
    },
    close: async () => {
      await server.kill('tree')
      await rm(dir, { recursive: true, force: true })
    },
  }
}
