/** What a push would break: the diagnostics that its commit has and the one before it had not. */
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { CommitId } from '../../kernel/ids.js'
import type { DocumentEntry } from '../../content/types.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { diagnosticsOf } from '../revisions/page-source.js'
import { knownPages, openBoth } from '../revisions/revisions.js'

/** Pages whose front matter is looked at. */
const MOST_PAGES = 500

/** What stops a push: the table of contents, the settings or a name would not mean what their author meant. */
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
  breaking: Diagnostic[]
  /** What its author should know of. */
  others: Diagnostic[]
}

const keyOf = ({ code, file, message }: Diagnostic): string => `${code}\0${file ?? ''}\0${message}`

/** Compares two commits of a space. */
export async function newProblems(app: App, space: LoadedSpace, before: CommitId, after: CommitId): Promise<NewProblems> {
  const both = await openBoth(app, space, before, after)
  const old = new Set(both.before.structure.diagnostics.map(keyOf))
  const found = both.after.structure.diagnostics.filter((one) => !old.has(keyOf(one)))
  const breaking = found.filter(({ code }) => BREAKING.has(code))
  const touched = both.changes
    .flatMap(({ status, path }): DocumentEntry[] => (status === 'deleted' ? [] : [both.after.structure.byGitPath.get(path) ?? []].flat()))
    .slice(0, MOST_PAGES)
  const known = await knownPages(app, both.after, touched)
  const ofPages = [...known].flatMap(([path, { page }]) => diagnosticsOf(page, path))
  return { breaking, others: [...found.filter((one) => !BREAKING.has(one.code)), ...ofPages] }
}

/** A diagnostic as compilers print it: `SUMMARY.md:3: …`. */
export const lineOf = ({ file, line, message }: Diagnostic): string =>
  `${file === undefined ? '' : `${file}:${line === undefined ? '' : `${line}:`} `}${message.replaceAll(/\s+/g, ' ')}`
