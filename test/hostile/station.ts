import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, startServer, TOKEN } from '../races/server-process.js'
import type { Files } from '../support/bare-repository.js'
import { commitTo } from '../commits/fixture.js'

/** One request and its outcome. */
export interface TimedResponse {
  what: string
  status: number
  ms: number
  body: string
}

/** A service in its own process with little memory, and functions to send it requests. */
export interface Station {
  server: ServerProcess
  /** Creates a space whose main holds these files. */
  space(files: Files): Promise<SpaceUnderAttack>
  ask(
    what: string,
    method: string,
    path: string,
    options?: { body?: string | Uint8Array; type?: string; token?: boolean; cookie?: string },
  ): Promise<TimedResponse>
  close(): Promise<void>
}

export interface SpaceUnderAttack {
  url: string
  commit(files: Files, ref?: string): Promise<void>
}

/** Maximum response time of every request, in milliseconds. */
export const RESPONSE_MS = 30_000

export async function openStation(heapMb: number): Promise<Station> {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-hostile-'))
  const server = await startServer(dir, { NODE_OPTIONS: `--max-old-space-size=${heapMb}`, BINDERY_LOG_LEVEL: 'fatal' })
  // The server has its own process group: an interrupted run must not leave it behind.
  const leave = (): void => void server.child.kill('SIGKILL')
  process.once('exit', leave)
  const station: Station = {
    server,
    async ask(what, method, path, { body, type = 'application/json', token = true, cookie } = {}) {
      const started = performance.now()
      const headers = {
        ...(token ? { Authorization: `Bearer ${TOKEN}` } : {}),
        ...(body === undefined ? {} : { 'Content-Type': type }),
        ...(cookie ? { Cookie: cookie } : {}),
      }
      try {
        const response = await fetch(server.url + path, {
          method,
          headers,
          signal: AbortSignal.timeout(2 * RESPONSE_MS),
          ...(body === undefined ? {} : { body: body as string }),
        })
        return { what, status: response.status, body: await response.text(), ms: performance.now() - started }
      } catch (error) {
        return { what, status: 0, body: explain(error), ms: performance.now() - started }
      }
    },
    async space(files) {
      const made = await station.ask('space', 'POST', `/v1/orgs/${server.organization}/spaces`, {
        body: '{"title":"Hostile"}',
      })
      if (made.status !== 201) throw new Error(`no space: ${made.status} ${made.body}`)
      const { id } = JSON.parse(made.body) as { id: string }
      const commit = async (changes: Files, ref?: string): Promise<void> =>
        void (await commitTo(join(dir, 'repos', `${id}.git`), changes, ref ? { ref } : {}))
      await commit({ 'README.md': '# Home\n', ...files })
      return { url: `/v1/spaces/${id}`, commit }
    },
    async close() {
      process.off('exit', leave)
      await server.kill('tree')
      await rm(dir, { recursive: true, force: true })
    },
  }
  return station
}

const explain = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
