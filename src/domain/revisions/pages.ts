// Finds pages, files and reusable content of an opened revision, by ID or path.
import { required } from '../../kernel/defined.js'
import { resolveRedirect } from '../../content/config.js'
import { evaluateMarkdown } from '../../content/evaluate.js'
import { imageDimensions } from '../../content/image-dimensions.js'
import { resolveReference } from '../../content/resolve-reference.js'
import { isFile } from '../../content/read-file.js'
import type { FileEntry, PageEntry } from '../../content/types.js'
import type { NamedPart } from '../../content/specs/named-part.js'
import { unlessTooCostly } from '../../content/work/text-work.js'
import type { Snapshot } from '../../git/index.js'
import { notFound } from '../../kernel/errors.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import { type LfsFile, lfsFileOf } from './lfs-files.js'
import { parsePage } from './page-source.js'
import { readPart } from './spec-parts.js'
import { filesOf, type OpenRevision } from './revisions.js'

/**
 * A file of a revision with its size and, for images, its dimensions. For an available Git LFS object, these are the
 * values of the object.
 */
export interface LoadedFile {
  place: FileEntry
  oid: string
  /** Bytes. */
  size: number
  dimensions: { width: number; height: number } | null
  lfs: LfsFile | null
}

/** Maximum size of an image that is read for its dimensions. */
const MAX_IMAGE_BYTES = 32 * 1024 * 1024
/** Number of bytes of a Git LFS object that are read for its dimensions. */
const HEAD_BYTES = 256 * 1024
const IMAGE = /\.(png|jpe?g|gif|webp|svg|avif|bmp|ico|tiff?)$/i

/** Returns a page by ID. Throws 404. */
export function getPage(revision: OpenRevision, id: string): PageEntry {
  const page = revision.structure.byId.get(id)
  if (!page) throw notFound(`Page ${id}`)
  return page
}

/** Finds a page by its path or a redirect, or null. Slashes at both ends are ignored. '' is the first page. */
export function findPageByPath({ structure }: Pick<OpenRevision, 'structure'>, path: string): PageEntry | null {
  const wanted = path.replace(/^\/+|\/+$/g, '')
  const { byPath, pages } = structure
  const page =
    wanted === ''
      ? (pages.find((one) => one.type === 'document') ?? pages[0])
      : (byPath.get(wanted) ?? resolveRedirect(structure, wanted))
  return page ?? null
}

/** Returns a page by its path or a redirect, like `findPageByPath`. Throws 404. */
export function getPageByPath(revision: OpenRevision, path: string): PageEntry {
  const page = findPageByPath(revision, path)
  if (!page) throw notFound(`Page ${path}`)
  return page
}

/** Loads sizes and image dimensions of files. Omits files that the revision lacks. */
export async function loadFiles(app: App, revision: OpenRevision, places: readonly FileEntry[]): Promise<LoadedFile[]> {
  const slices = new Slices()
  const found: { place: FileEntry; oid: string }[] = []
  for (const place of places) {
    if (slices.due) await slices.rest()
    const entry = await revision.snapshot.entry(place.gitPath)
    if (entry !== null) found.push({ place, oid: entry.oid })
  }
  const sizes = await revision.snapshot.sizes(found.map(({ oid }) => oid))
  const loaded: LoadedFile[] = []
  // Sequential, since each file may be an image of many megabytes.
  for (const [index, { place, oid }] of found.entries()) {
    if (slices.due) await slices.rest()
    const size = required(sizes[index])
    const lfs = await lfsFileOf(app, revision.space.doc.id, revision.snapshot, oid, size)
    if (lfs?.state === 'present')
      loaded.push({ place, oid, size: lfs.size, dimensions: await dimensionsOfObject(app, lfs, place.name), lfs })
    else
      loaded.push({
        place,
        oid,
        size,
        dimensions: lfs ? null : await dimensionsOf(app, revision, oid, place.name, size),
        lfs,
      })
  }
  return loaded
}

async function dimensionsOf(
  app: App,
  revision: OpenRevision,
  oid: string,
  name: string,
  size: number,
): Promise<{ width: number; height: number } | null> {
  if (size > MAX_IMAGE_BYTES || !IMAGE.test(name)) return null
  const known = app.content.dimensions.get(oid)
  if (known !== undefined) return known === 'none' ? null : known
  const dimensions = imageDimensions(await revision.snapshot.read(oid))
  app.content.dimensions.set(oid, dimensions ?? 'none')
  return dimensions
}

