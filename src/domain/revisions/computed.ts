/** Revisions as readers see them: with the pages that computed entries yield. */
import { createHash } from 'node:crypto'
import { withGenerated, type GeneratedPages } from '../../content/computed-tree.js'
import { OPENAPI_TYPE, specOf, specPages, type SpecPageEntry } from '../../content/specs/spec-pages.js'
import type { ComputedEntry, ContentStructure, GeneratedEntry } from '../../content/types.js'
import { TextTooCostly } from '../../content/work/text-work.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { CommitId } from '../../kernel/ids.js'
import { inSlices } from '../../kernel/slices.js'
import type { PartIndex } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { MAIN } from '../context/refs.js'
import { partIndexOf, readParts } from '../openapi/parts.js'
import { findSpecAt, type Moment, type SpecAt } from '../openapi/spec-at.js'
import { type OpenRevision, openRevision } from './revisions.js'
import { ofStructure } from './weights.js'

/** Pages that all entries of one revision yield together: the entries that would go beyond it stay without. */
const MAX_PAGES = 10_000

/** Which versions of specifications a revision shows, if it is not said that it is the head of a change request. */
export async function momentOf(space: LoadedSpace, { snapshot }: Pick<OpenRevision, 'snapshot'>): Promise<Moment> {
  const isOpen = space.repo.head(MAIN) === snapshot.commit && space.doc.editMode !== 'locked'
  return isOpen ? null : (await space.repo.commit(snapshot.commit)).committer.seconds
}

/** Opens a revision as readers see it. `isChangeRequest`: it is the head of one. */
export async function openShown(
  app: App,
  space: LoadedSpace,
  commit: CommitId,
  isChangeRequest = false,
): Promise<OpenRevision> {
  const written = await openRevision(app, space, commit)
  return withComputed(app, written, isChangeRequest ? null : await momentOf(space, written))
}

/** The computed entries of a structure, by ID. */
const entriesOf = ({ byId }: ContentStructure): ComputedEntry[] =>
  [...byId.values()].filter(
    (entry): entry is ComputedEntry => entry.type === 'computed' && entry.computed.type === OPENAPI_TYPE,
  )
const known = new WeakMap<ContentStructure, ComputedEntry[]>()

/** An entry with the specification that it names. */
interface SpecificationEntry {
  entry: ComputedEntry
  slug: string | null
  found: SpecAt | null
}

/** The revision with the pages of its computed entries, as its specifications were at a moment. Diagnostics say why an entry has none. */
export async function withComputed(app: App, revision: OpenRevision, moment: Moment): Promise<OpenRevision> {
  const { structure, space, snapshot } = revision
  const shown = { ...revision, moment }
  const entries = known.get(structure) ?? entriesOf(structure)
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
  const { yields, diagnostics } = await yieldsOf(app, structure.config.summary, named)
  const made = await inSlices(withGenerated(structure, yields, diagnostics))
  app.content.computed.set(key, made, await inSlices(ofStructure(made)))
  return { ...shown, structure: made }
}

async function yieldsOf(
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
    const tell = (message: string): unknown =>
      diagnostics.push({ code: 'computed-page', message, file, ...(line === undefined ? {} : { line }) })
    const made = await pagesOf(app, one)
    const count = 'pages' in made ? countOf(made.pages) : 0
    if ('problem' in made) tell(made.problem)
    else if ((pages += count) > MAX_PAGES)
      tell(
        `The computed pages of this revision are more than ${MAX_PAGES}, so those of ${slug} are left out. Group by tag, or use fewer specifications.`,
      )
    else {
      yields.set(entry.id, { pages: made.pages, spec: slug as string, file: made.file })
      if (made.left > 0)
        tell(
          `${made.left} operations of ${slug} are not shown: a specification may have 5000, with 4 MiB of names and 64 MiB of text. Split it.`,
        )
    }
  }
  return { yields, diagnostics }
}

const countOf = (pages: readonly SpecPageEntry[]): number => pages.reduce((sum, one) => sum + 1 + one.pages.length, 0)

type ComputedPages = { pages: SpecPageEntry[]; file: string; left: number } | { problem: string }

async function pagesOf(app: App, { entry, slug, found }: SpecificationEntry): Promise<ComputedPages> {
  if (slug === null)
    return { problem: 'This entry names no specification: give it dependencies.spec.ref.spec, the slug of one.' }
  if (!found)
    return {
      problem: `The organization has no OpenAPI specification ${JSON.stringify(slug.slice(0, 200))}. Create it, or correct the slug.`,
    }
  if (!found.version)
    return {
      problem: `The OpenAPI specification ${slug} has no version yet. Its lastProcessError says whether something is wrong with it.`,
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

/** The markdown of a generated page. `limit`: why it is empty, as a sentence; null if it is not. */
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
  const head = JSON.stringify({ spec, headed, rest, ...(about === undefined ? {} : { description: about }) })
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

/** A digest of all that a generated page shows (40 hexadecimal digits). */
export const digestOf = ({ shown }: Pick<GeneratedEntry, 'shown'>): string =>
  createHash('sha256')
    .update(JSON.stringify([shown.spec, shown.about, shown.headed, shown.rest, shown.parts.map(({ hash }) => hash)]))
    .digest('hex')
    .slice(0, 40)
