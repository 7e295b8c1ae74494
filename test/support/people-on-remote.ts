import type { BareRepository } from './bare-repository.js'
import { git } from './hermetic-git.js'

/** The way in which a forge merges a branch into another one. */
export type MergeStyle = 'merge' | 'squash' | 'rebase'

/** Merges `branch` into main of a bare repository, as a forge does. Returns main's new head. */
export async function mergeOnRemote(remote: BareRepository, branch: string, style: MergeStyle): Promise<string> {
  const [main, theirs] = [await git(remote.path, ['rev-parse', 'main']), await git(remote.path, ['rev-parse', branch])]
  const head =
    style === 'rebase' ? await rebased(remote.path, main, theirs) : await merged(remote.path, main, theirs, style)
  await git(remote.path, ['update-ref', 'refs/heads/main', head])
  return head
}

const commitTree = (dir: string, tree: string, parents: readonly string[], message: string): Promise<string> =>
  git(dir, [
    '-c',
    'user.name=Forge',
    '-c',
    'user.email=forge@example.org',
    'commit-tree',
    tree,
    ...parents.flatMap((parent) => ['-p', parent]),
    '-m',
    message,
  ])

async function merged(dir: string, main: string, theirs: string, style: MergeStyle): Promise<string> {
  const tree = await git(dir, ['merge-tree', '--write-tree', main, theirs])
  return commitTree(
    dir,
    tree,
    style === 'merge' ? [main, theirs] : [main],
    style === 'merge' ? 'Merge pull request' : 'Squashed pull request',
  )
}

async function rebased(dir: string, main: string, theirs: string): Promise<string> {
  let head = main
  for (const commit of (await git(dir, ['rev-list', '--reverse', `${main}..${theirs}`])).split('\n')) {
    // A pick is a merge whose base is the parent of the picked commit. Both sides are put on a commit of that tree.
    const base = await commitTree(dir, `${commit}^^{tree}`, [], 'base')
    const [ours, picked] = [
      await commitTree(dir, `${head}^{tree}`, [base], 'ours'),
      await commitTree(dir, `${commit}^{tree}`, [base], 'picked'),
    ]
    head = await commitTree(dir, await git(dir, ['merge-tree', '--write-tree', ours, picked]), [head], 'Rebased')
  }
  return head
}
