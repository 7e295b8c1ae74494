import { git } from '../../support/hermetic-git.js'

const data = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')])

/**
 * A commit of a person with plain Git in a repository of the service. Null deletes. Deletions come first, so that files
 * can swap paths. `seconds`: its date.
 */
export async function commitIn(
  repo: string,
  ref: string,
  files: Record<string, string | null>,
  message: string,
  seconds: number,
): Promise<string> {
  const head = await git(repo, ['rev-parse', '--verify', ref])
  const signature = `Ada Author <ada@example.com> ${seconds} +0000`
  const scratch = 'refs/scratch/admin'
  const pieces = [
    Buffer.from(`commit ${scratch}\nauthor ${signature}\ncommitter ${signature}\n`),
    data(Buffer.from(message)),
    Buffer.from(`from ${head}\n`),
  ]
  for (const [path, text] of Object.entries(files)) if (text === null) pieces.push(Buffer.from(`D ${path}\n`))
  for (const [path, text] of Object.entries(files))
    if (text !== null) pieces.push(Buffer.from(`M 100644 inline ${path}\n`), data(Buffer.from(text)))
  await git(repo, ['fast-import', '--quiet', '--force'], Buffer.concat(pieces))
  const commit = await git(repo, ['rev-parse', scratch])
  await git(repo, ['update-ref', ref, commit, head])
  await git(repo, ['update-ref', '-d', scratch])
  return commit
}
