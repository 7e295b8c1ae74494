/** Reads facts about main from all sync logs of a space, for any remote. */
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { LOG, readEntries, isKnown } from './log-entries.js'

/**
 * Whether the space was ever synced with any remote. Ignores an import that crashed before main moved, and an export
 * that may not have arrived.
 */
export async function wasEverSynced(repo: Repository, main: CommitId): Promise<boolean> {
  for (const [ref, commit] of await repo.refs.list('refs/bindery/sync/')) {
    const anchors = ref.endsWith(`/${LOG}`)
      ? readEntries((await repo.objects.commit(commit)).message)
          .filter(isKnown)
          .map(({ anchor }) => anchor)
      : [commit]
    for (const anchor of anchors)
      if ((await repo.objects.hasCommit(anchor)) && (await repo.history.isAncestor(anchor, main))) return true
  }
  return false
}

/** Returns the commits by which main followed a drop, for all remotes that the space was synced with. */
export async function dropAnchors(repo: Repository, main: CommitId): Promise<CommitId[]> {
  const anchors = new Set<CommitId>()
  for (const [ref, commit] of await repo.refs.list('refs/bindery/sync/'))
    for (const { kind, anchor } of ref.endsWith(`/${LOG}`)
      ? readEntries((await repo.objects.commit(commit)).message)
      : [])
      if (kind === 'dropped' && (await repo.objects.hasCommit(anchor)) && (await repo.history.isAncestor(anchor, main)))
        anchors.add(anchor)
  return [...anchors]
}
