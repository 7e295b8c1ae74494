/** Users: people and service accounts. */
import { type Static, Type } from '@sinclair/typebox'
import { type Draft, table } from '../kernel/documents.js'
import { closed, Id, nullable } from './common.js'

/**
 * How it was shown that an address is its user's: by a link that was mailed to it, by the operator (settings, command line),
 * or `earlier`: the account was created by a release that did not ask.
 */
export type AddressProof = 'mail' | 'operator'

/**
 * Either the address is proved to be theirs, and no other account has it; or it is only claimed, and they belong to one
 * organization alone. Once removed from it they are `former` for good: what they wrote keeps their name, and nobody becomes that user again.
 */
type AccountKind =
  | { proof: AddressProof; limitedTo?: never; former?: never }
  | { limitedTo: string; proof?: never; former?: true }

/** A person or a named service account, as stored. */
export type UserDoc = UserFields & AccountKind

interface UserFields {
  id: string
  displayName: string
  /** Lower case. */
  email: string
  photoURL?: string
  /** True for a service account: a name for tokens that belong to no person. */
  service?: boolean
  createdAt: string
}

/** An address as browsers accept it, without quotes, comments and blanks: it cannot be read as more than one address. */
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern:
    "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$",
  'x-pattern-message': 'must be an email address such as ada@example.org',
  description: 'An e-mail address.',
})

const isClaimer = ({ limitedTo, former }: Draft<UserDoc>): boolean => limitedTo !== undefined && !former

/**
 * No index has all users with an address: each query says which kind it means. `proven`: the account whose
 * address it is. `claimed`: users of one organization each who say that it is theirs. `claimedIn`: that of one organization.
 */
export const users = table<UserDoc>()({
  name: 'users',
  indexes: {
    proven: (user) => (user.proof === undefined ? null : user.email),
    claimed: (user) => (isClaimer(user) ? user.email : null),
    claimedIn: (user) => (isClaimer(user) ? `${user.limitedTo}/${user.email}` : null),
  },
  unique: ['proven', 'claimedIn'],
  owner: (user) => user.id.slice(0, 1),
})

export const User = Type.Object(
  {
    object: Type.Literal('user'),
    id: Id,
    displayName: Type.String(),
    email: Type.String(),
    photoURL: Type.Optional(Type.String()),
    emailUnproven: Type.Optional(
      Type.Boolean({
        description:
          'True if the user has not proved that the address is theirs: they joined one organization by a link that was not mailed, and belong to it alone. Absent = proved.',
      }),
    ),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'User' },
)

export const UpdateUser = Type.Object(
  {
    displayName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', 'x-pattern-message': 'must not be blank' }),
    ),
    photoURL: Type.Optional(
      nullable(
        Type.String({
          format: 'uri',
          pattern: '^https://',
          'x-pattern-message': 'must be an https URL',
          maxLength: 2048,
          description: 'An https URL; null removes it.',
        }),
      ),
    ),
  },
  { ...closed, $id: 'UpdateUser' },
)
export type UpdateUser = Static<typeof UpdateUser>
