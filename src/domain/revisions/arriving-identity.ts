import { readConfig } from '../../content/config.js'
import { entryOfOverride, type IdOverrides } from '../../content/identity.js'
import { kindOfPath } from '../../content/known-files.js'
import type { TextWork } from '../../content/work/text-work.js'
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import { overridesAt, saysItsIds } from './identity.js'
import { resolveChanges } from './identity-changes.js'

/**
 * The IDs at a head as they follow from those of `base`: its own, where its line goes back to the same ones; else (a remote's commits
 * may know nothing of the IDs here) what became of the base's is found out by comparing the two.
 */
export async function overridesFrom(app: App, space: string, repo: Repository, base: CommitId, head: CommitId): Promise<IdOverrides> {
  const [before, own] = [await overridesAt(app, space, repo, base), await overridesAt(app, space, repo, head)]
  return (await differsWhereNothingChanged(app.texts.for(space), repo, base, before, head, own))
    ? resolveChanges(app.texts.for(space), repo, before, base, head)
    : own
}

/**
 * The IDs at a remote's head that arrives here. What a server exported says its IDs itself, and what people made on top of it
 * follows from that; to guess them from the difference to `base` would give pages that exchanged texts each other's.
 */
export const arrivingOverrides = async (app: App, space: string, repo: Repository, base: CommitId, head: CommitId): Promise<IdOverrides> =>
  (await saysItsIds(app, space, repo, head))
    ? overridesFrom(app, space, repo, base, head)
    : resolveChanges(app.texts.for(space), repo, await overridesAt(app, space, repo, base), base, head)

/** Whether files that are the same at both commits have other IDs there: then these are not of one line. */
async function differsWhereNothingChanged(
  work: TextWork,
  repo: Repository,
  base: CommitId,
  before: IdOverrides,
  head: CommitId,
  own: IdOverrides,
): Promise<boolean> {
  if (before === own) return false
  const [old, now] = [await repo.at(base), await repo.at(head)]
  const { root } = (await readConfig(old, work)).config
  const slices = new Slices()
  for (const name of new Set([...before.keys(), ...own.keys()])) {
    if (slices.due) await slices.rest()
    const { kind, key } = entryOfOverride(name)
    if (before.get(name) === own.get(name) || kindOfPath(key) !== kind) continue
    const path = root === '' ? key : `${root}/${key}`
    const [was, is] = [await old.entry(path), await now.entry(path)]
    if (was !== null && was.oid === is?.oid) return true
  }
  return false
}
