/** Finds the problems of an open folder: diagnostics of its content, and broken links with their positions. */
import { lstat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { explain } from '../api/links/present.js'
import { type Link, MAX_TARGET_LENGTH } from '../content/links/link.js'
import { folderOf, normalizePath } from '../content/paths.js'
import type { Reference } from '../content/reference.js'
import { specOf } from '../content/specs/spec-pages.js'
import { TextTooCostly } from '../content/work/text-work.js'
import { LinkReport } from '../domain/links/report.js'
import { openShown } from '../domain/revisions/computed.js'
import { diagnosticsOf, parsePage } from '../domain/revisions/page-source.js'
import { eachDocument, knownPages, type OpenRevision } from '../domain/revisions/revisions.js'
import { defined, required } from '../kernel/defined.js'
import { type Diagnostic, grouped } from '../kernel/diagnostic.js'
import type { OpenFolder } from './open-folder.js'

/** A problem of the content. */
export interface Problem {
  /** An `error` makes the command fail. A `note` does not, because the author may have intended it. */
  level: 'error' | 'note'
  code: Diagnostic['code'] | 'broken-link'
  message: string
  /** Path from the root of the Git repository, or from the folder if there is none. */
  file?: string
  /** 1-based. */
  line?: number
  /** 1-based, in UTF-16 units. */
  column?: number
}

/** The result of a check. */
export interface Findings {
  problems: Problem[]
  pages: number
  /** Number of references to OpenAPI specifications. Only a server knows its specifications. */
  specifications: number
}

/** Codes of diagnostics that are only notes, as in previews of pull requests. */
const NOTES: ReadonlySet<Problem['code']> = new Set(['unlisted', 'too-costly', 'lfs-object', 'missing-glyphs'])
/** Extensions of web pages. A web page above the documentation belongs to another part of the team's website. */
const WEB_PAGE = /\.html?(?:[?#]|$)/i
/** Maximum number of problems that are listed per code. */
const MAX_OF_A_CODE = 1_000
/** Maximum number of positions that are listed for one broken link of a page. */
const MAX_POSITIONS = 20
/** Maximum length of a link target in a message, in characters. */
const MAX_SHOWN_TARGET = 200

/** Finds all problems, by file and line. */
export async function findProblems(folder: OpenFolder): Promise<Findings> {
  const { service, space } = folder
  const { app } = service
  const written = await folder.revision()
  const documents = [...eachDocument(written.structure.pages)]
  const found: Problem[] = []
  const computed = specificationEntries(written)
  const shown = await openShown(app, space, written.snapshot.commit)
  for (const one of shown.structure.diagnostics)
    if (one.code !== 'computed-page' || !computed.lines.has(one.line)) found.push(diagnosed(one))
  const present = await listedFiles(written, documents)
  for (const [path, { page }] of await knownPages(app, written, present))
    found.push(...diagnosticsOf(page, path).map(diagnosed))
  const report = await LinkReport.of(app, folder.actor, written)
  const broken = await report.having('broken', report.graph.links)
  let specifications = computed.count
  const bySource = new Map<string, Link[]>()
  for (const link of broken) {
    if (report.stateOf(link).problem === 'specification') specifications++
    else if (!(await isBeside(folder, link)))
      bySource.set(link.source.gitPath, [...(bySource.get(link.source.gitPath) ?? []), link])
  }
  for (const [path, links] of bySource) found.push(...(await located(folder, written, path, links)))
  const problems = bounded(found).map((one) => prefixed(one, folder.prefix))
  return { problems: problems.sort(byPlace), pages: documents.length, specifications }
}

const diagnosed = ({ code, message, file, line, column }: Diagnostic): Problem => ({
  level: NOTES.has(code) ? 'note' : 'error',
  code,
  message: message.replaceAll(/\s+/g, ' '),
  ...defined({ file, line, column }),
})

/** Lists at most `MAX_OF_A_CODE` problems of each code, then their number. */
function bounded(found: readonly Problem[]): Problem[] {
  // `grouped` counts by code and returns the objects themselves.
  return [...grouped(found as readonly Diagnostic[], MAX_OF_A_CODE)].flatMap((one) =>
    one === null ? [] : 'level' in one ? [one as Problem] : [{ ...one, level: NOTES.has(one.code) ? 'note' : 'error' }],
  )
}

const prefixed = (one: Problem, prefix: string): Problem =>
  one.file === undefined || prefix === '' ? one : { ...one, file: `${prefix}/${one.file}` }

const byPlace = (a: Problem, b: Problem): number =>
  compare(a.file ?? '\uffff', b.file ?? '\uffff') || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the pages whose files exist. Missing files have another diagnostic. */
async function listedFiles<T extends { gitPath: string }>({ snapshot }: OpenRevision, pages: T[]): Promise<T[]> {
  const files = new Set((await snapshot.walk()).map(({ path }) => path))
  return pages.filter(({ gitPath }) => files.has(gitPath))
}

/** Returns the number of entries that refer to a specification, and their lines. */
function specificationEntries({ structure }: OpenRevision) {
  const lines = new Set<number | undefined>()
  let count = 0
  for (const entry of structure.byId.values())
    if (entry.type === 'computed' && specOf(entry) !== null) {
      lines.add(entry.line)
      count++
    }
  return { lines, count }
}

/** Whether a link out of the documentation refers to a file of the same repository. */
async function isBeside({ working, prefix }: OpenFolder, { to }: Link): Promise<boolean> {
  if (to?.kind !== 'outside') return false
  const up = prefix === '' ? 0 : prefix.split('/').length
  const top = join(working.folder, ...Array<string>(up).fill('..'))
  const path = join(working.folder, to.path)
  return path.startsWith(top + sep) && (await lstat(path).catch(() => null)) !== null
}

/** Finds the positions of the broken links of one file. A link may occur several times. */
async function located(
  { service, space }: OpenFolder,
  { snapshot, structure }: OpenRevision,
  path: string,
  links: readonly Link[],
): Promise<Problem[]> {
  const entry = await snapshot.entry(path)
  const { app } = service
  const { text, source } = entry
    ? await parsePage(app, space.doc.id, snapshot, entry.oid, path)
    : { text: '', source: { markdown: '', bodyStart: 0 } }
  const references = await app.texts
    .for(space.doc.id)
    .references(source.markdown)
    .catch((error: unknown): readonly Reference[] => {
      if (!(error instanceof TextTooCostly)) throw error
      return []
    })
  const positions = new Positions(text)
  const { root } = structure.config
  return links.flatMap((link) => {
    const starts = references
      .filter(({ target }) => target.slice(0, MAX_TARGET_LENGTH) === link.target)
      .map(({ start }) => start + source.bodyStart)
    // The target of a cover is in the front matter.
    const inFrontMatter = text.slice(0, source.bodyStart).indexOf(link.target)
    if (inFrontMatter >= 0 && starts.length === 0) starts.push(inFrontMatter)
    const message = `The link to ${JSON.stringify(link.target.slice(0, MAX_SHOWN_TARGET))} is broken. ${reason(link)}`
    const level = leavesSite(link, root) ? 'note' : 'error'
    const problem: Problem = { level, code: 'broken-link', message, file: path }
    if (starts.length === 0) return [problem]
    return starts.slice(0, MAX_POSITIONS).map((start) => ({ ...problem, ...positions.at(start) }))
  })
}

/**
 * Whether a link points to a web page above the documentation. It may exist on the team's website, as is common with
 * mdBook.
 */
function leavesSite({ source, target, to }: Link, root: string): boolean {
  if (!WEB_PAGE.test(target) || target.startsWith('/')) return false
  const path = normalizePath(target.replace(/[?#].*$/s, ''), folderOf(source.gitPath))
  return to?.kind === 'outside' || path === null || (root !== '' && !path.startsWith(`${root}/`))
}

const reason = (link: Link): string =>
  link.problem === 'outside'
    ? 'The link points outside the documentation, and there is no such file. Correct the link.'
    : explain(link.problem ?? 'missing', link)

/** Converts offsets in a text to lines and columns. */
class Positions {
  readonly #starts = [0]

  constructor(text: string) {
    for (const { index } of text.matchAll(/\r\n|\n|\r/g))
      this.#starts.push(index + (text[index] === '\r' && text[index + 1] === '\n' ? 2 : 1))
  }

  at(offset: number): { line: number; column: number } {
    let [low, high] = [0, this.#starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (required(this.#starts[middle]) <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - required(this.#starts[low]) + 1 }
  }
}
