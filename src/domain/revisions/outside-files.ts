/**
 * Stores the file names of a remote repository outside the folder that a space is synced with. A hidden ref holds the
 * newest list, so that links to these files can be checked without the remote.
 */
import { EMPTY_TREE } from '../../git/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'

const OUTSIDE_REF = 'refs/bindery/beside'
const FILE = 'paths'
const SIGNATURE = { name: 'Bindery', email: 'bindery@localhost', seconds: 0, offset: 0 }

interface Folder {
  url: string
  directory: string
}

/** Returns the commit message of the list, which identifies its folder. */
const nameOf = ({ url, directory }: Folder): string => `Files of ${url} outside ${directory}`

/**
 * Filters paths, relative to the root of the remote repository, to files and folders outside the space's folder. Empty
 * if there is no list.
 */
export async function filesBeside({ doc, repo }: LoadedSpace, paths: ReadonlySet<string>): Promise<Set<string>> {
  const commit = repo.refs.head(OUTSIDE_REF)
  if (
    commit === null ||
    doc.git === undefined ||
    (await repo.objects.commit(commit)).message.trim() !== nameOf(doc.git)
  )
    return new Set()
  const snapshot = await repo.objects.snapshot(commit)
  const file = await snapshot.entry(FILE)
  const listed = file ? (await snapshot.read(file.oid)).toString() : ''
  return new Set(listed.split('\0').filter((path) => paths.has(path)))
}

/** Stores the list of files outside the folder. Takes the lock of the space. */
export async function keepFilesBeside(
  app: App,
  { doc, repo }: LoadedSpace,
  folder: Folder,
  paths: readonly string[],
): Promise<void> {
  await app.locks.run(doc.id, async (lease) => {
    const from = repo.refs.head(OUTSIDE_REF)
    const content = Buffer.from(paths.join('\0'))
    const commit = {
      parents: [],
      tree: EMPTY_TREE,
      changes: [{ path: FILE, content }],
      message: nameOf(folder),
      author: SIGNATURE,
      committer: SIGNATURE,
    }
    const to = await repo.objects.write(commit)
    if (to !== from) await repo.refs.move([{ ref: OUTSIDE_REF, from, to }], 'list the files outside the folder', lease)
  })
}
