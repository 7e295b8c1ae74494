/** Finds the last changes of the code that pages describe, in the repository of a space. */
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { PageDates } from '../context/content-cache.js'
import { datesAt, datesOf } from '../revisions/page-dates.js'
import type { OpenRevision } from '../revisions/revisions.js'

/** The change of a path: its time, in seconds since 1970. */
export interface CodeChange {
  path: string
  seconds: number
}

/** The times of the last changes of files and folders at a revision. */
export class CodeChanges {
  private constructor(
    private readonly dates: PageDates,
    /** Folder → the last change of a file in it, in seconds since 1970. */
    private readonly folders: ReadonlyMap<string, number>,
  ) {}

  /** Reads the changes of a revision on the first-parent line. A deleted file does not count as a change of its folder. */
  static async of(app: App, { space, snapshot }: OpenRevision): Promise<CodeChanges> {
    const dates = await datesAt(app, space, snapshot.commit)
    const folders = new Map<string, number>()
    const seen = new Set<string>()
    const slices = new Slices()
    for (let link: PageDates | null = dates; link; link = link.base)
      for (const [path, file] of link.own) {
        if (slices.due) await slices.rest()
        if (seen.has(path)) continue
        seen.add(path)
        if (!file) continue
        for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
          const folder = path.slice(0, end)
          folders.set(folder, Math.max(folders.get(folder) ?? 0, file.updated))
        }
      }
    return new CodeChanges(dates, folders)
  }

  /** Returns the last change of a file, in seconds since 1970; null if there is no such file. */
  file(path: string): number | null {
    return datesOf(this.dates, path)?.updated ?? null
  }

  /** Returns the newest change of the paths after a time, in seconds since 1970. Null if there is none. */
  after(paths: readonly string[], seconds: number): CodeChange | null {
    const changes = paths.flatMap((path) => {
      const changed = this.file(path) ?? this.folders.get(path)
      return changed === undefined || changed <= seconds ? [] : [{ path, seconds: changed }]
    })
    return changes.reduce<CodeChange | null>((best, one) => (best && best.seconds >= one.seconds ? best : one), null)
  }
}
