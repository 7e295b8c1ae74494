/** Checks everything that is stored: documents, repositories, and the files of OpenAPI specifications. */
import { GitError } from '../../git/index.js'
import { spaces } from '../../model/index.js'
import type { App } from '../context/app.js'
import { eachInOrder, lengthOf } from '../context/in-order.js'
import { repositoryName } from '../context/refs.js'
import { checkSpecFiles } from '../openapi/check-files.js'
import type { Repair } from './reconcile.js'

/** The results of a full check: complaints, one per line (empty = no problems), and notes about skipped checks. */
export interface Findings {
  complaints: string[]
  notes: string[]
}

interface CheckOptions {
  /** Whether a second implementation of Git reads and compares every repository. */
  deep: boolean
  /** The repairs that the start of the service made. */
  repairs: readonly Repair[]
  /** Called before each repository. */
  tell(progress: string): void
  signal: AbortSignal
}

/**
 * Checks every repository with `git fsck --strict`, then the documents and the files of OpenAPI specifications, which
 * are repaired if their content is known from elsewhere. Requests may be served in the meantime.
 */
export async function checkAll(app: App, { deep, repairs, tell, signal }: CheckOptions): Promise<Findings> {
  const complaints = repairs.map((repair) => `${repair.space}: ${repair.what}`)
  const notes: string[] = []
  const count = await lengthOf(app.store, spaces, 'all')
  let at = 0
  for await (const { id } of eachInOrder(app.store, spaces, 'all')) {
    signal.throwIfAborted()
    tell(`repository ${++at} of ${count}`)
    const found = await checkSpace(app, id, deep)
    complaints.push(...found.complaints)
    notes.push(...found.notes)
  }
  complaints.push(...((await app.store.damages?.()) ?? []))
  const specs = await checkSpecFiles(app, { deep })
  return { complaints: [...complaints, ...specs.complaints], notes: [...notes, ...specs.notes] }
}

async function checkSpace({ git, locks }: App, id: string, deep: boolean): Promise<Findings> {
  const name = repositoryName(id)
  if (!(await git.exists(name))) return { complaints: [], notes: [] }
  try {
    const repository = await git.open(name)
    const at = (line: string): string => `${repository.path}: ${line}`
    const complaints = (await repository.upkeep.check()).map(at)
    if (!deep) return { complaints, notes: [] }
    // A ref that moves during the comparison looks like a difference, so differences are confirmed without writers.
    const first = await repository.upkeep.deepCheck()
    const compared = first.complaints.length === 0 ? first : await locks.run(id, () => repository.upkeep.deepCheck())
    return { complaints: [...complaints, ...compared.complaints.map(at)], notes: compared.notes.map(at) }
  } catch (error) {
    // The checks of the other repositories must not depend on this one.
    if (!(error instanceof GitError)) throw error
    return { complaints: [`${name}.git: it cannot be checked (${error.message})`], notes: [] }
  }
}
