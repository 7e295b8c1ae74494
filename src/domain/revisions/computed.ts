/** Opens revisions as readers see them: with the pages that computed entries generate. */
import { createHash } from 'node:crypto'
import { withGenerated, type GeneratedPages } from '../../content/computed-tree.js'
import { OPENAPI_TYPE, specOf, specPages, type SpecPageEntry } from '../../content/specs/spec-pages.js'
import type { ComputedEntry, ContentStructure, GeneratedEntry } from '../../content/types.js'
import { TextTooCostly } from '../../content/work/text-work.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { CommitId } from '../../kernel/ids.js'
import { eachInSlices, inSlices } from '../../kernel/slices.js'
import type { PartIndex } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { MAIN } from '../context/refs.js'
import { partIndexOf, readParts } from '../openapi/parts.js'
import { findSpecAt, type Moment, type SpecAt } from '../openapi/spec-at.js'
import { type OpenRevision, openRevision } from './revisions.js'
import { ofStructure } from './weights.js'
import { defined, required } from '../../kernel/defined.js'

/** Maximum number of generated pages per revision. Entries beyond the limit generate none. */
const MAX_PAGES = 10_000

/** Returns the moment whose specification versions a revision shows, unless it is the head of a change request. */
export async function momentOf(space: LoadedSpace, { snapshot }: Pick<OpenRevision, 'snapshot'>): Promise<Moment> {
  const isOpen = space.repo.refs.head(MAIN) === snapshot.commit && space.doc.editMode !== 'locked'
  return isOpen ? null : (await space.repo.objects.commit(snapshot.commit)).committer.seconds
}

/** Opens a revision as readers see it. `isChangeRequest` marks the head of a change request. */
export async function openShown(
  app: App,
  space: LoadedSpace,
  commit: CommitId,
  isChangeRequest = false,
): Promise<OpenRevision> {
  const written = await openRevision(app, space, commit)
  return withComputed(app, written, isChangeRequest ? null : await momentOf(space, written))
}

/** Lists the computed entries of a structure. */
async function entriesOf({ byId }: ContentStructure): Promise<ComputedEntry[]> {
  const entries: ComputedEntry[] = []
  await eachInSlices(byId.values(), (entry) => {
    if (entry.type === 'computed' && entry.computed.type === OPENAPI_TYPE) entries.push(entry)
  })
  return entries
}
const known = new WeakMap<ContentStructure, ComputedEntry[]>()

/** An entry and the specification that it refers to. */
interface SpecificationEntry {
  entry: ComputedEntry
  slug: string | null
  found: SpecAt | null
}

/**
 * Adds the pages of computed entries to a revision, for the specifications at a moment. Diagnostics state why an entry
 * has none.
 */
export async function withComputed(app: App, revision: OpenRevision, moment: Moment): Promise<OpenRevision> {
  const { structure, space, snapshot } = revision
  const shown = { ...revision, moment }
  const entries = known.get(structure) ?? (await entriesOf(structure))
  known.set(structure, entries)
  if (entries.length === 0) return shown
  const named: SpecificationEntry[] = []
  for (const entry of entries) {
    const slug = specOf(entry)
    named.push({
      entry,
      slug,
      found: slug === null ? null : await findSpecAt(app, space.doc.organization, slug, moment),
    })
  }
  const versions = named.map(({ slug, found }) => `${slug} ${found?.version?.index ?? String(found !== null)}`)
  const key = `${space.doc.id}:${snapshot.commit}:${createHash('sha256').update(versions.join('\n')).digest('base64')}`
  const before = app.content.computed.get(key)
  if (before) return { ...shown, structure: before }
  const { yields, diagnostics } = await generatePages(app, structure.config.summary, named)
  const result = await inSlices(withGenerated(structure, yields, diagnostics))
  app.content.computed.set(key, result, await inSlices(ofStructure(result)))
  return { ...shown, structure: result }
}

async function generatePages(
  app: App,
  file: string,
  named: readonly SpecificationEntry[],
): Promise<{ yields: Map<string, GeneratedPages>; diagnostics: Diagnostic[] }> {
  const yields = new Map<string, GeneratedPages>()
  const diagnostics: Diagnostic[] = []
  let pages = 0
  for (const one of named) {
    const { entry, slug } = one
    const { line } = entry
    const report = (message: string): unknown =>
      diagnostics.push({ code: 'computed-page', message, file, ...defined({ line }) })
    const result = await pagesOf(app, one)
    const count = 'pages' in result ? countOf(result.pages) : 0
    if ('problem' in result) report(result.problem)
    else if ((pages += count) > MAX_PAGES)
      report(
        `This revision has more than ${MAX_PAGES} computed pages, so the pages of ${slug} are omitted. Group by tag, or use fewer specifications.`,
      )
    else {
      yields.set(entry.id, { pages: result.pages, spec: required(slug), file: result.file })
      if (result.left > 0)
        report(
          `${result.left} operations of ${slug} are not shown. The limits of a specification are 5000 operations, 4 MiB of names and 64 MiB of text. Split it.`,
        )
    }
  }
  return { yields, diagnostics }
}

const countOf = (pages: readonly SpecPageEntry[]): number => pages.reduce((sum, one) => sum + 1 + one.pages.length, 0)

type ComputedPages = { pages: SpecPageEntry[]; file: string; left: number } | { problem: string }

async function pagesOf(app: App, { entry, slug, found }: SpecificationEntry): Promise<ComputedPages> {
  if (slug === null)
    return { problem: 'This entry names no specification. Set dependencies.spec.ref.spec to the slug of one.' }
  if (!found)
    return {
      problem: `The organization has no OpenAPI specification ${JSON.stringify(slug.slice(0, 200))}. Create it, or correct the slug.`,
    }
  if (!found.version)
    return {
      problem: `The OpenAPI specification ${slug} has no version yet. Check its lastProcessError.`,
    }
  const index: PartIndex | null = await partIndexOf(app, found.version)
  if (!index)
    return {
      problem: `The pages of ${slug} are missing on the server. An administrator can repair them with \`bindery fsck\`.`,
    }
  const pages = specPages(index, entry.computed.props)
  return pages.length === 0
    ? { problem: `The OpenAPI specification ${slug} has no operations.` }
    : { pages, file: found.version.parts, left: index.left.operations }
}

/** Returns the markdown of a generated page. `limit` is a sentence with the reason why it is empty, or null. */
export async function generatedMarkdown(
  app: App,
  owner: string,
  { shown }: GeneratedEntry,
): Promise<{ markdown: string; limit: string | null }> {
  const parts = await readParts(app, shown.file, shown.parts)
  if (!parts)
    return {
      markdown: '',
      limit: 'Its content is missing on the server. An administrator can repair it with `bindery fsck`.',
    }
  const { spec, about, headed, rest } = shown
  const head = JSON.stringify({ spec, headed, rest, ...defined({ description: about }) })
  const order = `${head.slice(0, -1)},"parts":[${parts.map((one) => one.shown).join()}]}`
  try {
    return {
      markdown: Buffer.from(await app.texts.bytes(owner, 'specPage', [order], digestOf({ shown }))).toString(),
      limit: null,
    }
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    return { markdown: '', limit: error.message }
  }
}

/** Returns a digest of the content of a generated page (40 hexadecimal digits). */
export const digestOf = ({ shown }: Pick<GeneratedEntry, 'shown'>): string =>
  createHash('sha256')
    .update(JSON.stringify([shown.spec, shown.about, shown.headed, shown.rest, shown.parts.map(({ hash }) => hash)]))
    .digest('hex')
    .slice(0, 40)
