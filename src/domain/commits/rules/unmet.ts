/** Finds the merge rules that a change request does not meet, each with a message for the user. */
import { evaluateCondition } from '../../../content/conditions/evaluate.js'
import { type MergeRule, requestedReviews, type UnmetRule } from '../../../model/index.js'
import type { Reader } from '../../../store/index.js'
import type { LoadedSpace } from '../../context/loaded.js'
import { MAIN } from '../../context/refs.js'
import { lacksContent } from '../../revisions/missing-content.js'
import { spaceRole } from '../../roles/access.js'
import { type Candidate, type CountedReviews, countedReviews, missingApprovals, namesOf } from './approvals.js'
import { type Protection, protectionOf } from './effective.js'

/** The state that merge rules are checked against. */
interface ReviewState {
  reader: Reader
  space: Pick<LoadedSpace, 'doc' | 'repo'>
  candidate: Candidate
  reviews: CountedReviews
  /** IDs of the users whose requested reviews are still missing. */
  requested: string[]
  outdated: boolean
}

/** Checks one rule. Returns a sentence about what is missing; null if the change request meets the rule. */
type Check<R = MergeRule> = (state: ReviewState, rule: R) => string | null | Promise<string | null>

const reviewersOf = (list: readonly { reviewer: string }[]): string[] => list.map(({ reviewer }) => reviewer)

const approvedBy = ({ reviews }: ReviewState): Set<string> => new Set(reviewersOf(reviews.approvals))

/** The member of the union whose `rule` can be `R`. */
type RuleOf<R> = MergeRule extends infer One
  ? One extends { rule: infer Own }
    ? R extends Own
      ? One
      : never
    : never
  : never

const CHECKS: { [R in MergeRule['rule']]: Check<RuleOf<R>> } = {
  require_at_least_one_review: ({ reviews: { approvals, objections } }) =>
    approvals.length + objections.length > 0
      ? null
      : 'It needs a review of its latest revision from a person who did not open it.',
  require_at_least_one_approved_review: ({ reviews: { approvals, own } }) => {
    if (approvals.length > 0) return null
    return own.length > 0
      ? 'You wrote in it, so your own approval does not count if you merge it: another person has to approve or merge it.'
      : 'It needs an approval of its latest revision from a person who did not open it.'
  },
  require_all_reviews_approved: async ({ reader, reviews: { objections }, requested }) => {
    if (objections.length > 0)
      return `Changes are requested by ${await namesOf(reader, reviewersOf(objections))}: they have to approve it, or an admin has to dismiss their review.`
    return requested.length === 0
      ? null
      : `It still needs the requested reviews from ${await namesOf(reader, requested)}.`
  },
  require_up_to_date_change_request: ({ outdated }) =>
    outdated ? 'It lacks changes of the main content: update it first.' : null,
  require_change_request_subject: ({ candidate: { doc } }) =>
    doc.subject.trim() === '' ? 'It needs a subject.' : null,
  require_change_request_description: ({ candidate: { doc } }) =>
    (doc.description ?? '').trim() === '' ? 'It needs a description.' : null,
  require_author_to_merge: async ({ reader, candidate: { doc, mergedBy } }) =>
    mergedBy.user === doc.createdBy
      ? null
      : `Only ${await namesOf(reader, [doc.createdBy])}, who opened it, may merge it.`,
  require_specific_reviewers: async (state, { users }) => {
    const missing = users.filter((user) => !approvedBy(state).has(user))
    return missing.length === 0 ? null : `It needs the approval of ${await namesOf(state.reader, missing)}.`
  },
  require_one_of_specific_reviewers: async (state, { users }) =>
    users.some((user) => approvedBy(state).has(user))
      ? null
      : `It needs the approval of one of ${await namesOf(state.reader, users)}.`,
  allow_bypass: () => null,
  custom: async (state, { expression, message }) =>
    evaluateCondition(expression, await valuesOf(state)) ? null : message,
}

/** The names that a custom rule can use, as documented in `model/merge-rules.ts`. */
export const RULE_NAMES = {
  space: ['id', 'title'],
  changeRequest: ['number', 'subject', 'description', 'status', 'author', 'outdated'],
  reviews: ['approvedBy', 'objectedBy', 'requestedFrom', 'approvals', 'objections'],
  actor: ['id', 'role', 'isAuthor'],
} as const

type Values = { [Root in keyof typeof RULE_NAMES]: Record<(typeof RULE_NAMES)[Root][number], unknown> }

async function valuesOf({
  reader,
  space,
  candidate: { doc, mergedBy },
  reviews,
  requested,
  outdated,
}: ReviewState): Promise<Values> {
  const { number, subject, description = '', status, createdBy } = doc
  const { approvals, objections } = reviews
  return {
    space: { id: space.doc.id, title: space.doc.title },
    changeRequest: { number, subject, description, status, author: createdBy, outdated },
    reviews: {
      approvedBy: reviewersOf(approvals),
      objectedBy: reviewersOf(objections),
      requestedFrom: requested,
      approvals: approvals.length,
      objections: objections.length,
    },
    actor: {
      id: mergedBy.user,
      role: await spaceRole(reader, mergedBy.user, space.doc),
      isAuthor: mergedBy.user === createdBy,
    },
  }
}

/**
 * Returns the currently stored rules that a change request does not meet if a given user merges it. Does not check
 * whether the user may bypass them.
 */
export async function unmetRules(
  reader: Reader,
  space: Pick<LoadedSpace, 'doc' | 'repo'>,
  candidate: Candidate,
): Promise<UnmetRule[]> {
  const protection = await protectionOf(reader, space.doc)
  return protection === null ? [] : unmetOf(reader, protection, space, candidate)
}

async function unmetOf(
  reader: Reader,
  protection: Protection,
  space: Pick<LoadedSpace, 'doc' | 'repo'>,
  candidate: Candidate,
): Promise<UnmetRule[]> {
  const main = space.repo.refs.head(MAIN)
  const state: ReviewState = {
    reader,
    space,
    candidate,
    reviews: await countedReviews(reader, space.doc, candidate),
    requested: (await reader.find(requestedReviews, 'space', space.doc.id))
      .filter((one) => one.changeRequest === candidate.doc.id)
      .map(({ user }) => user),
    outdated: main !== null && (await lacksContent(space.repo, main, candidate.head)),
  }
  const unmet: UnmetRule[] = []
  if (protection.approvals > 0)
    for (const message of await missingApprovals(reader, protection.approvals, state.reviews))
      unmet.push({ rule: 'required_approvals', message })
  for (const rule of protection.rules) {
    const message = await (CHECKS[rule.rule] as Check<MergeRule>)(state, rule)
    if (message !== null) unmet.push({ rule: rule.rule, message })
  }
  return unmet
}
