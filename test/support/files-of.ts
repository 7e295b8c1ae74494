import { git, gitBytes } from './hermetic-git.js'

/** Reads every file of a commit, by path, in two processes for any number of files. */
export async function filesOf(repository: string, commit: string): Promise<Map<string, string>> {
  const entries = (await git(repository, ['ls-tree', '-r', '-z', commit]))
    .split('\0')
    .filter((entry) => /^\d+ blob /.test(entry))
  const bytes = await gitBytes(
    repository,
    ['cat-file', '--batch'],
    entries.map((entry) => `${entry.split(/[ \t]/)[2]}\n`).join(''),
  )
  const files = new Map<string, string>()
  let at = 0
  for (const entry of entries) {
    const head = bytes.indexOf('\n', at)
    const from = head + 1
    at = from + Number(bytes.toString('latin1', at, head).split(' ')[2])
    files.set(entry.slice(entry.indexOf('\t') + 1), bytes.toString('utf8', from, at))
    at++
  }
  return files
}
