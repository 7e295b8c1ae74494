/** Finds the page for a path that is not its canonical path: another notation, a redirect, or a former path. */
import { foldPath } from '../../content/site-path.js'
import type { ContentStructure, PageEntry } from '../../content/types.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import { findPageByPath } from '../revisions/pages.js'
import { findFormerPage } from '../revisions/former-paths.js'
import type { VisitorPages } from './visitor-pages.js'

type Folded = ReadonlyMap<string, PageEntry>

// bound: the structures that are in memory
const spellings = new WeakMap<ContentStructure, Promise<Folded>>()

/** Returns a page that the visitor may read, by another notation of its path, a redirect or a former path. */
export async function findByOtherPath(app: App, pages: VisitorPages, path: string): Promise<PageEntry | null> {
  const { structure } = pages.revision
  const wanted = path.replace(/^\/+|\/+$/g, '')
  const known = spellings.get(structure) ?? folded(structure)
  spellings.set(structure, known)
  const spelled = (await known).get(foldPath(wanted))
  const found = spelled && pages.find(spelled.id)
  if (found) return found
  const named = findPageByPath(pages.revision, wanted)
  const target = named && pages.find(named.id)
  if (target) return target
  const former = await findFormerPage(app, pages.revision, wanted)
  return former && pages.find(former.id)
}

async function folded(structure: ContentStructure): Promise<Folded> {
  const found = new Map<string, PageEntry>()
  const slices = new Slices()
  for (const [path, entry] of structure.byPath) {
    if (slices.due) await slices.rest()
    const spelling = foldPath(path)
    if (!found.has(spelling)) found.set(spelling, entry)
  }
  return found
}
