import type { CommitId } from '../../kernel/ids.js'
import { commitMessage, makeCommit } from '../writing/commits.js'
import { overridesAt, rememberOverrides } from '../content/identity.js'
import { arrivingOverrides } from '../content/arriving-identity.js'
import { type MergedTree, mergeCommits } from '../writing/merge.js'
import type { Repository } from '../../git/index.js'
import type { CommonGround } from './common-ground.js'
import { isWithin } from './held-by-exports.js'
import { describeRemote } from './remote.js'
import type { Contact } from './sync.js'

/**
 * Merges what arrives into main on their common ground; writes objects only. Where Git would find the same ground in the
 * histories themselves, they are merged as they are. Else each side is put on a commit of its own whose parents are what
 * it has of the remote: Git then finds the newest common ones, and joins several into one base as it does for any merge. These stand
 * on commits of their own too, where they hold more than their history says.
 */
export async function mergeArrival(
  contact: Pick<Contact, 'app' | 'space' | 'remote' | 'actor'>,
  ground: CommonGround,
  { main, theirs }: { main: CommitId; theirs: CommitId },
): Promise<MergedTree> {
  const { app, space } = contact
  const { repo } = space
  await rememberTheirs(contact, ground, theirs)
  if (await isPlain(repo, ground, await repo.mergeBases(main, theirs))) return mergeCommits(app, space, { ours: main, theirs })
  const stand = async (commit: CommitId, parents: readonly CommitId[], side: string): Promise<CommitId> =>
    makeCommit(app, space.doc.id, repo, {
      parents,
      changes: [],
      tree: (await repo.commit(commit)).tree,
      message: commitMessage(`${side} side of a merge with ${describeRemote(contact.remote)}: ${commit}`),
      author: contact.actor.user,
      overrides: await overridesAt(app, space.doc.id, repo, commit),
    })
  const bases: CommitId[] = []
  for (const { theirs: one, held } of ground.bases) if (held.length > 0) bases.push(await stand(one, [one, ...held], 'Common'))
  return mergeCommits(app, space, {
    ours: await stand(main, [...ground.known, ...bases], 'This'),
    theirs: await stand(theirs, [theirs, ...ground.implied, ...bases], 'Other'),
  })
}

/** Whether Git finds just the common ground in the histories themselves. */
async function isPlain(repo: Repository, { bases, implied }: CommonGround, natural: readonly CommitId[]): Promise<boolean> {
  if (bases.length > 1 || natural.length > 1 || natural[0] !== bases[0]?.theirs) return false
  for (const commit of implied) if (!(await isWithin(repo, commit, natural))) return false
  return true
}

/** The IDs of what arrives follow from those of the commit here that it is based on. */
export async function rememberTheirs({ app, space }: Pick<Contact, 'app' | 'space'>, { bases: [base] }: CommonGround, theirs: CommitId): Promise<void> {
  if (base === undefined) return
  rememberOverrides(app, space.doc.id, theirs, await arrivingOverrides(app, space.doc.id, space.repo, base.local, theirs))
}
