/** Carries out a push: receives its objects, then moves main or the branches of change requests, like the API. */
import { type PushedPack, RemoteError } from '../../git/index.js'
import { ServiceError } from '../../kernel/errors.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { guardMain } from '../commits/guards.js'
import { MAIN } from '../context/refs.js'
import { QuotaExceeded, withPackLimit } from '../context/quotas.js'
import { withoutRemoved } from '../context/removed-objects.js'
import { checkContent, fetchFirst, type Landed, movePushed, type Push, PushRefused } from './push-request.js'
import { pushToBranch } from './push-to-branch.js'
import { pushToTopic, putUpForReview } from './push-to-topic.js'
import { type PushTarget, type RefCommand, targetOf } from './push-targets.js'

/** The pack of a push, and the hooks of its request. */
type ArrivingPack = Pick<PushedPack, 'bytes' | 'turn' | 'gone'>

/** The result for one ref: its new target, or the reason for its rejection. */
export type PushedRef = { ref: string } & (
  | { ok: true; became: RefName; from: CommitId | null; to: CommitId }
  | { ok: false; reason: string }
)

/**
 * Carries out the commands of a push one at a time. Each succeeds or fails separately. If the objects are rejected, all
 * fail, and the error is thrown: `RemoteError`.
 */
export async function carryOut(push: Push, commands: readonly RefCommand[], pack: ArrivingPack): Promise<PushedRef[]> {
  const targets = commands.map((command) => ({ command, target: targetOf(command, push.options.topic) }))
  const heads = [
    ...new Set(
      targets.flatMap(({ command, target }) => (target.kind === 'refused' || command.to === null ? [] : [command.to])),
    ),
  ]
  if (heads.length > 0) await takeObjects(push, heads, pack)
  const results: PushedRef[] = []
  for (const { command, target } of targets) results.push(await settle(push, command, target))
  return results
}

async function takeObjects({ app, space }: Push, heads: readonly CommitId[], pack: ArrivingPack): Promise<void> {
  const { settings } = app
  const limits = {
    maxBlobBytes: settings.maxBlobBytes,
    maxEntries: settings.maxTreeEntries,
    maxFolderEntries: settings.maxFolderEntries,
    timeoutMs: settings.remoteTimeoutMs,
    pushed: true,
    ...(await withoutRemoved(app, space.doc.id)),
  }
  const pushed = { ...pack, heads, reserved: settings.committer.email }
  await withPackLimit(app, space.doc.organization, (maxPackBytes) =>
    space.repo.door.receivePack(pushed, { ...limits, maxPackBytes }),
  )
}

async function settle(push: Push, command: RefCommand, target: PushTarget): Promise<PushedRef> {
  const { ref } = command
  if (target.kind === 'refused' || command.to === null)
    return { ref, ok: false, reason: target.kind === 'refused' ? target.reason : 'nothing to push' }
  const pushed = { from: command.from, to: command.to }
  try {
    if (target.kind === 'main') return { ref, ok: true, ...(await pushToMain(push, pushed)) }
    if (target.kind === 'branch') return { ref, ok: true, ...(await pushToBranch(push, target, pushed)) }
    return { ref, ok: true, ...(await pushToTopic(push, target.topic, pushed.to)) }
  } catch (error) {
    if (error instanceof PushRefused || error instanceof RemoteError || error instanceof ServiceError)
      return { ref, ok: false, reason: error.message }
    throw error
  }
}

/** The topic of pushes to main that need a review. */
const MAIN_TOPIC = 'main'

/**
 * Moves main forward. If main accepts merges only, the commits become a change request. Throws `PushRefused` if main has
 * other commits, and `ServiceError` if the space is locked.
 */
function pushToMain(push: Push, { from, to }: { from: CommitId | null; to: CommitId }): Promise<Landed> {
  const { app, actor, space, say } = push
  const { repo } = space
  return app.locks.run(space.doc.id, async (lease) => {
    const main = repo.refs.head(MAIN)
    if (main === null || from !== main || !(await repo.history.isAncestor(main, to))) throw fetchFirst('main')
    const guard = guardMain(app, space, { by: 'edit', actor, mayDelete: true })
    let allowed = false
    try {
      await movePushed(push, lease, { branch: 'main', guard }, async () => {
        allowed = true
        if (to === main) return []
        await checkContent(push, main, to)
        return [{ ref: MAIN, from: main, to }]
      })
    } catch (error) {
      if (allowed || error instanceof QuotaExceeded || !(error instanceof ServiceError) || error.code !== 'conflict')
        throw error
      say(
        'The main content of this space accepts only merges that meet its rules, so this push became a change request.',
      )
      return putUpForReview(push, lease, MAIN_TOPIC, to)
    }
    return { became: MAIN, from: main, to }
  })
}
