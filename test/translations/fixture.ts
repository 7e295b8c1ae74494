/** A service with an engine, and helpers for a source and its translation. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startService, type TestService } from '../support/service.js'
import { type EngineServer, serveEngines } from './engine-server.js'

export interface TranslationDoc {
  id: string
  status: string
  error?: { code: string; message: string }
  result: { space: string; language: string; revision: string; changeRequest?: string }
  diagnostics: { path: string; reason: string }[]
  stats: Record<string, number>
  [member: string]: unknown
}

export interface Fixture extends TestService {
  engine: EngineServer
  /** A new space with files, through ordinary content changes. */
  source(files: Record<string, string>): Promise<string>
  create(source: string, more?: Record<string, unknown>): Promise<TranslationDoc>
  /** The translation once no run waits. */
  settled(id: string): Promise<TranslationDoc>
  run(id: string): Promise<TranslationDoc>
  get(id: string): Promise<TranslationDoc>
  /** Pages of a space by path: title and markdown. */
  pages(
    space: string,
  ): Promise<Record<string, { id: string; title: string; markdown: string; path: string; description?: string }>>
  markdown(space: string, page: string): Promise<string>
  edit(space: string, changes: unknown[]): Promise<void>
}

export type Kind = 'deepl' | 'libretranslate' | 'openai'

export const envOf = (kind: Kind, url: string): Record<string, string> =>
  kind === 'deepl'
    ? { BINDERY_DEEPL_URL: url, BINDERY_DEEPL_KEY: 'secret-key-of-deepl' }
    : kind === 'libretranslate'
      ? { BINDERY_LIBRETRANSLATE_URL: url, BINDERY_LIBRETRANSLATE_KEY: 'secret-key-of-libre' }
      : {
          BINDERY_OPENAI_URL: `${url}/v1`,
          BINDERY_OPENAI_KEY: 'secret-key-of-model',
          BINDERY_OPENAI_MODEL: 'test-model',
        }

export async function translationService(kind: Kind = 'deepl', env: Record<string, string> = {}): Promise<Fixture> {
  const engine = await serveEngines()
  const here = await startService({
    env: { BINDERY_ALLOW_PRIVATE_NETWORKS: 'false', ...envOf(kind, engine.url), ...env },
  })
  const { admin, organization } = here
  const base = `/v1/orgs/${organization}/translations`
  const get: Fixture['get'] = async (id) => (await admin.call('get', `${base}/${id}`).expect(200)).body
  const settled: Fixture['settled'] = async (id) => {
    for (;;) {
      const found = await get(id)
      if (found.status === 'completed' || found.status === 'failed') return found
      await sleep(20)
    }
  }
  const listOf = async (space: string) => {
    const { body } = await admin.call('get', `/v1/spaces/${space}/content`).expect(200)
    const all: {
      id: string
      type: string
      title: string
      path: string
      description?: string
      git?: { path: string }
      pages?: unknown[]
    }[] = []
    const walk = (pages: typeof all): void => {
      for (const page of pages) {
        all.push(page)
        walk((page.pages ?? []) as typeof all)
      }
    }
    walk(body.pages)
    return all
  }
  return Object.assign(Object.create(here) as TestService, {
    engine,
    get,
    settled,
    async source(files: Record<string, string>) {
      const { body } = await admin
        .call('post', `/v1/orgs/${organization}/spaces`, { title: 'Docs', language: 'en' })
        .expect(201)
      const change = Object.entries(files).map(([name, text]) => ({
        operation: 'insert_page',
        slug: name,
        document: { markdown: text },
        title: name,
      }))
      for (let at = 0; at < change.length; at += 50)
        await admin.call('post', `/v1/spaces/${body.id}/content`, { changes: change.slice(at, at + 50) }).expect(200)
      return body.id as string
    },
    async create(source: string, more: Record<string, unknown> = {}) {
      const { body } = await admin
        .call('post', base, { language: 'es', source: { space: source }, ...more })
        .expect(201)
      return settled(body.id)
    },
    async run(id: string) {
      await admin.call('post', `${base}/${id}/run`).expect(204)
      return settled(id)
    },
    async pages(space: string) {
      const list = (await listOf(space)).filter(({ type }) => type === 'document')
      const found = await Promise.all(
        list.map(
          async (page) =>
            [
              page.path,
              {
                ...page,
                markdown: (await admin.call('get', `/v1/spaces/${space}/content/page/${page.id}`).expect(200)).body
                  .markdown,
              },
            ] as const,
        ),
      )
      return Object.fromEntries(found)
    },
    async markdown(space: string, page: string) {
      return (await admin.call('get', `/v1/spaces/${space}/content/page/${page}`).expect(200)).body.markdown
    },
    async edit(space: string, changes: unknown[]) {
      await admin.call('post', `/v1/spaces/${space}/content`, { changes }).expect(200)
    },
    async close() {
      await here.close()
      await engine.close()
    },
  }) as Fixture
}
