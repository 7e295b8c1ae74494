import * as assert from 'uvu/assert'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import { filesOf, openRevision } from '../../src/domain/revisions/revisions.js'
import { structureAt } from '../../src/domain/revisions/structures.js'
import type { CommitId } from '../../src/kernel/ids.js'
import { spaces } from '../../src/model/index.js'
import { type Desk, flat } from '../commits/fixture.js'

/** Returns every ID of a revision: `page <title>` or `file <path>` → ID. Titles must be unique. */
export async function idsOf(desk: Desk, at = ''): Promise<Map<string, string>> {
  const pages = flat(await desk.pages(at)).map((page) => [`${page.type} ${page.title}`, page.id] as const)
  const files = (await desk.admin.call('get', `${desk.url}${at}/content/files?limit=1000`).expect(200)).body.items
  const { app } = desk.here.service
  const { reusableContents } = await structureAt(
    app,
    { doc: { id: desk.space }, repo: await app.git.open(desk.space) },
    await headOf(desk, at),
  )
  return new Map([
    ...pages,
    ...files.map((file: any) => [`file ${file.name}`, file.id] as const),
    ...reusableContents.map((one) => [`reusable ${one.title}`, one.id] as const),
  ])
}

async function headOf(desk: Desk, at: string): Promise<CommitId> {
  return at === ''
    ? ((await desk.git('rev-parse', 'main')) as CommitId)
    : (await desk.admin.call('get', desk.url + at).expect(200)).body.revision
}

/** Returns the current IDs. Checks that they are unique and equal to those computed with cold caches. */
export async function soundIds(desk: Desk, at = ''): Promise<Map<string, string>> {
  const warm = await idsOf(desk, at)
  const { app } = desk.here.service
  assert.is(new Set(warm.values()).size, warm.size, `two entries share an ID: ${JSON.stringify([...warm])}`)
  // Whole responses may be cached, so the uncached ones come from the domain.
  app.content.clear()
  const doc = await app.store.get(spaces, desk.space)
  const head = await headOf(desk, at)
  const revision = await openRevision(
    app,
    { doc, role: 'admin', repo: await app.git.open(desk.space) } as LoadedSpace,
    head,
  )
  const files = await filesOf(app, revision)
  const cold = [...revision.structure.byId].map(([id, page]) => [`${page.type} ${page.title}`, id])
  const all = [
    ...cold,
    ...files.map((file) => [`file ${file.name}`, file.id]),
    ...revision.structure.reusableContents.map((one) => [`reusable ${one.title}`, one.id]),
  ]
  assert.equal(all.map(String).sort(), [...warm].map(String).sort(), 'cold and warm IDs differ')
  return warm
}
