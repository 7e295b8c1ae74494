import { readConfig } from '../../content/config.js'
import { findTarget } from '../../content/file-index.js'
import { folderOf, isMarkdown } from '../../content/paths.js'
import { MAX_STRUCTURE_BYTES } from '../../content/read.js'
import { decodeText } from '../../content/text.js'
import type { SummaryNode } from '../../content/types.js'
import type { TextWork } from '../../content/work/text-work.js'
import type { MergeConflict, Repository, Snapshot } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'

type Files = Omit<Snapshot, 'commit'>

/** What a table of contents lists, and what there is to be listed. */
interface Table {
  files: ReadonlySet<string>
  listed: ReadonlySet<string>
}

/**
 * The conflict about a table of contents by which a page would fall out of it that nobody took away: one side put the page at a path
 * whose entry was another page's, and the other side took that entry elsewhere. Merged line by line, neither lists it. null = no such page.
 * @param merged the merged tree, with something at every path in conflict
 * @param open paths in conflict, of which nobody knows yet what will be there
 */
export async function conflictOfLeftOut(
  work: TextWork,
  repo: Repository,
  sides: { base: CommitId; ours: CommitId; theirs: CommitId },
  merged: TreeId,
  open: ReadonlySet<string>,
): Promise<MergeConflict | null> {
  const { root, summary } = (await readConfig(await repo.at(sides.ours), work)).config
  if (open.has(summary)) return null
  const read = (files: Files): Promise<Table | null> => tableOf(work, files, root, summary)
  const [ours, theirs, both] = [await read(await repo.at(sides.ours)), await read(await repo.at(sides.theirs)), await read(repo.tree(merged))]
  if (!ours || !theirs || !both) return null
  const falls = (path: string): boolean => {
    const holders = [ours, theirs].filter((side) => side.files.has(path))
    return isMarkdown(path) && path !== summary && !open.has(path) && holders.length > 0 && holders.every((side) => side.listed.has(path))
  }
  const slices = new Slices()
  let found = false
  for (const path of both.files) {
    if (!both.listed.has(path) && falls(path)) found = true
    if (slices.due) await slices.rest()
  }
  if (!found) return null
  const [base, mine, its] = await Promise.all([sides.base, sides.ours, sides.theirs].map(async (commit) => (await repo.at(commit)).entry(summary)))
  return mine && its ? { path: summary, kind: 'content', ...(base ? { base } : {}), ours: mine, theirs: its } : null
}

/** null where there is no table of contents, or too large a one. */
async function tableOf(work: TextWork, files: Files, root: string, summary: string): Promise<Table | null> {
  const entry = await files.entry(summary)
  if (!entry?.mode.startsWith('100') || ((await files.sizes([entry.oid]))[0] ?? 0) > MAX_STRUCTURE_BYTES) return null
  const paths = new Set((await files.walk()).map(({ path }) => path))
  const listed = new Set<string>()
  const slices = new Slices()
  const waiting: SummaryNode[] = [...(await work.summary(decodeText(await files.read(entry.oid)))).nodes]
  for (const { href, children } of waiting) {
    if (slices.due) await slices.rest()
    const path = href == null ? null : findTarget(href.replace(/[?#].*$/, ''), folderOf(summary), root, (one) => paths.has(one))
    if (path !== null) listed.add(path)
    waiting.push(...children)
  }
  return { files: paths, listed }
}
