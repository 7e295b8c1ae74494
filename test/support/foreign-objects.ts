import { git } from './hermetic-git.js'

/**
 * The commits, trees and blobs of a remote, by path, that are outside a folder. A space that has only the folder must
 * contain none of them.
 */
export async function foreignObjects(remote: string, folder: string): Promise<Map<string, string>> {
  const listed = (await git(remote, ['rev-list', '--objects', '--all'])).split('\n').filter(Boolean)
  const named = listed.map((line): [string, string] => [line.slice(0, 40), line.slice(41)])
  return new Map(named.filter(([, path]) => path !== folder && !path.startsWith(`${folder}/`)))
}

/** Returns the foreign objects that a repository has, by path. Uses no network. */
export async function foreignIn(repository: string, remote: string, folder: string): Promise<string[]> {
  const foreign = await foreignObjects(remote, folder)
  const answers = await git(repository, ['cat-file', '--batch-check'], `${[...foreign.keys()].join('\n')}\n`, {
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: '',
  })
  return answers
    .split('\n')
    .flatMap((line) => (line === '' || line.endsWith(' missing') ? [] : [foreign.get(line.slice(0, 40)) || line]))
}
