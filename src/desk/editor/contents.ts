/** Changes to the table of contents: moves, new pages, new names, and deletions that can be undone. */
import type { Schemas } from '../api/client.js'
import { findPage, type Page, type Place } from '../space/space.js'
import { changeContent, loadSource } from './page-api.js'

/** The directions of a move. */
export type Direction = 'up' | 'down' | 'in' | 'out'

/** The position of an entry. */
export interface Position {
  into: string | null
  at: number
}

type Changes = Schemas['ContentChanges']['changes']

const siblingsOf = (pages: readonly Page[], above: readonly Page[]): readonly Page[] => above.at(-1)?.pages ?? pages

/** Returns the position of an entry; null if the tree lacks it. */
export function positionOf(
  pages: readonly Page[],
  id: string,
): (Position & { count: number; parent: Page | null }) | null {
  const found = findPage(pages, id)
  if (!found) return null
  const siblings = siblingsOf(pages, found.above)
  const parent = found.above.at(-1) ?? null
  return {
    into: parent?.id ?? null,
    at: siblings.findIndex((one) => one.id === id),
    count: siblings.length,
    parent,
  }
}

/** Returns the position after one step in a direction; null if there is none. */
export function stepFrom(pages: readonly Page[], id: string, direction: Direction): Position | null {
  const found = findPage(pages, id)
  const now = positionOf(pages, id)
  if (!found || !now) return null
  const siblings = siblingsOf(pages, found.above)
  if (direction === 'up') return now.at > 0 ? { into: now.into, at: now.at - 1 } : null
  if (direction === 'down') return now.at < siblings.length - 1 ? { into: now.into, at: now.at + 1 } : null
  if (direction === 'in') {
    const before = siblings[now.at - 1]
    return before && (before.type === 'document' || before.type === 'group') && found.page.type !== 'group'
      ? { into: before.id, at: before.pages.length }
      : null
  }
  const parent = now.parent && positionOf(pages, now.parent.id)
  return parent ? { into: parent.into, at: parent.at + 1 } : null
}

/** Moves an entry. Throws `ApiError`. */
export const move = (place: Place, page: Pick<Page, 'id' | 'type'>, { into, at }: Position) =>
  changeContent(place, [
    page.type === 'group'
      ? { operation: 'update_group', page: page.id, into, at }
      : { operation: 'update_page', page: page.id, into, at },
  ])

/** Renames an entry. Throws `ApiError`. */
export const rename = (place: Place, page: Pick<Page, 'id' | 'type'>, title: string) =>
  changeContent(place, [
    page.type === 'group'
      ? { operation: 'update_group', page: page.id, title }
      : { operation: 'update_page', page: page.id, title },
  ])

/** Creates an empty page after another one. Returns its ID. Throws `ApiError`. */
export async function addPage(place: Place, title: string, after: (Position & { count: number }) | null) {
  const [made] = await changeContent(place, [
    {
      operation: 'insert_page',
      title,
      document: { markdown: `# ${title}\n` },
      ...(after ? { into: after.into, at: after.at + 1 } : {}),
    },
  ])
  return made?.page ?? null
}

/** Deletes a page with the pages below it. Returns a function that restores them. Throws `ApiError`. */
export async function remove(place: Place, pages: readonly Page[], page: Page): Promise<() => Promise<void>> {
  const position = positionOf(pages, page.id)
  const texts = new Map<string, string>()
  const read = async (one: Page): Promise<void> => {
    if (one.type === 'document') texts.set(one.id, (await loadSource(place, one.id)).markdown)
    for (const below of one.pages) await read(below)
  }
  await read(page)
  await changeContent(place, [
    page.type === 'group' ? { operation: 'delete_group', page: page.id } : { operation: 'delete_page', page: page.id },
  ])
  const restore = async (one: Page, { into, at }: Position): Promise<void> => {
    const [made] = await changeContent(place, [restored(one, texts.get(one.id), { into, at })])
    for (const [index, below] of one.pages.entries()) await restore(below, { into: made?.page ?? null, at: index })
  }
  return () => restore(page, position ?? { into: null, at: 0 })
}

function restored(page: Page, text: string | undefined, { into, at }: Position): Changes[number] {
  const { title } = page
  if (page.type === 'group') return { operation: 'insert_group', title, into, at }
  if (text === undefined) return { operation: 'insert_link', title, href: page.href ?? '', into, at }
  return { operation: 'insert_page', title, slug: page.slug, document: { markdown: text }, into, at }
}
