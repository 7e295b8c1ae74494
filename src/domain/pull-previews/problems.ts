/** Finds the problems that a pull request adds: problems at its head that were absent where it branched off. */
import { required } from '../../kernel/defined.js'
import { type Link, linkKey, type Problem } from '../../content/links/link.js'
import type { LinkGraph } from '../../content/links/link-graph.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { PreviewProblem } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { linksOf } from '../revisions/link-graph.js'
import { newProblems } from '../revisions/new-problems.js'
import { parsePage } from '../revisions/page-source.js'
import type { OpenRevision } from '../revisions/revisions.js'

/** Maximum number of stored problems. */
const MAX_PROBLEMS = 50

interface FoundProblems {
  /** The problems, failing ones first. */
  problems: PreviewProblem[]
  counts: { all: number; failing: number }
}

/** Compares two commits of a space. Throws 503 if too many texts wait to be read. */
export async function problemsBetween(
  app: App,
  space: LoadedSpace,
  base: CommitId,
  head: CommitId,
): Promise<FoundProblems> {
  const { before, after, breaking, others } = await newProblems(app, space, base, head)
  const links = await newlyBroken(await linksOf(app, before), await linksOf(app, after))
  const told = [...breaking.map((one) => ({ ...one, fails: true })), ...others.map((one) => judged(one, before))]
  const failing = [...told.filter(({ fails }) => fails), ...links.map(describe)]
  const all = [...failing, ...told.filter(({ fails }) => !fails)]
  const lines = new Map<PreviewProblem, number>()
  for (const [n, link] of links.slice(0, MAX_PROBLEMS).entries()) {
    const line = await lineOfLink(app, after, link)
    const problem = failing[failing.length - links.length + n]
    if (problem && line !== null) lines.set(problem, line)
  }
  const problems = all
    .slice(0, MAX_PROBLEMS)
    .map((one) => (lines.has(one) ? { ...one, line: required(lines.get(one)) } : one))
  return { problems, counts: { all: all.length, failing: failing.length } }
}

/**
 * Evaluates a diagnostic. A former page that is no longer listed has vanished. A file that was never listed may still
 * be in progress.
 */
function judged(one: Diagnostic, before: OpenRevision): PreviewProblem {
  if (one.code === 'unlisted' && one.file !== undefined && before.structure.byGitPath.has(one.file))
    return {
      ...one,
      code: 'vanished-page',
      message: `${one.file} was a page and is no longer listed. List it again, or delete the file.`,
      fails: true,
    }
  return { ...one, fails: one.code === 'invalid-front-matter' }
}

/**
 * The problems that a preview can evaluate. The pull request may add a file outside the folder, and it does not change
 * specifications.
 */
type Judged = Exclude<Problem, 'specification' | 'outside'>

/** Returns the links that are broken now but were not before. */
async function newlyBroken(before: LinkGraph, after: LinkGraph): Promise<Link[]> {
  const slices = new Slices()
  const known = new Set<string>()
  const found: Link[] = []
  for (const link of before.links) {
    if (link.problem !== null) known.add(linkKey(link))
    if (slices.due) await slices.rest()
  }
  for (const link of after.links) {
    if (
      link.problem !== null &&
      link.problem !== 'specification' &&
      link.problem !== 'outside' &&
      !known.has(linkKey(link))
    )
      found.push(link)
    if (slices.due) await slices.rest()
  }
  return found
}

const reasons: Record<Judged, string> = {
  missing: 'the page or file does not exist',
  submodule: 'it points into a submodule, whose files belong to another repository and are not fetched',
  anchor: 'the page has no such heading or ID',
  deleted: 'its target was deleted',
}
/** Maximum length of a target in a message, in characters. */
const SHOWN = 200

const describe = ({ source, target, problem }: Link): PreviewProblem => ({
  code: 'broken-link',
  message: `The link to ${target.slice(0, SHOWN)} is broken: ${reasons[problem as Judged]}.`,
  file: source.gitPath,
  fails: true,
})

/** Finds the 1-based line where the target first occurs in the file as written. Null if it is not found. */
async function lineOfLink(
  app: App,
  { space, snapshot }: OpenRevision,
  { source, target }: Link,
): Promise<number | null> {
  const entry = await snapshot.entry(source.gitPath)
  if (!entry) return null
  const { text } = await parsePage(app, space.doc.id, snapshot, entry.oid, source.gitPath)
  const at = text.indexOf(target)
  return at < 0 ? null : text.slice(0, at).split('\n').length
}
