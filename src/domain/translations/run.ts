/** Runs a translation: compares the source with the last run, translates new units, and commits the result. */
import { ServiceError } from '../../kernel/errors.js'
import {
  type RunResult,
  spaces,
  type TranslationDoc,
  type TranslationProblem,
  translations,
  users,
  type RunOrder,
} from '../../model/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { Document } from '../../store/index.js'
import { askEngine, contextOf, EngineError, type TranslationOrder } from '../../translation/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { repositoryName } from '../context/refs.js'
import { headOf } from '../revisions/main-content.js'
import { type Branch, branchOf, checkMay } from './branch.js'
import { BranchMoved, commitRun, committedBefore } from './commit.js'
import { chooseEngine } from './engines.js'
import { filesAt } from './files.js'
import { textOf } from './instructions.js'
import { findLedger, type Ledger } from './ledgers.js'
import { type Allowance, answersFor, findNeeds, type TranslationWork } from './needs.js'
import { planFiles } from './plan.js'
import { type Run, type RunEnd, RunFailure } from './run-types.js'
import { type Written, writeResult } from './write-result.js'
import { defined } from '../../kernel/defined.js'

const monthOf = (at: Date): string => at.toISOString().slice(0, 7)

/** Returns the allowance of a run: the server's limit and, for automatic runs, the rest of the monthly budget. */
function allowanceOf({ app, doc, automatic }: Pick<Run, 'app' | 'doc' | 'automatic'>): Allowance {
  const month = monthOf(app.clock.now())
  const spent = doc.spent?.month === month ? doc.spent.characters : 0
  const maxCharacters = app.settings.translationCharacters
  const limit: Allowance['limit'] = [
    {
      characters: maxCharacters,
      reason: (needed) =>
        `This run would send ${needed} characters, but the server allows ${maxCharacters} per run. Nothing was sent.`,
    },
  ]
  if (automatic && doc.automatic) {
    const left = Math.max(0, doc.automatic.charactersPerMonth - spent)
    const reason = (needed: number): string =>
      `This run would send ${needed} characters, but only ${left} of the ${doc.automatic?.charactersPerMonth} for automatic runs in ${month} are left. Nothing was sent. Raise the budget, or run the translation on demand.`
    limit.push({ characters: left, reason })
  }
  return {
    limit,
    async spent(characters) {
      if (characters === 0) return
      await app.store.transact(async (tx) => {
        const stored = await tx.get(translations, doc.id)
        const before = stored?.spent?.month === month ? stored.spent.characters : 0
        if (stored) await tx.replace(translations, { ...stored, spent: { month, characters: before + characters } })
      })
    },
  }
}

/** Maximum number of attempts while other changes move the branch of the result. */
const ATTEMPTS = 8

/**
 * Runs a translation. It may be interrupted at any point and run again. Throws unexpected errors, and the reason of
 * `signal` if it is aborted.
 */
export async function runTranslation(app: App, order: RunOrder, signal: AbortSignal): Promise<RunEnd | null> {
  const doc = await start(app, order.translation)
  if (!doc) return null
  let seen: CommitId | undefined
  try {
    const run = await openRun(app, doc, order, signal)
    seen = headOf(run.source)
    const before = await committedBefore(run)
    return { done: before ?? (await translate(run, seen)), seen }
  } catch (error) {
    if (signal.aborted) throw error
    const problem = problemOf(error)
    if (!problem) throw error
    return { problem, ...defined({ seen }) }
  }
}

const start = (app: App, id: string): Promise<Document<TranslationDoc> | null> =>
  app.store.transact(async (tx) => {
    const stored = await tx.get(translations, id)
    return (
      stored &&
      tx.replace(translations, {
        ...stored,
        status: 'running',
        startedAt: stored.startedAt ?? app.clock.now().toISOString(),
      })
    )
  })

async function openRun(
  app: App,
  doc: Document<TranslationDoc>,
  { by, automatic }: RunOrder,
  signal: AbortSignal,
): Promise<Run> {
  const user = await app.store.get(users, by)
  if (!user) throw new RunFailure('forbidden', 'The user of this run was removed. Start the translation yourself.')
  const actor: Actor = { user, token: { id: 'job', readOnly: false } }
  const open = async (id: string, code: 'source-gone' | 'result-gone', message: string): Promise<LoadedSpace> => {
    const space = await app.store.get(spaces, id)
    if (!space || space.deletedAt !== undefined) throw new RunFailure(code, message)
    return { doc: space, role: 'edit', repo: await app.git.open(repositoryName(id)) }
  }
  const source = await open(
    doc.source.space,
    'source-gone',
    'The source was deleted. Restore it, or delete the translation.',
  )
  const space = await open(
    doc.result.space,
    'result-gone',
    'The translated space was deleted. Restore it, or delete the translation.',
  )
  const guarded: App = { ...app, stillMay: (reader) => checkMay(reader, actor, doc) }
  await guarded.stillMay(app.store)
  return { app: guarded, doc, actor, source, space, automatic, signal }
}

