/** Ref moves by this node: publishes them in the database, then applies them to the copy. */
import { required } from '../../kernel/defined.js'
import { StaleRef } from '../errors.js'
import type { RefMove } from '../types.js'
import { catchUp } from './catch-up.js'
import type { Copy, NodeServices } from './copy.js'
import { applyToDisk } from './follow.js'
import { isSame } from './head.js'
import { PacksReplaced, type Published } from './publish.js'
import { type OwnMoves, publishFrom } from './publish-copy.js'

const ATTEMPTS = 5

/** Makes the moves. Throws what `publish` throws. */
export async function moveOnNode(services: NodeServices, copy: Copy, own: OwnMoves): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await followOwn(services, copy, own.moves, await publishFrom(services, copy, own))
    } catch (error) {
      const isReplaced = error instanceof PacksReplaced && attempt < ATTEMPTS
      // A retry must start from the current refs.
      if (isReplaced || error instanceof StaleRef) await catchUp(services, copy)
      if (!isReplaced) throw error
    }
  }
}

/**
 * Applies the node's own moves to its copy. The moves are already published, so a failure here is repaired when the
 * repository is opened next.
 */
async function followOwn(
  services: NodeServices,
  copy: Copy,
  moves: readonly RefMove[],
  { before, after }: Published,
): Promise<void> {
  if (!isSame(before, required(copy.head))) {
    // Other nodes moved refs as well.
    await catchUp(services, copy).catch((error: unknown) => {
      services.notice(
        `${copy.path}: cannot apply the ref moves of other nodes now: ${error instanceof Error ? error.message : String(error)}`,
      )
      copy.refs.apply(moves)
    })
    return
  }
  copy.applyMoves(moves, after)
  services.updateCache(copy)
  await applyToDisk(
    services,
    copy,
    moves.map(({ ref }) => ref),
  )
}
