import { allows } from '../../access/index.js'
import { conflict } from '../../kernel/errors.js'
import { type ChangeRequestDoc, type ReviewDoc, reviews, type SpaceDoc, spaces, users } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import { spaceRole } from '../roles/access.js'
import type { LoadedChangeRequest } from '../context/loaded.js'

/** Which reviews of a change request decide whether it may be merged. */
export interface Standing {
  approvals: ReviewDoc[]
  objections: ReviewDoc[]
}

/**
 * The reviews that count: of each reviewer the latest, where it was not dismissed, he may still review the space and did
 * not open the change request himself; an approval only of the revision that is the head now.
 */
export async function standingOf(reader: Reader, space: SpaceDoc, { doc, head }: LoadedChangeRequest): Promise<Standing> {
  const latest = new Map<string, ReviewDoc>()
  const all = await reader.find(reviews, 'changeRequest', doc.id)
  for (const review of all.sort((a, b) => a.sequence - b.sequence)) latest.set(review.reviewer, review)
  const standing: Standing = { approvals: [], objections: [] }
  for (const review of latest.values()) {
    if (review.dismissedAt !== undefined || review.reviewer === doc.createdBy) continue
    if (review.status === 'approved' && review.revision !== head) continue
    if (!(await mayReview(reader, review.reviewer, space))) continue
    standing[review.status === 'approved' ? 'approvals' : 'objections'].push(review)
  }
  return standing
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

/** A change request, and the commit of it that is to be merged. */
export interface Candidate {
  doc: Document<ChangeRequestDoc>
  head: LoadedChangeRequest['head']
  /** Who merges it, and whether he wrote in it (`writers.ts`). */
  mergedBy: { user: string; wrote: boolean }
}

/**
 * The rule of a space, "a merge needs N approvals": throws 409 where the head has fewer, or where somebody who counts has
 * asked for changes. Who wrote in it and is no admin does not merge it on his own approval: his writing would reach main
 * with nobody else having seen it. Under the lock of the space, with the head that is to be merged.
 */
export async function checkApprovals(reader: Reader, changeRequest: Candidate): Promise<void> {
  const space = await reader.get(spaces, changeRequest.doc.space)
  const required = space?.requiredApprovals ?? 0
  if (!space || required === 0) return
  const { approvals, objections } = await standingOf(reader, space, changeRequest)
  const { user, wrote } = changeRequest.mergedBy
  const missing = required - approvals.length
  const reasons: string[] = []
  if (missing === 0 && wrote && approvals.some(({ reviewer }) => reviewer === user) && !(await isAdmin(reader, user, space)))
    reasons.push('You wrote in it and merge it, so your own approval does not count: somebody else has to approve it, or to merge it.')
  if (missing > 0)
    reasons.push(`It needs ${count(required)} of its latest revision by others than who opened it, and has ${approvals.length}: ${count(missing)} missing.`)
  if (objections.length > 0) reasons.push(`Changes are requested by ${await names(reader, objections)}: they have to approve it, or an admin to dismiss that.`)
  if (reasons.length > 0) throw conflict(`Change request ${changeRequest.doc.number} cannot be merged yet. ${reasons.join(' ')}`)
}

const count = (approvals: number): string => (approvals === 1 ? '1 approval' : `${approvals} approvals`)

async function names(reader: Reader, by: readonly ReviewDoc[]): Promise<string> {
  const found = await Promise.all(by.map(async ({ reviewer }) => (await reader.get(users, reviewer))?.displayName ?? reviewer))
  return found.join(', ')
}