async function translate(run: Run, head: CommitId): Promise<RunResult> {
  for (let tries = 1; ; tries++) {
    const branch = await branchOf(run.app, run.actor, run.space, run.doc)
    const ledger = (await findLedger(run.space.repo, branch.head)) ?? (await initialLedger(run))
    if (ledger.source === head && ![...ledger.files.values()].some(({ kept }) => kept && !run.automatic))
      return nothing(branch)
    if (!(await isWritable(branch)))
      throw new RunFailure('locked', 'The translated space is locked. Set its editMode to live to change its content.')
    const work = await openWork(run, branch, ledger, head)
    const made = await make(run, work)
    if (made.changes.length === 0 && (ledger.source === head || isUntouched(work)))
      return { ...nothing(branch), notes: made.notes }
    try {
      return await commitRun(run, branch, work, made)
    } catch (error) {
      if (!(error instanceof BranchMoved)) throw error
      if (tries >= ATTEMPTS)
        throw new RunFailure(
          'conflict',
          'The translated space changed too often during this run. Run the translation again.',
        )
    }
  }
}

/** Whether the new revision of the source changed none of its files. */
const isUntouched = ({ plan, ledger }: TranslationWork): boolean =>
  ledger.commit !== null && plan.gone.length === 0 && plan.steps.every(({ how }) => how === 'leave')

const nothing = (branch: Branch): RunResult => ({
  revision: branch.head,
  ...(branch.changeRequest ? { changeRequest: branch.changeRequest.id } : {}),
  pages: 0,
  words: 0,
  notes: [],
})

/** Checks the guard before anything is sent to an engine, so that no translation is paid for that cannot be written. */
async function isWritable({ guard, changeRequest }: Branch): Promise<boolean> {
  try {
    await guard.check()
    return true
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'locked') return false
    // Main accepts merges only, so the result goes into a change request.
    if (error.code === 'conflict' && changeRequest === null) return true
    throw error
  }
}

/** Returns the ledger before the first run: the files that the service added to the new space. */
async function initialLedger({ app, doc, space }: Run): Promise<Ledger> {
  const { byId } = await filesAt(app, space, doc.initial)
  const files = [...byId.values()].map(({ id, oid, path, mode }) => ({
    id,
    source: '',
    written: oid,
    path,
    mode,
    kept: false,
    edited: false,
  }))
  return { commit: null, source: '', files: new Map(files.map((file) => [file.id, file])), snapshot: null }
}

async function openWork(run: Run, branch: Branch, ledger: Ledger, head: CommitId): Promise<TranslationWork> {
  const { app, signal } = run
  const [source, result] = [await filesAt(app, run.source, head), await filesAt(app, run.space, branch.head)]
  const again = !run.automatic
  return {
    app,
    source,
    ledger,
    result,
    plan: planFiles(source, ledger, result, again),
    owner: run.space.doc.id,
    again,
    signal,
  }
}

async function make(run: Run, work: TranslationWork): Promise<Written> {
  const { app, doc, space } = run
  const pair = { from: doc.source.language, to: doc.language }
  const choice = await chooseEngine(app, pair, doc.engine)
  if (choice.engine === null) throw new RunFailure('engine', choice.reasons.join(' '))
  const needs = await findNeeds(work, choice.engine)
  const guidance = { instructions: textOf(doc.instructions), glossary: doc.glossary ?? [], examples: needs.examples }
  const order: TranslationOrder = { engine: choice.engine, pair, guidance }
  const answers = await answersFor(work, order, needs.wanted, allowanceOf(run))
  const made = await writeResult(work, space.repo, answers, needs.corrections)
  return made.refused.size === 0
    ? made
    : retryRefused(work, order, answers, made, (all) => writeResult(work, space.repo, all, needs.corrections))
}

/**
 * Asks the engine once more for unusable translations. Those that are rejected again are removed from the memory, so
 * that the next requested run asks for them.
 */
async function retryRefused(
  work: TranslationWork,
  order: TranslationOrder,
  answers: Map<string, string>,
  first: Written,
  write: (answers: ReadonlyMap<string, string>) => Promise<Written>,
): Promise<Written> {
  const { memory } = work.app.translation
  memory.forget(contextOf(order), [...first.refused])
  try {
    for (const [segment, answer] of await askEngine(memory, order, [...first.refused], work.signal))
      answers.set(segment, answer)
  } catch (error) {
    if (error instanceof EngineError) return first
    throw error
  }
  const made = await write(answers)
  memory.forget(contextOf(order), [...made.refused])
  return made
}

const CODES: Readonly<Record<string, TranslationProblem['code']>> = {
  forbidden: 'forbidden',
  'not-found': 'result-gone',
  conflict: 'conflict',
  locked: 'locked',
  'too-large': 'too-large',
  'bad-request': 'conflict',
}

/** Converts the error that ended a run to a problem for the users of the translation. Null if it is unexpected. */
function problemOf(error: unknown): TranslationProblem | null {
  if (error instanceof RunFailure) return { code: error.code, message: error.message }
  if (!(error instanceof ServiceError)) return null
  const code = CODES[error.code]
  return code === undefined ? null : { code, message: error.message }
}
