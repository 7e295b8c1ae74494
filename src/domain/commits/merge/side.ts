/** One commit of a merge, opened once: everything that the steps of a merge ask about it. */
import { readConfig } from '../../../content/config.js'
import { entryOfFile, type IdOverrides, idOf, overrideKey } from '../../../content/identity.js'
import type { ContentConfig } from '../../../content/types.js'
import type { Snapshot } from '../../../git/index.js'
import type { CommitId } from '../../../kernel/ids.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { overridesAt } from '../../revisions/identity.js'

/** Returns the ID of the page or file at a path. */
export type Identify = (path: string) => string

/** Returns the key of the override of the file at a path. */
export function overrideName({ root }: ContentConfig, path: string): string {
  const { kind, key } = entryOfFile(root, path)
  return overrideKey(kind, key)
}

/** The base, ours or theirs of a merge. */
export interface Side {
  commit: CommitId
  snapshot: Snapshot
  config: ContentConfig
  /** Returns the page IDs that differ from the default. */
  overrides(): Promise<IdOverrides>
  /** Returns the IDs of the files with the given overrides. */
  identify(overrides: IdOverrides): Identify
  ids(): Promise<Identify>
}

export async function openSide(app: App, space: SpaceRepository, commit: CommitId): Promise<Side> {
  const snapshot = await space.repo.objects.snapshot(commit)
  const { config } = await readConfig(snapshot, app.texts.for(space.doc.id))
  const overrides = () => overridesAt(app, space, commit)
  const identify = (known: IdOverrides): Identify => {
    const id = idOf(known)
    return (path) => {
      const { kind, key } = entryOfFile(config.root, path)
      return id(kind, key)
    }
  }
  return { commit, snapshot, config, overrides, identify, ids: async () => identify(await overrides()) }
}

/** The three sides of a merge that has a base. */
export type OpenSides = Record<'base' | 'ours' | 'theirs', Side>
