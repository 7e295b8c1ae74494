import { allows } from '../../access/index.js'
import { conflict } from '../../kernel/errors.js'
import { type ChangeRequestDoc, type ReviewDoc, reviews, type SpaceDoc, spaces, users } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import { spaceRole } from '../roles/access.js'
import type { LoadedChangeRequest } from '../context/loaded.js'

/** The reviews of a change request that decide whether it may be merged. */
interface DecidingReviews {
  approvals: ReviewDoc[]
  objections: ReviewDoc[]
}

/**
 * The reviews that count: the latest one of each reviewer, unless it was dismissed, the reviewer opened the change request, or they may no
 * longer review the space. An approval counts only for the revision that is the head now.
 */
export async function decidingReviews(reader: Reader, space: SpaceDoc, { doc, head }: LoadedChangeRequest): Promise<DecidingReviews> {
  const latest = new Map<string, ReviewDoc>()
  const all = await reader.find(reviews, 'changeRequest', doc.id)
  for (const review of all.sort((a, b) => a.sequence - b.sequence)) latest.set(review.reviewer, review)
  const deciding: DecidingReviews = { approvals: [], objections: [] }
  for (const review of latest.values()) {
    if (review.dismissedAt !== undefined || review.reviewer === doc.createdBy) continue
    if (review.status === 'approved' && review.revision !== head) continue
    if (!(await mayReview(reader, review.reviewer, space))) continue
    deciding[review.status === 'approved' ? 'approvals' : 'objections'].push(review)
  }
  return deciding
}

/** Whether a user may review the space. */
export async function mayReview(reader: Reader, user: string, space: SpaceDoc): Promise<boolean> {
  const role = await spaceRole(reader, user, space)
  return role !== null && allows('space:review', role)
}

async function isAdmin(reader: Reader, user: string, space: SpaceDoc): Promise<boolean> {
  const role = await spaceRole(reader, user, space)
  return role !== null && allows('space:admin', role)
}

/** A change request that is about to be merged, with the commit that will be. */
export interface Candidate {
  doc: Document<ChangeRequestDoc>
  head: LoadedChangeRequest['head']
  /** The user who merges it, and whether they wrote in it (`change-requests/writers.ts`). */
  mergedBy: { user: string; wrote: boolean }
}

/**
 * The rule of a space that a merge needs N approvals. Throws 409 if the head has fewer, or if a reviewer whose review counts requests changes.
 * The merging user's own approval does not count if they wrote in the change request, unless they are an admin: no second person would have
 * seen what they wrote. Called under the lock of the space.
 */
export async function checkApprovals(reader: Reader, changeRequest: Candidate): Promise<void> {
  const space = await reader.get(spaces, changeRequest.doc.space)
  const required = space?.requiredApprovals ?? 0
  if (!space || required === 0) return
  const { approvals, objections } = await decidingReviews(reader, space, changeRequest)
  const { user, wrote } = changeRequest.mergedBy
  const missing = required - approvals.length
  const reasons: string[] = []
  if (missing === 0 && wrote && approvals.some(({ reviewer }) => reviewer === user) && !(await isAdmin(reader, user, space)))
    reasons.push('You wrote in it, so your own approval does not count if you merge it: somebody else has to approve it or merge it.')
  if (missing > 0)
    reasons.push(
      `It needs ${count(required)} of its latest revision, from people other than the one who opened it. It has ${approvals.length}; ${count(missing)} missing.`,
    )
  if (objections.length > 0)
    reasons.push(`Changes are requested by ${await names(reader, objections)}: they have to approve it, or an admin has to dismiss their review.`)
  if (reasons.length > 0) throw conflict(`Change request ${changeRequest.doc.number} cannot be merged yet. ${reasons.join(' ')}`)
}

const count = (approvals: number): string => (approvals === 1 ? '1 approval' : `${approvals} approvals`)

async function names(reader: Reader, by: readonly ReviewDoc[]): Promise<string> {
  const found = await Promise.all(by.map(async ({ reviewer }) => (await reader.get(users, reviewer))?.displayName ?? reviewer))
  return found.join(', ')
}
