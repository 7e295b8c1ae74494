/** The cover picture of a page of a site. */
import { decodePercent, folderOf, normalizePath } from '../../content/paths.js'
import type { PageAttributes } from '../../content/types.js'
import type { App } from '../context/app.js'
import { pathOfFile } from './visitor-page.js'
import type { ReadPage } from './visitor-paths.js'

/** The addresses of a cover for light and dark pages. */
export interface Cover {
  light: string
  dark: string
  /** The part that is shown, from 0 (the top of the picture) to 4 (its end). */
  part: number
}

/** Pixels by which `coverY` moves the picture for each step. */
const STEP_PX = 100
/** The step that shows the middle of the picture. */
const MIDDLE = 2

/**
 * Returns the cover of a page. Null if it has none that can be shown.
 * @param base the path of the site as links need it, without a trailing slash
 */
export async function coverOf(
  app: App,
  page: ReadPage,
  { attributes, gitPath }: { attributes: PageAttributes; gitPath?: string },
  base: string,
): Promise<Cover | null> {
  const { cover, layout } = attributes
  if (!cover || layout?.cover === false || gitPath === undefined) return null
  const light = await addressOf(app, page, cover.ref, gitPath, base)
  const dark = await addressOf(app, page, cover.refDark, gitPath, base)
  const one = light ?? dark
  if (one === null) return null
  // A positive offset moves the picture down.
  const part = Math.min(2 * MIDDLE, Math.max(0, MIDDLE - Math.round((cover.yPos ?? 0) / STEP_PX)))
  return { light: light ?? one, dark: dark ?? one, part }
}

async function addressOf(
  app: App,
  { siteSpace, pages: { revision } }: ReadPage,
  target: string | undefined,
  from: string,
  base: string,
): Promise<string | null> {
  if (target === undefined) return null
  if (/^https:\/\//i.test(target)) return target
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target)) return null
  const { root } = revision.structure.config
  const written = decodePercent(target.replace(/^\/+/, '')) ?? ''
  for (const folder of target.startsWith('/') ? [root] : [folderOf(from), root]) {
    const path = normalizePath(written, folder)
    if (path && (await revision.snapshot.entry(path)) !== null) return base + pathOfFile(app, siteSpace, path)
  }
  return null
}
