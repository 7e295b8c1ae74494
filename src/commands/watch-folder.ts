/** Watches a folder and applies its changes to the preview. */
import { basename, relative, sep } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'

/** Time without a change before the folder is read, in milliseconds. An editor writes a file in several steps. */
const QUIET_MS = 50

interface WatchOptions {
  folder: string
  /** Returns the ignored files and folders: paths below the folder, folders with a trailing slash. */
  ignored: () => Promise<ReadonlySet<string>>
  /** Reads the folder. Called once at a time, and once more after the watcher has started. */
  update: () => Promise<unknown>
  /** Called with the reason if changes may be missed. */
  failed: (error: unknown) => void
}

/** A running watcher. */
export interface FolderWatcher {
  close(): Promise<void>
}

/** Starts watching. Includes changes that were made during the start. */
export function watchFolder({ folder, ignored, update, failed }: WatchOptions): FolderWatcher {
  let watcher: FSWatcher | null = null
  let closed = false
  let timer: NodeJS.Timeout | null = null
  let running: Promise<unknown> = Promise.resolve()
  const read = (): void => {
    timer = null
    running = running.then(() => (closed ? undefined : update())).catch(failed)
  }
  const changed = (path?: string): void => {
    if (closed) return
    if (path !== undefined && basename(path) === '.gitignore') void open()
    timer ??= setTimeout(read, QUIET_MS)
  }
  const open = async (): Promise<void> => {
    const left = await ignored().catch(() => new Set<string>())
    await watcher?.close()
    if (closed) return
    const isIgnored = (path: string): boolean => {
      const below = relative(folder, path).split(sep).join('/')
      return below === '.git' || below.endsWith('/.git') || left.has(below) || left.has(`${below}/`)
    }
    watcher = watch(folder, { ignored: isIgnored, ignoreInitial: true, followSymlinks: false })
    watcher.on('all', (_event, path) => changed(path))
    watcher.on('ready', () => changed())
    watcher.on('error', failed)
  }
  void open()
  return {
    close: async () => {
      closed = true
      if (timer) clearTimeout(timer)
      await watcher?.close()
      await running
    },
  }
}
