import { cp, mkdtemp, rm } from 'node:fs/promises'
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
  /** Copies its data while it is stopped. */
  copyTo(folder: string): Promise<void>
  close(): Promise<void>
}

/** @param data folder with the data that it begins with; it becomes its own */
export async function hostHere(clock: Clock, data?: string): Promise<Host> {
  const options = { overrides: { clock } }
  let here = await startService({ ...options, ...(data === undefined ? {} : { dir: data }) })
  return {
    get api() {
      return new Api(here.url, here.admin.token)
    },
    dir: here.dir,
    organization: here.organization,
    kill: null,
    restart: () => here.restart(),
    copyTo: async (folder) => {
      await here.service.close()
      await cp(here.dir, folder, { recursive: true })
      here = await startService({ ...options, dir: here.dir })
    },
    close: () => here.close(),
  }
}

/** @param data folder with the data that it begins with; it becomes its own */
export async function hostApart(data?: string): Promise<Host> {
  const dir = data ?? (await mkdtemp(join(tmpdir(), 'bindery-')))
  const env = { BINDERY_REMOTE_PROTOCOLS: 'http,file', BINDERY_ALLOW_PRIVATE_NETWORKS: 'true', BINDERY_CHECK_ANSWERS: 'true', BINDERY_LOG_LEVEL: 'error' }
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
      return new Api(server.url, TOKEN)
    },
    dir,
    organization: server.organization,
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
      await cp(dir, folder, { recursive: true })
      await start()
    },
    close: async () => {
      await server.kill('tree')
      await rm(dir, { recursive: true, force: true })
    },
  }
}
