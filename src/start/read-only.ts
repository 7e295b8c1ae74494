/** Starts on folders that are not writable, or with a log that cannot grow: the service is read-only until then. */
import type { FolderWatch } from '../disk/folder-watch.js'
import type { Log } from '../kernel/log.js'
import { Passes } from '../kernel/passes.js'
import type { Store } from '../store/index.js'
import { describeFolder } from './operator-failures.js'

/** Interval between two write attempts, in milliseconds. */
const RETRY_MS = 3_000

/** Reports that the service starts read-only. Returns false if the folders and the documents are writable. */
export async function isReadOnly(store: Pick<Store, 'full'>, folders: FolderWatch, log: Log): Promise<boolean> {
  if (store.full) log.error({}, `The server starts read-only. ${store.full.message}`)
  const refused = await folders.unwritable()
  for (const folder of refused)
    log.error(
      { folder: folder.path },
      `${describeFolder(folder)}. The server starts read-only. Free disk space, or give the process permission to write to ${folder.path}. The server then ` +
        'resumes automatically.',
    )
  return refused.length > 0 || Boolean(store.full)
}

/** Calls `resume` once when the folders and the documents are writable. A full log needs a repair, and so a restart. */
export function resumeWhenWritable(
  store: Pick<Store, 'full'>,
  folders: FolderWatch,
  log: Log,
  resume: () => Promise<void>,
): { stop(): Promise<void> } {
  const passes = new Passes({
    pass: async () => {
      if (store.full) return null
      if ((await folders.unwritable()).length > 0) return RETRY_MS
      await resume()
      log.info({}, 'The folders are writable again. The server is no longer read-only.')
      return null
    },
    failed: (error) => log.error({ error }, 'The server could not resume. It tries again in a few seconds.'),
    restMs: RETRY_MS,
  })
  passes.wakeIn(RETRY_MS)
  return passes
}
