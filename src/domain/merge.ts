import { mergePage } from '../content/edit/merge-page.js'
import { type Merged, mergeYaml } from '../content/edit/merge-yaml.js'
import { mergeSummary } from '../content/summary/merge.js'
import { readConfig } from '../content/config.js'
import { isMarkdown } from '../content/paths.js'
import { decodeText, encodeText, encodingOf } from '../content/text.js'
import type { EntryMode, FileChange, MergeConflict, Repository } from '../git/index.js'
import type { CommitId, TreeId } from '../kernel/ids.js'
import type { App } from './app.js'
import { serviceSignature } from './commits.js'

export type MergedTree =
  | { clean: true; tree: TreeId }
  | {
      clean: false
      conflicts: MergeConflict[]
      /** Git's tree, with markers in what conflicts: never to be committed. */
      tree: TreeId
      /** What must replace Git's attempt beside the conflicts: merged structures, and names that Git made up. */
      setAside: FileChange[]
    }

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
    else resolved.push({ path: conflict.path, content: merged, mode: conflict.ours?.mode as EntryMode })
  }
  if (left.length > 0) {
    // Git puts a file that a folder stands in the way of beside it, as `name~<commit>`.
    const madeUp = (await repo.diff(null, outcome.tree)).filter(({ path }) => [sides.ours, sides.theirs].some((commit) => path.includes(`~${commit}`)))
    return { clean: false, conflicts: left, tree: outcome.tree, setAside: [...resolved, ...madeUp.map(({ path }) => ({ path, delete: true as const }))] }
  }
  return { clean: true, tree: await treeWith(app, repo, outcome.tree, resolved) }
}

/** A tree with changes applied, written as objects. */
export async function treeWith(app: App, repo: Repository, tree: TreeId, changes: readonly FileChange[]): Promise<TreeId> {
  const me = serviceSignature(app)
  const commit = await repo.write({ parents: [], tree, changes, message: 'Merged tree\n', author: me, committer: me })
  return (await repo.commit(commit)).tree
}

async function mergeStructured(repo: Repository, at: CommitId, conflict: MergeConflict, summary: string): Promise<Uint8Array | null> {
  const { base, ours, theirs, path } = conflict
  if (!ours || !theirs || (conflict.kind !== 'content' && conflict.kind !== 'add/add')) return null
  const snapshot = await repo.at(at)
  const [was, mine, other] = await Promise.all([base, ours, theirs].map((side) => (side === undefined ? Buffer.alloc(0) : snapshot.read(side.oid))))
  // Latin-1 stays Latin-1 where both sides write it; sides in two encodings cannot be joined byte by byte.
  const encoding = encodingOf(mine as Buffer)
  if (encoding !== encodingOf(other as Buffer)) return null
  const [b, o, t] = [was, mine, other].map((bytes) => decodeText(bytes as Buffer)) as [string, string, string]
  const merged = mergeTexts(path, path === summary, base !== undefined, b, o, t)
  return merged && 'text' in merged ? encodeText(merged.text, encoding) : null
}

function mergeTexts(path: string, isSummary: boolean, hasBase: boolean, b: string, o: string, t: string): Merged | null {
  if (isSummary) return mergeSummary(b, o, t)
  if (/(^|\/)(\.gitbook\.yaml|\.gitbook\/vars\.yaml|\.gitbook\/tags\.yaml)$/.test(path)) return mergeYaml(b, o, t)
  return isMarkdown(path) && hasBase ? mergePage(b, o, t) : null
}
