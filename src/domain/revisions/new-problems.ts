/** Finds the diagnostics that a commit adds. */
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { CommitId } from '../../kernel/ids.js'
import type { DocumentEntry } from '../../content/types.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { diagnosticsOf } from './page-source.js'
import { knownPages, type OpenRevision, openBoth } from './revisions.js'

/** Maximum number of pages whose front matter is checked. */
const MAX_PAGES = 500

/** Diagnostics of errors that an author never intends: a broken table of contents, configuration or name. */
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
  /** Diagnostics that only inform the author. */
  others: Diagnostic[]
}

const keyOf = ({ code, file, message }: Diagnostic): string => `${code}\0${file ?? ''}\0${message}`

/** Compares the diagnostics of two commits of a space. */
export async function newProblems(
  app: App,
  space: LoadedSpace,
  before: CommitId,
  after: CommitId,
): Promise<NewProblems> {
  const both = await openBoth(app, space, before, after)
  const old = new Set(both.before.structure.diagnostics.map(keyOf))
  const found = both.after.structure.diagnostics.filter((one) => !old.has(keyOf(one)))
  const breaking = found.filter(({ code }) => BREAKING.has(code))
  const touched = both.changes.map(({ path }) => path)
  const known = new Set((await problemsOfPages(app, both.before, touched)).map(keyOf))
  const ofPages = (await problemsOfPages(app, both.after, touched)).filter((one) => !known.has(keyOf(one)))
  return {
    before: both.before,
    after: both.after,
    breaking,
    others: [...found.filter((one) => !BREAKING.has(one.code)), ...ofPages],
  }
}

/** Lists the diagnostics of the files that are pages of the revision. */
async function problemsOfPages(app: App, revision: OpenRevision, paths: readonly string[]): Promise<Diagnostic[]> {
  const entries = paths.flatMap((path): DocumentEntry[] => [revision.structure.byGitPath.get(path) ?? []].flat())
  const present = []
  for (const entry of entries.slice(0, MAX_PAGES))
    if ((await revision.snapshot.entry(entry.gitPath)) !== null) present.push(entry)
  return [...(await knownPages(app, revision, present))].flatMap(([path, { page }]) => diagnosticsOf(page, path))
}

/** Formats a diagnostic like a compiler: `SUMMARY.md:3: …`. */
export const lineOf = ({ file, line, message }: Pick<Diagnostic, 'file' | 'line' | 'message'>): string =>
  `${file === undefined ? '' : `${file}:${line === undefined ? '' : `${line}:`} `}${message.replaceAll(/\s+/g, ' ')}`
