import { type ChildProcess, fork } from 'node:child_process'
import { Agent, request } from 'undici'

export const ADMIN_TOKEN = 'bindery_bench_admin_token_0123456789'

/** Path → what is answered there. */
export type Answers = Record<string, { body: string; etag: string }>
export type ChildOptions = { kind: 'service'; dir: string; constant?: string } | { kind: 'bare'; file: string } | { kind: 'load' }
export interface LoadOptions {
  url: string
  paths: string[]
  headers: Record<string, string>
  seconds: number
  connections: number
  status: string
}

/** A process of the benchmark. */
export interface Running {
  url: string
  /** Microseconds of processor time used so far. */
  cpu(): Promise<number>
  load(options: LoadOptions): Promise<number>
  fill(space: string, documents: number): Promise<void>
  stop(): Promise<void>
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a process; resolves when it serves. */
export async function startProcess(options: ChildOptions, execArgv: readonly string[] = []): Promise<Running> {
  const child = fork(new URL('./child.ts', import.meta.url), [JSON.stringify(options)], { execArgv: [...process.execArgv, ...execArgv] })
  running.add(child)
  const next = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      const died = (): void => reject(new Error(`the ${options.kind} process ended`))
      child.once('exit', died)
      child.once('message', (message) => {
        child.off('exit', died)
        resolve(message as T)
      })
    })
  const ask = <T>(message: object): Promise<T> => {
    const answer = next<T>()
    child.send(message)
    return answer
  }
  const { url } = await next<{ url: string }>()
  return {
    url,
    cpu: () => ask({ cpu: true }),
    load: (load) => ask({ load }),
    fill: async (space, documents) => void (await ask({ fill: { space, documents } })),
    stop: () =>
      new Promise((resolve) => {
        running.delete(child)
        child.once('exit', () => resolve())
        child.send({ end: true })
      }),
  }
}

const agent = new Agent({ connections: 16, keepAliveTimeout: 60_000 })

export type Json = any

/** One request of the API; throws for what is no success. */
export async function call(
  server: { url: string },
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
): Promise<{ json: Json; text: string; etag: string }> {
  const answer = await request(server.url + path, {
    method,
    dispatcher: agent,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 500)}`)
  return { json: text === '' ? null : JSON.parse(text), text, etag: String(answer.headers.etag ?? '') }
}

export async function newSpace(server: { url: string }): Promise<string> {
  const { json } = await call(server, 'GET', '/v1/orgs')
  return (await call(server, 'POST', `/v1/orgs/${json.items[0].id}/spaces`, { title: 'Benchmark' })).json.id as string
}

/** Imports a repository into a space; resolves when `git/info` says so. */
export async function importInto(server: { url: string }, space: string, url: string, ref = 'refs/heads/main'): Promise<void> {
  await call(server, 'POST', `/v1/spaces/${space}/git/import`, { url, ref })
  for (;;) {
    const { json } = await call(server, 'GET', `/v1/spaces/${space}/git/info`)
    const sync = json.sync ?? json
    if (sync.state === 'success') return
    if (sync.state === 'failure' || sync.state === 'conflict') throw new Error(`the import ended in ${sync.state}: ${sync.error}`)
    await new Promise((done) => setTimeout(done, 5))
  }
}

/** IDs of all pages with a file, in order. */
export async function pageIds(server: { url: string }, space: string): Promise<string[]> {
  const { json } = await call(server, 'GET', `/v1/spaces/${space}/content/pages`)
  const ids: string[] = []
  const visit = (pages: Json[]): void => {
    for (const page of pages) {
      if (page.type === 'document') ids.push(page.id)
      visit(page.pages ?? [])
    }
  }
  visit(json.pages)
  return ids
}
