/**
 * The names of the files of a remote repository outside the folder that a space is synced with. A hidden ref keeps the newest list, so that
 * links to these files can be checked without the remote.
 */
import { EMPTY_TREE } from '../../git/index.js'
import type { RefName } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'

const BESIDE = 'refs/bindery/beside' as RefName
const FILE = 'paths'
const NOBODY = { name: 'Bindery', email: 'bindery@localhost', seconds: 0, offset: 0 }

interface Folder {
  url: string
  directory: string
}

/** The message of the list's commit: whose list it is. */
const nameOf = ({ url, directory }: Folder): string => `Files of ${url} outside ${directory}`

/** Returns the paths, from the root of the remote repository, that are files or folders outside the space's folder; none if there is no list. */
export async function filesBeside({ doc, repo }: LoadedSpace, wanted: ReadonlySet<string>): Promise<Set<string>> {
  const commit = repo.head(BESIDE)
  if (commit === null || doc.git === undefined || (await repo.commit(commit)).message.trim() !== nameOf(doc.git))
    return new Set()
  const snapshot = await repo.at(commit)
  const file = await snapshot.entry(FILE)
  const listed = file ? (await snapshot.read(file.oid)).toString() : ''
  return new Set(listed.split('\0').filter((path) => wanted.has(path)))
}

/** Keeps the list of the files outside the folder. Takes the lock of the space. */
export async function keepFilesBeside(
  app: App,
  { doc, repo }: LoadedSpace,
  folder: Folder,
  paths: readonly string[],
): Promise<void> {
  await app.locks.run(doc.id, async (lease) => {
    const from = repo.head(BESIDE)
    const content = Buffer.from(paths.join('\0'))
    const commit = {
      parents: [],
      tree: EMPTY_TREE,
      changes: [{ path: FILE, content }],
      message: nameOf(folder),
      author: NOBODY,
      committer: NOBODY,
    }
    const to = await repo.write(commit)
    if (to !== from) await repo.move([{ ref: BESIDE, from, to }], 'list the files outside the folder', lease)
  })
}
