/** What imported pages name: links, images and the like, with the address that each means. */
import type { Reference } from '../../content/reference.js'
import { unlessTooCostly } from '../../content/work/text-work.js'
import type { Gathering } from './gathering.js'
import type { SourcePage } from './source-page.js'

/** A reference in a page's text, with the address that it means: absolute, without fragment. */
export interface PageReference extends Pick<Reference, 'kind' | 'target' | 'start' | 'end'> {
  url: string
  /** `#part`, or ''. */
  fragment: string
}

/** Where a page's body begins in its text, and its references. */
export type ReferencesOf = ReadonlyMap<SourcePage, { bodyStart: number; references: readonly PageReference[] }>

/** Reads the references of all pages. Those that mean no address are left out. */
export async function readReferences({ app, spaceId }: Gathering, pages: readonly SourcePage[]): Promise<ReferencesOf> {
  const work = app.texts.for(spaceId)
  const all = new Map<SourcePage, { bodyStart: number; references: readonly PageReference[] }>()
  for (const page of pages) {
    await work.pause()
    const bodyStart = page.text.startsWith('---') ? (await work.page(page.text, page.name)).bodyStart : 0
    const found = await unlessTooCostly(work.references(page.text.slice(bodyStart)), [])
    all.set(page, { bodyStart, references: found.flatMap((one) => addressed(one, page.url)) })
  }
  return all
}

function addressed({ kind, target, start, end }: Reference, base: string): PageReference[] {
  if (target === '' || target.startsWith('#') || !URL.canParse(target, base)) return []
  const url = new URL(target, base)
  if (!['http:', 'https:', 'archive:'].includes(url.protocol)) return []
  const { hash } = url
  url.hash = ''
  return [{ kind, target, start, end, url: url.href, fragment: hash }]
}

/** Whether what a reference names is shown in the page itself, so that it belongs to it. */
export const isShown = ({ kind }: PageReference): boolean => kind === 'image' || kind === 'html-image'
