// Checks fetched objects before they get into the repository: small fetches in this process, others by Git.
import type { CommitId } from '../../kernel/ids.js'
import type { FetchLimits } from '../types.js'
import type { Connection, LocalRepository } from './connection.js'
import { checkArrived, checkConnected, checkTree, requireCommit } from './inspect.js'
import { inspectHere } from './inspect-here.js'
import type { Quarantine } from './quarantine.js'
import { withEnv } from './run.js'

/** The parameters of the checks. */
interface Inspection {
  local: LocalRepository
  limits: FetchLimits
  /** Whether everything that the head needs is known to exist, provided that the head itself has arrived. */
  whole: boolean
}

/** Checks the received objects while they are synced to disk. Returns their number. Throws `RemoteError`. */
export async function inspect(
  connection: Connection,
  quarantine: Quarantine,
  head: CommitId,
  inspection: Inspection,
): Promise<number> {
  const { local, limits, whole } = inspection
  // Sync to disk while the checks run. Rejected packs are deleted.
  const written = quarantine.writeOut()
  written.catch(() => {})
  try {
    const isWhole = async (commit: CommitId) =>
      limits.known !== undefined && (commit === limits.known || (await local.isAncestor(commit, limits.known)))
    const here = local.known
      ? await inspectHere(quarantine.folder, head, { limits, known: local.known, isWhole: whole ? null : isWhole })
      : null
    return here ?? (await inspectByGit(connection, quarantine, head, inspection))
  } finally {
    // Before the quarantine is removed or moved.
    await written
  }
}

async function inspectByGit(
  connection: Connection,
  quarantine: Quarantine,
  head: string,
  { limits, whole }: Inspection,
): Promise<number> {
  const started = Date.now()
  const left = (): number => limits.timeoutMs - (Date.now() - started)
  const all = withEnv(connection.git, quarantine.env)
  const checks = [
    checkArrived({ arrived: withEnv(connection.git, quarantine.arrivedEnv), all }, head, limits, left()),
    checkTree(all, head, limits, left()),
    whole ? Promise.resolve() : checkConnected(all, head, left()),
  ] as const
  // All checks must end before the quarantine is removed.
  await Promise.allSettled(checks)
  const { objects, headType } = await checks[0]
  await requireCommit(all, head, headType, limits, left())
  await Promise.all(checks)
  if (whole && headType === null) await checkConnected(all, head, left())
  return objects
}
