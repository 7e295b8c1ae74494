import { createHash } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { Desk, PageJson } from '../../commits/fixture.js'
import { emptySide, type Known, type Side } from './model.js'

const blobOf = (text: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0`)
    .update(text)
    .digest('hex')

/** Returns the oids of a branch's files by path. */
async function oidsOf(desk: Desk, ref: string): Promise<Map<string, string>> {
  const listed = await desk.git('ls-tree', '-r', '-z', ref)
  return new Map(
    listed
      .split('\0')
      .filter(Boolean)
      .map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/)[2] as string]),
  )
}

/** Returns the service's view of a branch in the model's terms. Texts are replaced by the oids of their files. */
export async function lookAt(desk: Desk, at: string, ref: string): Promise<Side> {
  const [oids, response] = await Promise.all([
    oidsOf(desk, ref),
    desk.admin.call('get', `${desk.url}${at}/content/pages?metadata=true`).then((found: any) => found),
  ])
  assert.is(response.status, 200, response.text)
  const side = emptySide()
  const visit = (pages: readonly PageJson[], parent: string | null): void => {
    side.order.set(
      parent ?? '',
      pages.map((page) => page.id),
    )
    for (const page of pages) {
      assert.not(side.pages.has(page.id), `two pages have the ID ${page.id}`)
      const path = page.git?.path as string
      side.pages.set(page.id, { title: page.title, text: oids.get(path) ?? '', parent, path, born: path })
      visit(page.pages, page.id)
    }
  }
  visit(response.body.pages, null)
  return side
}

/** Every page's text, ID, position and path, one line each. */
function linesOf(side: Side, textOf: (page: Known) => string): string[] {
  const rank = (id: string, page: Known): number => (side.order.get(page.parent ?? '') ?? []).indexOf(id)
  return [...side.pages]
    .map(
      ([id, page]) =>
        `${id} ${page.title} in ${page.parent ?? '-'} at ${rank(id, page)}, ${page.path}: ${textOf(page)}`,
    )
    .sort()
}

/** Compares the service's data with the model. */
export function mustEqual(told: Side, model: Side, what: string): void {
  assert.equal(
    linesOf(told, (page) => page.text),
    linesOf(model, (page) => blobOf(page.text)),
    what,
  )
}
