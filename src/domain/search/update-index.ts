/** Updates the index of a space to the head of main. */
import { anchorOf } from '../../content/outline/anchors.js'
import type { DocumentEntry, GeneratedEntry, PageEntry } from '../../content/types.js'
import { ServiceError } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import { filterInSlices, inSlices, Slices } from '../../kernel/slices.js'
import type { IndexedPage, IndexedText } from '../../search/index.js'
import type { App } from '../context/app.js'
import type { KnownPage } from '../context/content-cache.js'
import type { LoadedSpace } from '../context/loaded.js'
import { readParts } from '../openapi/parts.js'
import { digestOf, openShown } from '../revisions/computed.js'
import { headOf } from '../revisions/main-content.js'
import { knownPages } from '../revisions/revisions.js'

/**
 * Number of blobs whose texts are read at once, and of characters that are sent to the thread at once. Each transaction
 * counts the words of its texts once.
 */
const BLOBS_AT_ONCE = 32
const CHARACTERS_AT_ONCE = 2 * 1024 * 1024
/**
 * Minimum number of texts after which a first index can be searched although it is incomplete. Each further part has
 * twice as many, so that all parts together are published in the time of two.
 */
const MIN_PART = 1_000
/** The start of the revision of an incomplete first index. */
const INCOMPLETE = 'incomplete:'
/** Returns the revision that an index has while it contains a part of the pages of a revision. */
export const partOf = (revision: string): string => INCOMPLETE + revision
/** Maximum number of attempts if the index file is deleted or main moves during an update. */
const ATTEMPTS = 3

/** The pages of a revision that can be found. */
interface Searchable {
  revision: CommitId
  pages: IndexedPage[]
  descriptions: Map<string, string>
  /** Generated pages by the digest that replaces a blob ID. */
  generated: Map<string, GeneratedEntry>
}

/**
 * Returns the pages of a revision that can be found: all except hidden ones, those with `noIndex`, and their subpages.
 * Drafts, links and groups have no text.
 */
export async function searchablePages(app: App, space: LoadedSpace, revision: CommitId): Promise<Searchable> {
  const opened = await openShown(app, space, revision)
  const known = await knownPages(app, opened, opened.structure.byGitPath.values())
  const pages: IndexedPage[] = []
  const descriptions = new Map<string, string>()
  const generated = new Map<string, GeneratedEntry>()
  const add = ({ id, title, path }: DocumentEntry, { oid, page }: { oid: string; page: KnownPage }): void => {
    pages.push({ id, oid, title, path })
    if (page.attributes.description !== undefined) descriptions.set(oid, page.attributes.description)
  }
  const addGenerated = (entry: GeneratedEntry): void => {
    const oid = digestOf(entry)
    pages.push({ id: entry.id, oid, title: entry.title, path: entry.path })
    generated.set(oid, entry)
  }
  function* visit(entries: readonly PageEntry[]): Generator<void, void> {
    for (const entry of entries) {
      yield
      const found = entry.type === 'document' ? known.get(entry.gitPath) : undefined
      const { hidden, noIndex } = found?.page.attributes ?? {}
      if (hidden || noIndex) continue
      if (entry.type === 'document' && found) add(entry, found)
      if (entry.type === 'generated') addGenerated(entry)
      yield* visit(entry.pages)
    }
  }
  await inSlices(visit(opened.structure.pages))
  return { revision, pages, descriptions, generated }
}

/**
 * Updates the index of a space to the head of main, unless it is up to date. All callers share one update per space.
 */
export async function updateIndex(app: App, space: LoadedSpace): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS && !isUpToDate(app, space); attempt++)
    await (app.search.updates.get(space.doc.id) ?? start(app, space))
}

/** Whether the index of a space is known to have the head of main. */
export const isUpToDate = (app: App, space: LoadedSpace): boolean =>
  app.search.known.get(space.doc.id) === headOf(space)

function start(app: App, space: LoadedSpace): Promise<void> {
  const { id } = space.doc
  const running = update(app, space).finally(() => app.search.updates.delete(id))
  app.search.updates.set(id, running)
  return running
}

async function update(app: App, space: LoadedSpace): Promise<void> {
  const { id } = space.doc
  const head = headOf(space)
  const indexed = app.search.known.get(id) ?? (await app.search.revision(id))
  if (indexed === head) {
    app.search.known.set(id, head)
    return
  }
  const searchable = await searchablePages(app, space, head)
  const isFirst = indexed === null || indexed.startsWith(INCOMPLETE)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const oids = searchable.pages.map(({ oid }) => oid)
    await addTexts(app, space, await app.search.missing(id, oids), searchable, isFirst)
    if (await app.search.set(id, head, searchable.pages)) {
      app.search.known.set(id, head)
      return
    }
  }
  throw new ServiceError('unavailable', 'The search index of the space cannot be built. Try again in a few seconds.')
}

async function addTexts(
  app: App,
  space: LoadedSpace,
  all: readonly string[],
  searchable: Searchable,
  isFirst: boolean,
): Promise<void> {
  const { revision, descriptions, generated } = searchable
  const { id } = space.doc
  const snapshot = await space.repo.objects.snapshot(revision)
  const missing = all.filter((oid) => !generated.has(oid))
  for (const oid of all) {
    const entry = generated.get(oid)
    if (entry) await app.search.add(id, [await textOf(app, oid, entry)])
  }
  let texts: IndexedText[] = []
  let characters = 0
  let part = MIN_PART
  const slices = new Slices()
  for (let from = 0; from < missing.length; from += BLOBS_AT_ONCE) {
    // Facts that are known resolve at once, so they do not let other work run.
    if (slices.due) await slices.rest()
    const oids = missing.slice(from, from + BLOBS_AT_ONCE)
    const sections = await app.pages.sections(id, snapshot, oids)
    const outlines = await app.pages.outlines(id, snapshot, oids)
    for (const oid of oids) {
      const own = sections.get(oid) ?? []
      const about = [outlines.get(oid)?.title, descriptions.get(oid)].filter(Boolean).join(' ')
      texts.push({ oid, about, sections: own })
      characters += own.reduce((sum, { title, text }) => sum + title.length + text.length, about.length)
      if (characters < CHARACTERS_AT_ONCE) continue
      await app.search.add(id, texts)
      texts = []
      characters = 0
    }
    const to = from + oids.length
    if (!isFirst || to < part || to === missing.length) continue
    part *= 2
    await app.search.add(id, texts)
    texts = []
    characters = 0
    await publishPart(app, id, searchable, missing.slice(to))
  }
  if (texts.length > 0) await app.search.add(id, texts)
}

/** Makes the indexed pages of a first index searchable. Searches compare them with the pages of the head. */
async function publishPart(app: App, id: string, searchable: Searchable, missing: readonly string[]): Promise<void> {
  const left = new Set(missing)
  const pages = await filterInSlices(searchable.pages, ({ oid }) => !left.has(oid))
  await app.search.set(id, partOf(searchable.revision), pages)
}

/** Returns the text of a generated page, with one section per part. */
async function textOf(app: App, oid: string, { shown }: GeneratedEntry): Promise<IndexedText> {
  const parts = (await readParts(app, shown.file, shown.parts)) ?? []
  const sections = parts.map(({ title, words }) => ({
    anchor: shown.headed ? anchorOf(title) : null,
    title: shown.headed ? title : '',
    text: words,
  }))
  return {
    oid,
    about: shown.about ?? '',
    sections:
      shown.rest.length === 0
        ? sections
        : [...sections, { anchor: null, title: '', text: shown.rest.join('\n').slice(0, 100_000) }],
  }
}
