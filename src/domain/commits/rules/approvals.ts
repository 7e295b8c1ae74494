/** Determines which reviews count for a merge, and which approvals are missing. */
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
 * Returns the reviews that count: the latest one of each reviewer. A review does not count if it was dismissed, if the
 * reviewer opened the change request, or if the reviewer may no longer review the space. An approval counts only for
 * the current head.
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

/** A change request to merge, with its head. */
export interface Candidate extends LoadedChangeRequest {
  /** The merging user, and whether they wrote content of the change request (`change-requests/writers.ts`). */
  mergedBy: { user: string; wrote: boolean }
}

/**
 * Returns a sentence for each reason why a change request lacks required approvals; an empty list if it has them.
 * Reasons are too few approvals of its head, and a counted review that requests changes. If the merging user wrote in
 * the change request, their own approval counts only if they are an admin. Otherwise no second person would have read
 * their changes.
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
      'You wrote in it, so your own approval does not count if you merge it: another person has to approve or merge it.',
    )
  else if (missing > 0)
    reasons.push(
      `It needs ${count(required)} of its latest revision from people who did not open it. It has ${approvals.length}; ${count(missing)} missing.`,
    )
  if (objections.length > 0)
    reasons.push(
      `Changes are requested by ${await names(reader, objections)}: they have to approve it, or an admin has to dismiss their review.`,
    )
  return reasons
}

/** The deciding reviews, as they count for a merge by a given user. */
export interface CountedReviews extends DecidingReviews {
  /** The merging user's approvals, which do not count because the user wrote in the change request. */
  own: ReviewDoc[]
}

/**
 * Returns the deciding reviews. Excludes the merging user's approval if they wrote in the change request and are not an
 * admin.
 */
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

/** Returns the users' display names, separated by commas. */
export async function namesOf(reader: Reader, ids: readonly string[]): Promise<string> {
  const found = await Promise.all(ids.map(async (id) => (await reader.get(users, id))?.displayName ?? id))
  return found.join(', ')
}
