/** Specifications and spaces that use them, for tests of computed pages. */
import { setTimeout as sleep } from 'node:timers/promises'
import { jobs } from '../../src/model/index.js'
import { openDesk, type Desk } from '../commits/fixture.js'
import type { TestService } from '../support/service.js'
import { processed, specText } from './servers.js'

/** An entry of a table of contents that yields pages. */
export const entry = (
  spec: string,
  { title = '', props = {} }: { title?: string; props?: Record<string, unknown> } = {},
): string =>
  `* ${title === '' ? '' : `${title}\n\n  `}\`\`\`yaml\n  type: builtin:openapi\n  props: ${JSON.stringify(props)}\n  dependencies:\n    spec:\n      ref:\n        kind: openapi\n        spec: ${spec}\n  \`\`\`\n`

export const operation = (summary: string, tags: string[] = [], more: object = {}) => ({
  summary,
  tags,
  responses: { '200': { description: 'Fine.' } },
  ...more,
})

/** Gives a specification these paths, or a whole text, and waits until it is processed and no job remains. */
export async function put(here: TestService, slug: string, given: object | string): Promise<Record<string, unknown>> {
  const path = `/v1/orgs/${here.organization}/openapi/${slug}`
  const text = typeof given === 'string' ? given : specText({ paths: given })
  const { status } = await here.admin.call('put', path, { source: { text } })
  if (status !== 200 && status !== 201) throw new Error(`PUT answered ${status}`)
  const spec = await processed(here.admin, path)
  await settled(here)
  return spec
}

/** A space whose table of contents has these entries after its first page. */
export const spaceWith = (here: TestService, entries: string, files: Record<string, string> = {}): Promise<Desk> =>
  openDesk(here, { 'SUMMARY.md': `* [Home](README.md)\n${entries}`, 'README.md': '# Home\n', ...files })

/** Resolves when no job waits or runs. */
export async function settled({ service: { app } }: TestService): Promise<void> {
  const left = async () =>
    (await app.store.count(jobs, 'state', 'queued')) + (await app.store.count(jobs, 'state', 'running'))
  while ((await left()) > 0) await sleep(20)
}
