/** What a commit would break: the diagnostics that it has and the one before it had not. */
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { CommitId } from '../../kernel/ids.js'
import type { DocumentEntry } from '../../content/types.js'
import type { TreeChange } from '../../git/index.js'
import { eachInSlices, mapInSlices, Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { diagnosticsOf } from './page-source.js'
import { knownPages, type OpenRevision, openBoth } from './revisions.js'

/** Pages whose front matter is looked at. */
const MAX_PAGES = 500

/** What nobody means to do: the table of contents, the settings or a name would not mean what their author meant. */
const BREAKING: ReadonlySet<Diagnostic['code']> = new Set([
  'invalid-config',
  'invalid-root',
  'invalid-yaml',
  'missing-file',
  'duplicate-entry',
  'duplicate-slug',
  'case-collision',
  'unsupported-entry',
  'unreadable',
])

interface NewProblems {
  before: OpenRevision
  after: OpenRevision
  breaking: Diagnostic[]
  /** What its author should know of. */
  others: Diagnostic[]
}

const keyOf = ({ code, file, message }: Diagnostic): string => `${code}\0${file ?? ''}\0${message}`

/** Compares two commits of a space. */
export async function newProblems(
  app: App,
  space: LoadedSpace,
  before: CommitId,
  after: CommitId,
): Promise<NewProblems> {
  const both = await openBoth(app, space, before, after)
  const old = new Set(await mapInSlices(both.before.structure.diagnostics, keyOf))
  const breaking: Diagnostic[] = []
  const others: Diagnostic[] = []
  await eachInSlices(both.after.structure.diagnostics, (one) => {
    if (!old.has(keyOf(one))) (BREAKING.has(one.code) ? breaking : others).push(one)
  })
  const known = new Set((await problemsOfPages(app, both.before, both.changes)).map(keyOf))
  for (const one of await problemsOfPages(app, both.after, both.changes)) if (!known.has(keyOf(one))) others.push(one)
  return { before: both.before, after: both.after, breaking, others }
}

/** The diagnostics of those of some files that are pages of the revision. */
async function problemsOfPages(
  app: App,
  revision: OpenRevision,
  changes: readonly TreeChange[],
): Promise<Diagnostic[]> {
  const { structure, snapshot } = revision
  const present: DocumentEntry[] = []
  let pages = 0
  const slices = new Slices()
  for (const { path } of changes) {
    if (slices.due) await slices.rest()
    const entry = structure.byGitPath.get(path)
    if (!entry) continue
    if (++pages > MAX_PAGES) break
    if ((await snapshot.entry(path)) !== null) present.push(entry)
  }
  return [...(await knownPages(app, revision, present))].flatMap(([path, { page }]) => diagnosticsOf(page, path))
}

/** A diagnostic as compilers print it: `SUMMARY.md:3: …`. */
export const lineOf = ({ file, line, message }: Pick<Diagnostic, 'file' | 'line' | 'message'>): string =>
  `${file === undefined ? '' : `${file}:${line === undefined ? '' : `${line}:`} `}${message.replaceAll(/\s+/g, ' ')}`
