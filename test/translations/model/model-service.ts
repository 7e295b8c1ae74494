/** A service with the engine of these stories, and their helpers. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { startService, type TestService } from '../../support/service.js'
import { type TurningEngine, turningEngine } from './turning-engine.js'

export interface Translation {
  id: string
  status: string
  error?: { code: string; message: string }
  result: { space: string; revision?: string; changeRequest?: string }
  diagnostics?: { path: string; message: string }[]
  stats: Record<string, number>
}

export interface ModelService {
  service: TestService
  engine: TurningEngine
  /** A new, live space. */
  space(title: string): Promise<{ id: string; repository: string }>
  /** A new translation, after its first run. */
  translate(space: string, language: string, more?: object): Promise<Translation & { repository: string }>
  /** Runs a translation and waits until it has ended. */
  run(id: string): Promise<Translation>
  /** Waits until no run waits. */
  ended(id: string): Promise<Translation>
  repository(space: string): string
  close(): Promise<void>
}

export async function modelService(env: Record<string, string> = {}): Promise<ModelService> {
  const engine = await turningEngine()
  const service = await startService({ env: { BINDERY_LIBRETRANSLATE_URL: engine.url, ...env } })
  const at = `/v1/orgs/${service.organization}/translations`
  const repository = (space: string): string => join(service.dir, 'repos', `${space}.git`)
  const ended = async (id: string): Promise<Translation> => {
    for (;;) {
      const { body } = await service.admin.call('get', `${at}/${id}`).expect(200)
      if (body.status === 'completed' || body.status === 'failed') return body
      await sleep(10)
    }
  }
  return {
    service,
    engine,
    repository,
    ended,
    space: async (title) => {
      const { body } = await service.admin
        .call('post', `/v1/orgs/${service.organization}/spaces`, { title })
        .expect(201)
      return { id: body.id, repository: repository(body.id) }
    },
    translate: async (space, language, more = {}) => {
      const { body } = await service.admin.call('post', at, { language, source: { space }, ...more })
      assert.is(body.object, 'translation', JSON.stringify(body))
      const made = await ended(body.id)
      return { ...made, repository: repository(made.result.space) }
    },
    run: async (id) => {
      await service.admin.call('post', `${at}/${id}/run`).expect(204)
      return ended(id)
    },
    close: async () => {
      await service.close()
      await engine.close()
    },
  }
}
