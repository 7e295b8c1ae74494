/** The reviews that decide whether a change request may be merged. */
import { allows } from '../../../access/index.js'
import { type ReviewDoc, reviews, type SpaceDoc, users } from '../../../model/index.js'
import type { Reader } from '../../../store/index.js'
import { spaceRole } from '../../roles/access.js'
import type { LoadedChangeRequest } from '../../context/loaded.js'

/** The reviews of a change request that decide whether it may be merged. */
interface DecidingReviews {
  approvals: ReviewDoc[]
  objections: ReviewDoc[]
}

/**
 * The reviews that count: the latest one of each reviewer, unless it was dismissed, the reviewer opened the change request, or they may no
 * longer review the space. An approval counts only for the revision that is the head now.
 */
export async function decidingReviews(
  reader: Reader,
  space: SpaceDoc,
  { doc, head }: LoadedChangeRequest,
): Promise<DecidingReviews> {
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

/** A change request that may be merged, with the commit that would be. */
export interface Candidate extends LoadedChangeRequest {
  /** The user who merges it, and whether they wrote in it (`change-requests/writers.ts`). */
  mergedBy: { user: string; wrote: boolean }
}

/**
 * What a change request lacks of the approvals that its space requires, as sentences; none if it has them. It lacks them if its head has fewer, or
 * if a reviewer whose review counts requests changes. The merging user's own approval does not count if they wrote in the change request, unless
 * they are an admin: no second person would have seen what they wrote.
 */
export async function missingApprovals(
  reader: Reader,
  required: number,
  { approvals, objections, own }: CountedReviews,
): Promise<string[]> {
  const missing = required - approvals.length
  const reasons: string[] = []
  if (missing === 1 && own.length > 0)
    reasons.push(
      'You wrote in it, so your own approval does not count if you merge it: somebody else has to approve it or merge it.',
    )
  else if (missing > 0)
    reasons.push(
      `It needs ${count(required)} of its latest revision, from people other than the one who opened it. It has ${approvals.length}; ${count(missing)} missing.`,
    )
  if (objections.length > 0)
    reasons.push(
      `Changes are requested by ${await names(reader, objections)}: they have to approve it, or an admin has to dismiss their review.`,
    )
  return reasons
}

/** The deciding reviews, as they count if a certain user merges the change request. */
export interface CountedReviews extends DecidingReviews {
  /** Approvals of the merging user that do not count, since they wrote in it. */
  own: ReviewDoc[]
}

/** Leaves out the approval of the merging user if they wrote in the change request and are no admin. */
export async function countedReviews(reader: Reader, space: SpaceDoc, candidate: Candidate): Promise<CountedReviews> {
  const { approvals, objections } = await decidingReviews(reader, space, candidate)
  const { user, wrote } = candidate.mergedBy
  const own = approvals.filter(({ reviewer }) => reviewer === user)
  if (own.length === 0 || !wrote || (await isAdmin(reader, user, space))) return { approvals, objections, own: [] }
  return { approvals: approvals.filter((one) => !own.includes(one)), objections, own }
}

const count = (approvals: number): string => (approvals === 1 ? '1 approval' : `${approvals} approvals`)

const names = (reader: Reader, by: readonly ReviewDoc[]): Promise<string> =>
  namesOf(
    reader,
    by.map(({ reviewer }) => reviewer),
  )

/** The names of users, for a sentence. */
export async function namesOf(reader: Reader, ids: readonly string[]): Promise<string> {
  const found = await Promise.all(ids.map(async (id) => (await reader.get(users, id))?.displayName ?? id))
  return found.join(', ')
}
