/** Records the end of a run in the transaction that ends its job. */
import { type RunResult, translations, type TranslationDoc, type TranslationProblem } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { emit } from '../events/events.js'
import { isQueued } from './queue.js'
import type { RunEnd } from './run-types.js'
import { defined } from '../../kernel/defined.js'

/** Records the end of a run. Does nothing if the translation was deleted in the meantime. */
export async function writeEnd(
  app: App,
  tx: Transaction,
  id: string,
  end: RunEnd | { problem: TranslationProblem },
): Promise<void> {
  const stored = await tx.get(translations, id)
  if (!stored) return
  const { startedAt, committed: _committed, problem: _problem, ...rest } = stored
  const duration = startedAt === undefined ? 0 : Math.max(0, app.clock.now().getTime() - Date.parse(startedAt))
  const seen = 'seen' in end && end.seen !== undefined ? { seen: end.seen } : {}
  const base = { ...rest, ...seen, updatedAt: app.clock.now().toISOString() }
  // If another run was requested in the meantime, it has not started yet.
  const ended =
    'done' in end ? completed(base, end.done, duration) : { ...base, status: 'failed' as const, problem: end.problem }
  await tx.replace(translations, (await isQueued(tx, id)) ? { ...ended, status: 'pending' } : ended)
  const data = { status: ended.status, ...('problem' in end ? { error: end.problem.code } : {}) }
  await emit(app, tx, {
    type: 'translation.finished',
    organization: stored.organization,
    subject: { translation: id, space: stored.result.space },
    data,
  })
}

function completed(doc: Document<TranslationDoc>, done: RunResult, duration: number): Document<TranslationDoc> {
  const { pages, words, notes } = done
  return {
    ...doc,
    status: 'completed',
    notes,
    result: {
      space: doc.result.space,
      revision: done.revision ?? doc.result.revision,
      ...defined({ changeRequest: done.changeRequest }),
    },
    runs: doc.runs + 1,
    latestPages: pages,
    latestWords: words,
    latestRunDuration: duration,
    totalPages: doc.totalPages + pages,
    totalWords: doc.totalWords + words,
    totalDuration: doc.totalDuration + duration,
  }
}
