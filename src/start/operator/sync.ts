/** The operator's commands that import a repository into a space, or export a space, and wait for the end. */
import { setTimeout as sleep } from 'node:timers/promises'
import { requestExport, requestImport, isOver } from '../../domain/git-sync/request.js'
import { defined } from '../../kernel/defined.js'
import { ServiceError } from '../../kernel/errors.js'
import { type SyncRunDoc, syncRuns } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { openSpaceAs } from './actors.js'
import type { Operation, Outcome } from './declaration.js'

/** Time between two looks at a run, in milliseconds. */
const LOOK_MS = 200

interface SyncInput {
  space: string
  url: string
  branch: string
  folder: string | undefined
  force: boolean
  as: string | undefined
}

const requestOf = ({ url, branch, folder, force }: SyncInput) => ({
  url,
  ref: `refs/heads/${branch}`,
  force,
  ...defined({ repoProjectDirectory: folder }),
})

/** Imports a branch, and waits until the import has ended. */
export async function importInto(operation: Operation, input: SyncInput): Promise<Outcome> {
  const { actor, space } = await openSpaceAs(operation.app, input.space, input)
  return ended(operation, await requestImport(operation.app, actor, space, requestOf(input)))
}

/** Exports the main content to a branch, and waits until the export has ended. */
export async function exportFrom(operation: Operation, input: SyncInput & { message: string }): Promise<Outcome> {
  const { actor, space } = await openSpaceAs(operation.app, input.space, input)
  return ended(
    operation,
    await requestExport(operation.app, actor, space, { ...requestOf(input), commitMessage: input.message }),
  )
}

async function ended({ app, tell, signal }: Operation, { id }: Document<SyncRunDoc>): Promise<Outcome> {
  for (;;) {
    const run = await app.store.get(syncRuns, id)
    if (run === null) throw new ServiceError('not-found', 'The run no longer exists, because its space was purged.')
    if (isOver(run)) return outcomeOf(run)
    tell(`${run.direction}: ${run.stage}, ${Math.round(run.progress * 100)} %`)
    if (signal.aborted)
      throw new ServiceError('unavailable', `The server is stopping. The ${run.direction} continues after its start.`)
    await sleep(LOOK_MS)
  }
}

const TEXTS: Readonly<Record<string, string>> = {
  success: 'succeeded',
  conflict: 'has conflicts. An open change request contains them',
  cancelled: 'was canceled',
}

function outcomeOf(run: Document<SyncRunDoc>): Outcome {
  const { direction, state, error, revision, id } = run
  const name = direction === 'import' ? 'The import' : 'The export'
  return {
    text: state === 'failure' ? `${name} failed: ${error ?? 'see the log of the server'}` : `${name} ${TEXTS[state]}.`,
    json: { run: id, direction, state, error: error ?? null, revision: revision ?? null },
    problems: state !== 'success',
  }
}
