/** Applies ref moves from memory to the disk of a node, and finds refs that were moved there manually. */
import { required } from '../../kernel/defined.js'
import { asError, errorCode } from '../../kernel/thrown.js'
import type { RefName } from '../../kernel/ids.js'
import { GitError, StaleRef } from '../errors.js'
import type { Copy, NodeServices } from './copy.js'
import { type Deviation, findDeviations, resetRefs } from './disk-refs.js'
import { isSame } from './head.js'
import { writeState } from './node-state.js'
import { publishFrom } from './publish-copy.js'
import { planSetAside } from './manual-moves.js'

const REASON = 'follow the database'

/**
 * Sets refs on the disk to their values in memory. On failure, logs a notice and retries on the next pass. Reads use
 * memory and are not affected.
 */
export async function applyToDisk(services: NodeServices, copy: Copy, refs: readonly RefName[]): Promise<void> {
  const { reader } = copy.disk.parts
  try {
    const all = refs
      .map((ref): Deviation => ({ ref, actual: reader.head(ref), expected: copy.refs.get(ref) }))
      .filter(({ actual, expected }) => actual !== expected)
    if (all.some((one) => copy.isForeign(one))) return await compareWithDisk(services, copy)
    copy.stamps.forget()
    await resetRefs(copy.disk.parts, all, REASON)
    copy.markApplied(refs)
    await noteState(copy)
  } catch (error) {
    reportFailure(services, copy, error)
  }
}

/** Compares all refs on the disk with those in memory. Sets aside what was moved by hand, then resets the disk. */
export async function compareWithDisk(services: NodeServices, copy: Copy): Promise<void> {
  const { reader } = copy.disk.parts
  copy.comparedAt = performance.now()
  try {
    await copy.stamps.take()
    const found = findDeviations(reader, copy.refs.all())
    const foreign = found.filter((one) => copy.isForeign(one))
    if (foreign.length > 0) await setAside(services, copy, foreign)
    // The next pass finds refs that move in the meantime.
    const ours = (foreign.length > 0 ? findDeviations(reader, copy.refs.all()) : found).filter(
      (one) => !copy.isForeign(one),
    )
    if (ours.length > 0) copy.stamps.forget()
    await resetRefs(copy.disk.parts, ours, REASON)
    copy.expectNothing()
    await noteState(copy)
  } catch (error) {
    reportFailure(services, copy, error)
  }
}

async function setAside(services: NodeServices, copy: Copy, foreign: readonly Deviation[]): Promise<void> {
  const { told, moves } = planSetAside(foreign, (ref) => copy.refs.get(ref))
  if (moves.length > 0) {
    const { before, after } = await publishFrom(services, copy, {
      moves,
      reason: 'set aside what was moved by hand on a node',
      fence: null,
    })
    // If other nodes moved refs as well, the head of the copy is unchanged. The next opening catches up.
    copy.applyMoves(moves, isSame(before, required(copy.head)) ? after : required(copy.head))
    services.updateCache(copy)
  }
  for (const { ref, actual } of foreign) copy.expect(ref, actual)
  for (const { ref, found, put, kept } of told) {
    const what = found === null ? 'deleted' : `moved to ${found}`
    services.notice(
      `${copy.path}: ${ref} was ${what} by hand. The server reset it to ${put ?? 'absent'}${kept === null ? '' : ` and kept the commit as ${kept}`}. Push to the server instead.`,
    )
  }
  services.setAside(copy.name, told)
}

/**
 * Records the state, but only if the disk is up to date. Otherwise, the next start would take pending moves for moves
 * by hand.
 */
async function noteState(copy: Copy): Promise<void> {
  if (!copy.isUpToDate) return
  await writeState(copy.path, required(copy.head))
  copy.disk.parts.writer.packs.kept.followed()
}

function reportFailure(services: NodeServices, copy: Copy, error: unknown): void {
  copy.stamps.forget()
  if (error instanceof StaleRef) return
  if (!(error instanceof GitError) && errorCode(error) === undefined) throw error
  services.notice(`${copy.path}: cannot update the refs on the disk from the database: ${asError(error).message}`)
}
