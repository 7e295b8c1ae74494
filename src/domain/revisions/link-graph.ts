/** Builds and caches the links of revisions. */
import { required } from '../../kernel/defined.js'
import { checkAnchors, type FindAnchor, filesWithAnchors } from '../../content/links/check-anchors.js'
import { buildGraph, type LinkGraph, type LinkingFile, type UncheckedGraph } from '../../content/links/link-graph.js'
import { type OutwardLinks, outwardLinks } from '../../content/links/outward-links.js'
import { anchorOfLink } from '../../content/outline/anchors.js'
import { anchorFinder } from '../../content/outline/find-anchor.js'
import { isMarkdown } from '../../content/paths.js'
import { isFile } from '../../content/read-file.js'
import type { ResolvedReference } from '../../content/resolve-reference.js'
import { Submodules } from '../../content/submodules.js'
import { eachInSlices, inSlices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { KnownPage } from '../context/content-cache.js'
import type { OpenRevision } from './revisions.js'
import { SharedWork } from './shared-work.js'
import { ofLinks } from './weights.js'

const pending = new SharedWork<LinkGraph>()

/**
 * Returns all links of a revision. They are built in slices from the facts of its files, without parsing. Throws 503 if
 * too many texts wait for their facts.
 */
export async function linksOf(app: App, revision: OpenRevision): Promise<LinkGraph> {
  const key = `${revision.space.doc.id}:${revision.snapshot.commit}`
  return app.content.links.get(key) ?? pending.run(app, key, () => build(app, revision, key))
}

async function build(app: App, revision: OpenRevision, key: string): Promise<LinkGraph> {
  const { structure, snapshot, space } = revision
  const entries = await snapshot.walk()
  const [oids, folded] = [new Map<string, string>(), new Map<string, string>()]
  await eachInSlices(entries, (entry) => {
    if (!isFile(entry)) return
    oids.set(entry.path, entry.oid)
    folded.set(entry.path.toLowerCase(), entry.path)
  })
  const submodules = new Submodules(entries)
  const read = [...structure.byGitPath.keys(), ...structure.reusableContents.map(({ gitPath }) => gitPath)].filter(
    (path) => oids.has(path),
  )
  const blobs = read.map((path) => required(oids.get(path)))
  const [references, pages] = await Promise.all([
    app.pages.references(space.doc.id, snapshot, blobs),
    app.pages.pages(space.doc.id, snapshot, blobs),
  ])
  const files = new Map<string, LinkingFile>()
  await eachInSlices(read, (path) => {
    const oid = required(oids.get(path))
    files.set(path, { references: references.get(oid) ?? [], attributes: pages.get(oid)?.attributes ?? {} })
  })
  const reusable = new Map(structure.reusableContents.map(({ gitPath, id }) => [gitPath, id]))
  const unchecked = await inSlices(
    buildGraph({ structure, reusable, submodules, folded, exists: (path) => oids.has(path) }, files),
  )
  await inSlices(checkAnchors(unchecked, await anchorsIn(app, revision, filesWithAnchors(unchecked), oids)))
  const graph = withoutPending(unchecked)
  app.content.links.set(key, graph, await inSlices(ofLinks(graph)))
  return graph
}

/**
 * Returns the anchor lookup of each file. It omits files whose anchors are unknown: files that are not markdown, or
 * that are too costly to parse.
 */
async function anchorsIn(
  app: App,
  { snapshot, space }: OpenRevision,
  paths: ReadonlySet<string>,
  oids: ReadonlyMap<string, string>,
) {
  const files = [...paths].flatMap((path) => {
    const oid = oids.get(path)
    return oid !== undefined && isMarkdown(path) ? [[path, oid] as const] : []
  })
  const blobs = files.map(([, oid]) => oid)
  const [pages, outlines] = await Promise.all([
    app.pages.pages(space.doc.id, snapshot, blobs),
    app.pages.outlines(space.doc.id, snapshot, blobs),
  ])
  const found = new Map<string, FindAnchor>()
  for (const [path, oid] of files) {
    const outline = outlines.get(oid)
    if (outline && isWhole(pages.get(oid), outline)) found.set(path, anchorFinder(outline))
  }
  return found
}

/** Whether a page was parsed, so that its outline has all of its anchors. */
const isWhole = (
  page: KnownPage | undefined,
  {
    headings,
    anchors,
    scripts,
  }: { headings: readonly unknown[]; anchors: readonly unknown[]; scripts: readonly unknown[] },
): boolean =>
  page !== undefined &&
  page.limit === null &&
  page.size === undefined &&
  headings.length + anchors.length + scripts.length > 0

const withoutPending = ({ links, bySource, byTarget, byOrigin }: UncheckedGraph): LinkGraph => ({
  links,
  bySource,
  byTarget,
  byOrigin,
})

/**
 * Finds the anchor on a page that a fragment points to. Null if there is none. Undefined if it is unknown, since the
 * page includes other content or is too costly to parse.
 */
export async function anchorOn(
  app: App,
  revision: OpenRevision,
  gitPath: string,
  fragment: string,
): Promise<string | null | undefined> {
  const { snapshot, space } = revision
  const oid = (await snapshot.entry(gitPath))?.oid
  if (oid === undefined) return undefined
  const anchor = (await anchorsIn(app, revision, new Set([gitPath]), new Map([[gitPath, oid]]))).get(gitPath)?.(
    fragment,
  )
  if (anchor !== null) return anchor
  const references = (await app.pages.references(space.doc.id, snapshot, [oid])).get(oid) ?? []
  return references.some(({ kind }) => kind === 'include') ? undefined : null
}

/** Maximum number of files of one page's links in which anchors are looked up. */
const MAX_FILES = 200

/**
 * Returns a function that returns the ID of a link's target element, for a file and a fragment as written. It
 * accepts the same notations as the link check. An anchor that is not found, or that comes from included content,
 * is unchanged.
 */
export async function anchorsOfLinks(
  app: App,
  revision: OpenRevision,
  references: Iterable<ResolvedReference>,
): Promise<(gitPath: string, fragment: string) => string> {
  const paths = new Set<string>()
  for (const named of references) if ('anchor' in named && named.anchor) paths.add(named.gitPath)
  const oids = new Map<string, string>()
  for (const path of [...paths].slice(0, MAX_FILES)) {
    const entry = await revision.snapshot.entry(path)
    if (entry && isFile(entry)) oids.set(path, entry.oid)
  }
  const found = await anchorsIn(app, revision, new Set(oids.keys()), oids)
  return (gitPath, fragment) => found.get(gitPath)?.(fragment) ?? anchorOfLink(fragment)
}

/** Returns the addresses that the pages of a revision link to, by origin. This costs less than building all links. */
export async function addressesIn(app: App, { structure, snapshot, space }: OpenRevision): Promise<OutwardLinks> {
  const key = `${space.doc.id}:${snapshot.commit}`
  const known = app.content.addresses.get(key)
  if (known) return known
  const oids = new Map((await snapshot.walk()).map(({ path, oid }) => [path, oid]))
  const paths = [...structure.byGitPath.keys(), ...structure.reusableContents.map(({ gitPath }) => gitPath)]
  const references = await app.pages.references(
    space.doc.id,
    snapshot,
    paths.flatMap((path) => oids.get(path) ?? []),
  )
  const files = new Map(
    paths.map((path): [string, LinkingFile] => [
      path,
      { references: references.get(oids.get(path) ?? '') ?? [], attributes: {} },
    ]),
  )
  const found = await inSlices(outwardLinks(structure, files))
  app.content.addresses.set(key, found)
  return found
}
