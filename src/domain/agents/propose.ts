/** Proposes edits of pages as a draft change request. main never changes. */
import type { DocumentEntry, PageEntry } from '../../content/types.js'
import { badRequest, type ErrorDetail } from '../../kernel/errors.js'
import type { ContentChange } from '../../model/content-changes.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { createChangeRequest } from '../change-requests/change-requests.js'
import { commitOn } from '../commits/write-content.js'
import { openMain } from '../revisions/main-content.js'
import { type OpenRevision, readDocument } from '../revisions/revisions.js'

/** Maximum number of counted occurrences of a text. */
const MAX_COUNTED = 100

/** An edit of a page: a text to replace, or a new source. */
export type PageEdit = { page: PageEntry } & ({ find: string; replace: string } | { markdown: string })

/** A proposal. */
export interface Proposal {
  subject: string
  /** Markdown; '' = none. */
  description: string
  edits: readonly PageEdit[]
}

/**
 * Creates a draft change request in the caller's name, with all edits as one commit. If an edit cannot be applied,
 * nothing is created. Throws 400 with the index of that edit.
 */
export async function propose(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  { subject, description, edits }: Proposal,
): Promise<LoadedChangeRequest> {
  return app.locks.run(space.doc.id, async (lease) => {
    const revision = await openMain(app, space)
    const input = { changes: await changesOf(app, revision, edits), message: subject }
    const head = await commitOn({ app, actor, space, input }, revision.snapshot.commit)
    if (head === revision.snapshot.commit) throw unchanged()
    return createChangeRequest(app, actor, space, { subject, description }, { lease, head })
  })
}

const unchanged = () => badRequest('The edits change nothing, so no change request was created.')

/** Applies the edits in order. Returns the new texts of the pages. Throws 400. */
async function changesOf(app: App, revision: OpenRevision, edits: readonly PageEdit[]): Promise<ContentChange[]> {
  const texts = new Map<string, { before: string; after: string }>()
  for (const [index, edit] of edits.entries()) {
    const page = documentOf(revision, edit.page, index)
    const text = texts.get(page.id) ?? (await textOf(app, revision, page, index))
    texts.set(page.id, { ...text, after: edited(text.after, edit, index) })
  }
  const changes = [...texts]
    .filter(([, { before, after }]) => before !== after)
    .map(([page, { after }]) => ({ operation: 'update_page' as const, page, document: { markdown: after } }))
  if (changes.length === 0) throw unchanged()
  return changes
}

/** Returns the source of a page that `propose` edits: markdown without front matter. Throws 400. */
export async function sourceOf(app: App, revision: OpenRevision, page: PageEntry): Promise<string> {
  if (page.type !== 'document') throw badRequest(`“${page.title}” has no source: it is a ${page.type}.`)
  const { source, hidden, large } = await readDocument(app, revision, page)
  const unread = hidden ?? large
  if (unread !== undefined) throw badRequest(`The source of “${page.title}” cannot be read here. ${unread}`)
  return withLineFeeds(source.markdown)
}

/** Texts are compared with line feeds. The commit keeps the line ends of the file. */
const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n')

const fault = (index: number, message: string): ErrorDetail => ({ path: `/edits/${index}`, message })

function documentOf({ structure }: OpenRevision, page: PageEntry, index: number): DocumentEntry {
  const entry = structure.byId.get(page.id)
  if (entry?.type === 'document') return entry
  const message = `Edit ${index} names “${page.title}”, which has no file that can be edited.`
  throw badRequest(message, [fault(index, message)])
}

async function textOf(app: App, revision: OpenRevision, page: DocumentEntry, index: number) {
  try {
    const before = await sourceOf(app, revision, page)
    return { before, after: before }
  } catch (error) {
    throw badRequest(`Edit ${index} cannot be applied. ${(error as Error).message}`)
  }
}

function edited(text: string, edit: PageEdit, index: number): string {
  if ('markdown' in edit) return withLineFeeds(edit.markdown)
  const find = withLineFeeds(edit.find)
  const [at, ...others] = occurrences(text, find)
  if (at === undefined || others.length > 0) {
    const count = at === undefined ? 0 : others.length + 1
    const remedy =
      count === 0
        ? 'Read the source of the page, and copy the text exactly.'
        : 'Add text before or after it, so that it occurs once.'
    const message = `Edit ${index}: \`find\` occurs ${count === MAX_COUNTED ? `at least ${count}` : count} times in the source of “${edit.page.title}”. ${remedy}`
    throw badRequest(message, [fault(index, message)])
  }
  return text.slice(0, at) + withLineFeeds(edit.replace) + text.slice(at + find.length)
}

/**
 * Returns the positions of a text, including overlapping ones, with the algorithm of Knuth, Morris and Pratt, which
 * takes linear time for every text. Stops after `MAX_COUNTED`.
 */
function occurrences(text: string, find: string): number[] {
  const borders = new Uint32Array(find.length)
  const next = (matched: number, code: number): number => {
    let length = matched
    while (length > 0 && find.charCodeAt(length) !== code) length = borders[length - 1] ?? 0
    return find.charCodeAt(length) === code ? length + 1 : 0
  }
  for (let at = 1; at < find.length; at++) borders[at] = next(borders[at - 1] ?? 0, find.charCodeAt(at))
  const found: number[] = []
  let matched = 0
  for (let at = 0; at < text.length && found.length < MAX_COUNTED; at++) {
    if (matched === find.length) matched = borders[matched - 1] ?? 0
    matched = next(matched, text.charCodeAt(at))
    if (matched === find.length) found.push(at + 1 - matched)
  }
  return found
}