async function dimensionsOfObject(app: App, { oid }: LfsFile, name: string): Promise<LoadedFile['dimensions']> {
  if (!IMAGE.test(name)) return null
  const key = `lfs:${oid}`
  const known = app.content.dimensions.get(key)
  if (known !== undefined) return known === 'none' ? null : known
  const head = await app.lfsFiles.head(oid, HEAD_BYTES).catch(() => null)
  if (head === null) return null
  const dimensions = imageDimensions(head)
  app.content.dimensions.set(key, dimensions ?? 'none')
  return dimensions
}

/** Returns a file by ID. Throws 404. */
export async function getFile(app: App, revision: OpenRevision, id: string): Promise<LoadedFile> {
  const place = (await filesOf(app, revision)).find((file) => file.id === id)
  const [file] = place ? await loadFiles(app, revision, [place]) : []
  if (!file) throw notFound(`File ${id}`)
  return file
}

/** Returns a piece of reusable content, without front matter. Throws 404. */
export async function readReusable(
  app: App,
  revision: OpenRevision,
  id: string,
): Promise<{ place: OpenRevision['structure']['reusableContents'][number]; oid: string; markdown: string }> {
  const place = revision.structure.reusableContents.find((one) => one.id === id)
  const entry = place ? await revision.snapshot.entry(place.gitPath) : null
  if (!place || !entry) throw notFound(`Reusable content ${id}`)
  const page = await parsePage(app, revision.space.doc.id, revision.snapshot, entry.oid, place.gitPath)
  return { place, oid: entry.oid, markdown: page.hidden ?? page.large ?? page.source.markdown }
}

/** Looks up files of a revision without listing all of them. */
export class KnownFiles {
  // bound: the targets of one page, as written
  readonly #known = new Map<string, boolean>()

  constructor(private readonly snapshot: Pick<Snapshot, 'entry'>) {}

  /** Repeats work until all requested files are loaded. Each round loads at least one more. */
  async during<T>(work: (has: (path: string) => boolean) => T): Promise<T> {
    for (;;) {
      const asked: string[] = []
      const result = work((path) => {
        const known = this.#known.get(path)
        if (known === undefined) asked.push(path)
        return known ?? false
      })
      if (asked.length === 0) return result
      for (const path of asked) {
        const entry = await this.snapshot.entry(path)
        this.#known.set(path, entry !== null && isFile(entry))
      }
    }
  }
}

/** Text that evaluation may replace. */
const FILLED = /\{%|class="expression"/

/**
 * Returns the markdown of the file `gitPath` with reusable content, variables and parts of specifications filled in.
 * @param onPart receives each part with its stored form, for media that do not show it as markdown
 */
export async function evaluate(
  app: App,
  revision: OpenRevision,
  gitPath: string,
  markdown: string,
  pageVariables: Readonly<Record<string, string>> = {},
  onPart: (part: NamedPart, shown: readonly string[]) => void = () => {},
): Promise<string> {
  if (!FILLED.test(markdown)) return markdown
  const { structure, snapshot } = revision
  const files = new KnownFiles(snapshot)
  const readIncluded = async (path: string): Promise<string | null> => {
    const isReusable = structure.reusableContents.some((place) => place.gitPath === path)
    const entry = isReusable ? await snapshot.entry(path) : null
    const page = entry && (await parsePage(app, revision.space.doc.id, snapshot, entry.oid, path))
    return page === null || page.large !== undefined ? null : page.source.markdown
  }
  const { id, organization } = revision.space.doc
  const { moment } = revision
  const fillPart = async (part: NamedPart): Promise<string | null> => {
    const found = await readPart(app, id, organization, part, moment ?? null)
    if (found) onPart(part, found.shown)
    return found?.text ?? null
  }
  const around = {
    ...(moment === undefined ? {} : { readPart: fillPart }),
    structure,
    pageVariables,
    resolve: (target: string, from: string) => files.during((has) => resolveReference(target, from, structure, has)),
    readIncluded,
    work: app.texts.for(id),
  }
  // If evaluation is too costly, the markdown stays unchanged.
  return unlessTooCostly(evaluateMarkdown(markdown, gitPath, around), markdown)
}
