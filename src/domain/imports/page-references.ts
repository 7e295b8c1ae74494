/** Reads the references of imported pages (links, images and so on) and resolves their addresses. */
import type { Reference } from '../../content/reference.js'
import { unlessTooCostly } from '../../content/work/text-work.js'
import type { Gathering } from './gathering.js'
import type { SourcePage } from './source-page.js'

/** A reference in a page's text, and its absolute address without the fragment. */
export interface PageReference extends Pick<Reference, 'kind' | 'target' | 'start' | 'end'> {
  url: string
  /** The fragment (`#part`), or ''. */
  fragment: string
}

/** Start of a page's body in its text, and its references. */
export type ReferencesOf = ReadonlyMap<SourcePage, { bodyStart: number; references: readonly PageReference[] }>

/** Reads the references of all pages. References without a usable address are left out. */
export async function readReferences({ app, spaceId }: Gathering, pages: readonly SourcePage[]): Promise<ReferencesOf> {
  const work = app.texts.for(spaceId)
  const all = new Map<SourcePage, { bodyStart: number; references: readonly PageReference[] }>()
  for (const page of pages) {
    await work.pause()
    const bodyStart = page.text.startsWith('---') ? (await work.page(page.text, page.name)).bodyStart : 0
    const found = await unlessTooCostly(work.references(page.text.slice(bodyStart)), [])
    all.set(page, { bodyStart, references: found.flatMap((one) => resolve(one, page.url)) })
  }
  return all
}

function resolve({ kind, target, start, end }: Reference, base: string): PageReference[] {
  if (target === '' || target.startsWith('#') || !URL.canParse(target, base)) return []
  const url = new URL(target, base)
  if (!['http:', 'https:', 'archive:'].includes(url.protocol)) return []
  const { hash } = url
  url.hash = ''
  return [{ kind, target, start, end, url: url.href, fragment: hash }]
}

/** Whether the page itself shows the referenced file, which is then part of the page. */
export const isShown = ({ kind }: PageReference): boolean => kind === 'image' || kind === 'html-image'
