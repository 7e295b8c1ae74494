/** Rules that a change request must meet before it can be merged. Their stored form is their JSON. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, oneOf } from './common.js'

const plainRules = [
  'require_at_least_one_review',
  'require_at_least_one_approved_review',
  'require_all_reviews_approved',
  'require_up_to_date_change_request',
  'require_change_request_subject',
  'require_change_request_description',
  'require_author_to_merge',
] as const
const rulesWithUsers = ['require_specific_reviewers', 'require_one_of_specific_reviewers', 'allow_bypass'] as const

const MergeRule = Type.Union(
  [
    Type.Object({ rule: oneOf(plainRules) }, closed),
    Type.Object(
      {
        rule: oneOf(rulesWithUsers),
        users: Type.Array(Id, { minItems: 1, maxItems: 50, uniqueItems: true, description: 'IDs of members.' }),
      },
      closed,
    ),
    Type.Object(
      {
        rule: Type.Literal('custom'),
        expression: Type.String({
          minLength: 1,
          maxLength: 1024,
          description:
            'A condition that must be true: `&& || !`, comparisons, `in` and `includes` over space.id, space.title, changeRequest.number, .subject, .description, ' +
            '.status, .author (ID of a user), .outdated, reviews.approvedBy, .objectedBy, .requestedFrom (lists of IDs of users), .approvals, .objections ' +
            '(numbers), actor.id, actor.role, actor.isAuthor.',
        }),
        message: Type.String({
          minLength: 1,
          maxLength: 300,
          description: 'The message for the user if the condition is not true.',
        }),
      },
      closed,
    ),
  ],
  { $id: 'MergeRule' },
)
export type MergeRule = Static<typeof MergeRule>

const rules = Type.Object({ type: Type.Literal('rules'), rules: Type.Array(MergeRule, { maxItems: 20 }) }, closed)
const none = Type.Object({ type: Type.Literal('none') }, closed)
const about =
  'A merge must meet all rules, except for the users in `allow_bypass`. With at least one other rule, the main content can only be changed by such ' +
  'merges, by imports from the remote that the space was last synced with, and by edits of admins and of users in `allow_bypass`, which the audit log ' +
  'marks.'

/** The rules of an organization, which its spaces can inherit. */
export const OrganizationMergeRules = Type.Union([rules, none], { $id: 'OrganizationMergeRules', description: about })
export type OrganizationMergeRules = Static<typeof OrganizationMergeRules>

/** The rules of a space. */
export const SpaceMergeRules = Type.Union([rules, none, Type.Object({ type: Type.Literal('inherit') }, closed)], {
  $id: 'SpaceMergeRules',
  description: `With \`inherit\`, the default, the rules of the organization apply. ${about}`,
})
export type SpaceMergeRules = Static<typeof SpaceMergeRules>

/** A rule that a change request does not meet. */
export const UnmetRule = Type.Object(
  {
    rule: Type.String({
      description: 'The name of the rule; `required_approvals` stands for `requiredApprovals` of the space.',
    }),
    message: Type.String({ description: 'The missing requirement, and the remedy.' }),
  },
  { $id: 'UnmetMergeRule' },
)
export type UnmetRule = Static<typeof UnmetRule>
