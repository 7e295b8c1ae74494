import type { CommitId } from '../../kernel/ids.js'
import { commitMessage, makeCommit } from '../writing/commits.js'
import { overridesAt, rememberOverrides } from '../content/identity.js'
import { arrivingOverrides } from '../content/arriving-identity.js'
import { type MergedTree, mergeCommits } from '../writing/merge.js'
import type { CommonGround } from './common-ground.js'
import { describeRemote } from './remote.js'
import type { Contact } from './sync.js'

/**
 * Merges what arrives into main on their common ground; writes objects only. Where Git would find the same ground in the
 * histories themselves, they are merged as they are. Else each side is put on a commit of its own whose parents are what
 * it has of the remote: Git then finds the newest common ones, and joins several into one base as it does for any merge.
 */
export async function mergeArrival(
  contact: Pick<Contact, 'app' | 'space' | 'remote' | 'actor'>,
  ground: CommonGround,
  { main, theirs }: { main: CommitId; theirs: CommitId },
): Promise<MergedTree> {
  const { app, space } = contact
  const { repo } = space
  const [base] = ground.bases
  await rememberTheirs(contact, ground, theirs)
  const natural = await repo.mergeBase(main, theirs)
  const plain = ground.bases.length <= 1 && natural === (base?.theirs ?? null) && ground.implied.every((commit) => commit === base?.theirs)
  if (plain) return mergeCommits(app, space, { ours: main, theirs })
  const stand = async (commit: CommitId, parents: readonly CommitId[], side: string): Promise<CommitId> =>
    makeCommit(app, space.doc.id, repo, {
      parents,
      changes: [],
      tree: (await repo.commit(commit)).tree,
      message: commitMessage(`${side} side of a merge with ${describeRemote(contact.remote)}: ${commit}`),
      author: contact.actor.user,
      overrides: await overridesAt(app, space.doc.id, repo, commit),
    })
  return mergeCommits(app, space, { ours: await stand(main, ground.known, 'This'), theirs: await stand(theirs, [theirs, ...ground.implied], 'Other') })
}

/** The IDs of what arrives follow from those of the commit here that it is based on. */
export async function rememberTheirs({ app, space }: Pick<Contact, 'app' | 'space'>, { bases: [base] }: CommonGround, theirs: CommitId): Promise<void> {
  if (base === undefined) return
  rememberOverrides(app, space.doc.id, theirs, await arrivingOverrides(app, space.doc.id, space.repo, base.local, theirs))
}
