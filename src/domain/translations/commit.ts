/**
 * Commits the result of a run. The translation records the commit before the branch moves, so that a run after a crash
 * finds it.
 */
import type { CommitId } from '../../kernel/ids.js'
import { changeRequests, type RunResult, translations } from '../../model/index.js'
import { loadHead } from '../context/loaded.js'
import { moveBranch } from '../commits/move-branch.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { headOf } from '../revisions/main-content.js'
import { type Branch, branchOf, needsChangeRequest, openChangeRequest } from './branch.js'
import { keepLedger, LEDGER_HEADER, writeLedger } from './ledgers.js'
import type { TranslationWork } from './needs.js'
import type { Run } from './run-types.js'
import { overridesOf, type Written } from './write-result.js'

/** The branch moved after it was read. The run is repeated on the new head. */
export class BranchMoved extends Error {
  override name = 'BranchMoved'
}

/** Creates the commit of a run and moves the branch to it. Throws `BranchMoved`, and the errors of the guards. */
export async function commitRun(run: Run, branch: Branch, work: TranslationWork, written: Written): Promise<RunResult> {
  const { app, space } = run
  const result = { pages: written.pages, words: written.words, notes: written.notes }
  const [ledger, overrides] = [
    await writeLedger(app, space.repo, work.ledger, {
      source: work.source.commit,
      files: written.files,
      units: written.units,
    }),
    await overridesOf(work, space.repo, written),
  ]
  return app.locks.run(space.doc.id, async (lease) => {
    const now = await branchOf(app, run.actor, space, run.doc)
    if (now.ref !== branch.ref || now.head !== branch.head) throw new BranchMoved()
    const isProposed = now.changeRequest === null && (await needsChangeRequest(app, space))
    const target = isProposed ? await openChangeRequest(app, run.actor, space, run.doc, lease) : now
    await keepLedger(app, space.repo, ledger, lease)
    const where = target.changeRequest ? { changeRequest: target.changeRequest.id } : {}
    const revision = await moveBranch(
      space.repo,
      { ref: target.ref, reason: 'translate', guard: target.guard, lease },
      async (head) => {
        if (head !== target.head) throw new BranchMoved()
        const commit = await makeCommit(app, space, {
          parents: [target.head],
          changes: written.changes,
          message: messageOf(run, work.source.commit, written.pages),
          author: run.actor.user,
          overrides,
          headers: { [LEDGER_HEADER]: ledger },
        })
        await app.store.transact(async (tx) => {
          const stored = await tx.get(translations, run.doc.id)
          if (stored)
            await tx.replace(translations, { ...stored, committed: { commit, ...result, ...where, revision: commit } })
        })
        return commit
      },
    )
    return { ...result, ...where, revision }
  })
}

const names = new Intl.DisplayNames(['en'], { type: 'language' })

function messageOf({ doc }: Run, source: CommitId, pages: number): string {
  const language = names.of(doc.language === 'pt-br' ? 'pt-BR' : doc.language) ?? doc.language
  return commitMessage(`Translate ${pages} ${pages === 1 ? 'page' : 'pages'} into ${language}`, {
    'Translated-From': source,
  })
}

/** Returns the result that an interrupted run committed. Null if its commit is on no branch. */
export async function committedBefore({ app, space, doc }: Run): Promise<RunResult | null> {
  const stored = await app.store.get(translations, doc.id)
  const done = stored?.committed
  if (!done || !(await space.repo.objects.hasCommit(done.commit))) return null
  const request = done.changeRequest === undefined ? null : await app.store.get(changeRequests, done.changeRequest)
  const head = request ? loadHead(space, request).head : headOf(space)
  if (!(await space.repo.history.isAncestor(done.commit, head))) return null
  const { commit: _commit, ...result } = done
  return result
}
