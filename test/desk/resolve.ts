/** Resolves conflicts with the operations of the app, and checks the merge commit with plain Git. */
import * as assert from 'uvu/assert'
import {
  type Choice,
  type ConflictFile,
  type Decisions,
  isDecided,
  optionsOf,
  partsOf,
  resolutionOf,
} from '../../src/desk/conflicts/decisions.js'
import { type ChangeRequestDesk, type Desk, expectStatus } from '../commits/fixture.js'

/** The conflicts of a change request, and the revisions that they are between. */
export interface State {
  revision: string
  main: string
  count: number
  conflicts: { key: string; kind: string; form: string }[]
}

export const stateOf = async (desk: Desk, change: ChangeRequestDesk): Promise<State> =>
  (await desk.admin.call('get', `${change.url}/conflict-state`).expect(expectStatus(200))).body

/** Loads the files in conflict, one by one, as the app does. */
export async function filesOf(desk: Desk, change: ChangeRequestDesk, state: State): Promise<ConflictFile[]> {
  const files: ConflictFile[] = []
  for (const { key } of state.conflicts) {
    const query = new URLSearchParams({ key, revision: state.revision, main: state.main })
    files.push(
      (await desk.admin.call('get', `${change.url}/conflict-state/file?${query}`).expect(expectStatus(200))).body,
    )
  }
  return files
}

/** Decides every part of every file in the same way, as far as a part offers it. */
export function decideAll(file: ConflictFile, choice: Choice): Decisions {
  const decisions = Object.fromEntries(
    partsOf(file).map((part) => {
      const isOffered = typeof choice === 'object' || optionsOf(file, part).includes(choice)
      return [part.id, isOffered ? choice : 'main']
    }),
  )
  assert.ok(isDecided(file, decisions))
  return decisions
}

/** Checks what every resolution leaves: one merge commit of both sides, no conflict, and a sound repository. */
export async function isResolved(desk: Desk, change: ChangeRequestDesk, state: State): Promise<void> {
  assert.is(await desk.git('log', '-1', '--format=%P', change.ref), `${state.revision} ${state.main}`)
  assert.is((await stateOf(desk, change)).count, 0)
  await desk.git('fsck', '--strict')
}

/** Resolves all conflicts as the app does, and checks the merge commit with plain Git. */
export async function resolve(desk: Desk, change: ChangeRequestDesk, choice: Choice): Promise<string> {
  const state = await stateOf(desk, change)
  const files = await filesOf(desk, change, state)
  const resolutions = files.map((file) => resolutionOf(file, decideAll(file, choice)))
  const expect = { revision: state.revision, main: state.main }
  const { revision } = await change.update(200, { resolve: resolutions, expect })
  await isResolved(desk, change, state)
  return revision
}
