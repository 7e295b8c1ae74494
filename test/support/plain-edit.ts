/** Commits of an admin with plain Git in a bare repository, without the service. */
import { join } from 'node:path'
import { git } from './hermetic-git.js'

let commits = 0

/** Puts files on main or `ref` (null deletes one) in one commit, with an author, and moves the branch. Returns the commit. */
export async function commitPlainly(
  repository: string,
  files: Readonly<Record<string, string | null>>,
  message = 'By hand',
  { ref = 'refs/heads/main', author }: { ref?: string; author?: string } = {},
): Promise<string> {
  const env = { GIT_INDEX_FILE: join(repository, `by-hand-${process.pid}-${++commits}`) }
  const head = await git(repository, ['rev-parse', ref])
  await git(repository, ['read-tree', head], undefined, env)
  const lines = await Promise.all(
    Object.entries(files).map(
      async ([path, text]) =>
        `${text === null ? `0 ${'0'.repeat(40)}` : `100644 ${await git(repository, ['hash-object', '-w', '--stdin'], text)}`}\t${path}\0`,
    ),
  )
  await git(repository, ['update-index', '-z', '--index-info'], lines.join(''), env)
  const tree = await git(repository, ['write-tree'], undefined, env)
  const commit = await git(repository, ['commit-tree', tree, '-p', head, '-m', message], undefined, {
    ...(author === undefined ? {} : { GIT_AUTHOR_NAME: author }),
  })
  await git(repository, ['update-ref', ref, commit, head])
  return commit
}
