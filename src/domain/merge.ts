import { mergePage } from '../content/edit/merge-page.js'
import { mergeYaml } from '../content/edit/merge-yaml.js'
import { mergeSummary } from '../content/summary/merge.js'
import { readConfig } from '../content/config.js'
import type { FileChange, MergeConflict, Repository } from '../git/index.js'
import type { CommitId, TreeId } from '../kernel/ids.js'
import type { App } from './app.js'
import { serviceSignature } from './commits.js'

export type MergedTree = { clean: true; tree: TreeId } | { clean: false; conflicts: MergeConflict[] }

/**
 * Merges two commits' trees. What Git cannot merge is tried again where the file has a structure: the table of contents
 * as a tree, YAML and front matter by key. Only what still collides is a conflict; nothing with markers is answered.
 */
export async function mergeCommits(app: App, repo: Repository, sides: { ours: CommitId; theirs: CommitId; base?: CommitId }): Promise<MergedTree> {
  const outcome = await repo.merge(sides)
  if (outcome.clean) return outcome
  const { summary } = (await readConfig(await repo.at(sides.ours))).config
  const resolved: FileChange[] = []
  const left: MergeConflict[] = []
  for (const conflict of outcome.conflicts) {
    const merged = await mergeStructured(repo, sides.ours, conflict, summary)
    if (merged === null) left.push(conflict)
    else resolved.push({ path: conflict.path, content: Buffer.from(merged) })
  }
  if (left.length > 0) return { clean: false, conflicts: left }
  return { clean: true, tree: await treeWith(app, repo, outcome.tree, resolved) }
}

/** A tree with changes applied, written as objects. */
export async function treeWith(app: App, repo: Repository, tree: TreeId, changes: readonly FileChange[]): Promise<TreeId> {
  const me = serviceSignature(app)
  const commit = await repo.write({ parents: [], tree, changes, message: 'Merged tree\n', author: me, committer: me })
  return (await repo.commit(commit)).tree
}

async function mergeStructured(repo: Repository, at: CommitId, conflict: MergeConflict, summary: string): Promise<string | null> {
  const { base, ours, theirs, path } = conflict
  if (!ours || !theirs || (conflict.kind !== 'content' && conflict.kind !== 'add/add')) return null
  const snapshot = await repo.at(at)
  const text = async (oid: string | undefined): Promise<string> => (oid === undefined ? '' : (await snapshot.read(oid)).toString('utf8'))
  const [b, o, t] = await Promise.all([text(base?.oid), text(ours.oid), text(theirs.oid)])
  if (path === summary) return textOf(mergeSummary(b, o, t))
  if (/(^|\/)(\.gitbook\.yaml|\.gitbook\/vars\.yaml|\.gitbook\/tags\.yaml)$/.test(path)) return textOf(mergeYaml(b, o, t))
  if (/\.(md|markdown)$/i.test(path) && base) return textOf(mergePage(b, o, t))
  return null
}

const textOf = (merged: { text: string } | { conflict: string }): string | null => ('text' in merged ? merged.text : null)
