/** Helpers that create spaces with given files and read their links. */
import { join } from 'node:path'
import { createBareRepository, type Files } from '../support/bare-repository.js'
import type { Caller, TestService } from '../support/service.js'

/** A response body; the service checks it against its schema. */
export type Json = any

let made = 0

/** A space that imported these files from a remote. */
export async function spaceOf(here: TestService, files: Files, more: object = {}): Promise<string> {
  const path = join(here.dir, `remote-${++made}.git`)
  await createBareRepository(path).then((remote) => remote.commit(files))
  const space = (
    await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs', ...more }).expect(201)
  ).body.id
  await here.admin
    .call('post', `/v1/spaces/${space}/git/import`, { url: `file://${path}`, ref: 'refs/heads/main' })
    .expect(204)
  for (;;) {
    const { body } = await here.admin.call('get', `/v1/spaces/${space}/git/info`).expect(200)
    if (body.state === 'success') return space
    if (body.state !== 'queued' && body.state !== 'running') throw new Error(body.error)
  }
}

export const read = async (caller: Caller, path: string): Promise<Json> =>
  (await caller.call('get', `/v1/spaces/${path}`).expect(200)).body

/** Links as short lines: `file: target → what, status`. */
export const linesOf = ({ items }: Json): string[] =>
  items.map(
    (link: Json) =>
      `${fileOf(link.locationReferences[0])}: ${link.target} → ${shown(link.targetReference)} ${link.status}${link.relation === 'dependsOn' ? ' part' : ''}`,
  )

/** The file of a location. */
export const fileOf = (location: Json): string =>
  (location.page ?? location.reusableContent).git?.path ?? location.page.title

const shown = (target: Json): string => {
  if (target === undefined) return '-'
  if (target.kind === 'url') return target.url
  if (target.kind === 'openapi') return target.spec
  if (target.kind === 'space') return target.space.title
  const file = target.file?.git.path ?? fileOf(target)
  return target.kind === 'anchor' ? `${file}#${target.anchor}` : file
}

/** The ID of the page of a file. */
export async function pageId(caller: Caller, content: string, file: string): Promise<string> {
  const find = (pages: Json[]): Json => {
    for (const page of pages) {
      const found = page.git?.path === file ? page : find(page.pages)
      if (found) return found
    }
    return null
  }
  return find((await read(caller, `${content}/pages`)).pages).id
}
